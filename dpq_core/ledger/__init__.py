"""Record in SQL what was spent on which data set; a release is charged before it is drawn.

`filters` has the rule and its proof. `import dpq_core` does not load this part: it needs SQLAlchemy.
"""
