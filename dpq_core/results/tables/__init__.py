"""Several columns of a table, whole or in groups, in one answer.

asked.py     the columns of a question as a release reads them, and whether the library answers it
kinds.py     a request, and a simulation or a release of it, frozen
outcomes.py  how these are made
spread.py    a simulation of a table on a cluster
expected.py  what to expect of the answers, and the best mechanisms
codebook.py  what each number is of, to hand on with them

Nothing is imported here, so that exports can know the kinds.
"""
