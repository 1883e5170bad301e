"""How a column was read, in words, in JSON and in Python.

sentence.py describe: one line for the person who brings a file, with an invented example typed.py from_typed: a
`Reading` out of what is typed written.py as_dict, from_dict, in_python: a `Reading` that is stored, or is in a script
"""

from .sentence import describe
from .typed import from_typed
from .written import as_dict, from_dict, in_python

__all__ = ["as_dict", "describe", "from_dict", "from_typed", "in_python"]
