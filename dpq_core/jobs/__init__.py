"""Work that takes longer than a second: in steps, in processes of its own, with a Cancel. No Streamlit here.

children.py   a child process that is handed work and sends its parts
line.py       the queue of jobs, and their progress
turns.py      whose turn it is, by visitor, and what is made once for all of them
processes.py  jobs whose steps run in a child process, or in the server if they are short
workers.py    computations of visitors, in processes that stay for a while
untrusted_files.py  untrusted files, read in a child process with limits

Nothing is imported here: a child that runs a study must not load the readers of files.
"""
