"""Work that takes longer than a second: in steps, in processes of its own, with a Cancel. Knows no Streamlit.

line.py       whose turn it is, and how far a job has come
processes.py  steps in a child process, or in place where they are short
workers.py    what visitors compute, in processes that stay for a while
strangers.py  files that anybody may have made, read in a child with bounds
databases.py  columns of databases, read in a child

Nothing is imported here: a child that runs a study must not load the readers of files.
"""

__all__ = ["databases", "line", "processes", "strangers", "workers"]
