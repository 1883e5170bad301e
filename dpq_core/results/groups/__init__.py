"""Every group of a column in one answer.

choice.py    which groups are answered, and what one person is in
outcomes.py  how these are made
sizes.py     how large groups are, and which are too small for their budget

Nothing is imported here, so that exports can know the kinds.
"""
