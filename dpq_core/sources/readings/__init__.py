"""How a column was read, in words, in JSON and in Python.

sentence.py  describe: one line for the person who brings a file, with an invented example
written.py   as_dict, from_dict, in_python: a `Reading` that is stored, or stands in a script
"""

from .sentence import describe
from .written import as_dict, from_dict, in_python

__all__ = ["as_dict", "describe", "from_dict", "in_python"]
