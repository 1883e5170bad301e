"""Every group of a column in one answer.

choice.py    which groups are answered, and what one person is in
kinds.py     a simulation or a release of all groups, frozen
outcomes.py  how these are made
sizes.py     how large groups are, and which are too small for their budget
files.py     what is taken away of them

Nothing is imported here, so that exports can know the kinds.
"""

__all__ = ["choice", "files", "kinds", "outcomes", "sizes"]
