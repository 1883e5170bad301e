"""Work that takes longer than a moment: in child processes, with a place in a queue, limits and a Cancel.

children.py         a child process that is handed work and sends its parts
queue.py            jobs, and the queues that run them: by turns, within limits, with an end at any moment
turns.py            whose turn it is, by visitor, and what is made once for all of them
untrusted_files.py  what a child reads from an untrusted file

No Streamlit here. Nothing is imported here: a child that runs a study must not load the readers of files.
"""
