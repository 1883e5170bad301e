"""Work that takes longer than a moment: in child processes, with a place in a queue, limits and a Cancel.

children.py  child processes: each is handed one piece of work and sends its parts
queue.py     jobs, and the pool that runs them: by turns, within limits; and what a child reads from an untrusted file
turns.py     whose turn it is, by visitor, and what is made once for all of them

No Streamlit here.
"""
