"""Record in SQL what was spent on which data set; a release is charged before it is drawn.

    ledger = Ledger.from_environment()
    account = ledger.open_account("patients", budget=PureDP(1.0), adjacency=Adjacency.ADD_REMOVE, one_row_is="patient")
    answer = charged_release(sample, plan, account)
    sums(account).remaining, standing(account).entries

`filters` has the rule and its proof. `import dpq_core` does not load this part: it needs SQLAlchemy.
"""
