"""How a column was read, in words, in JSON and in Python."""

from .forms import as_dict, describe, from_dict, from_typed, in_python

__all__ = ["as_dict", "describe", "from_dict", "from_typed", "in_python"]
