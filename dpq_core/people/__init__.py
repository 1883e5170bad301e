"""People: which rows of a table belong to one person, and what a mechanism reads of each person's rows."""

from __future__ import annotations

from .ids import Ids, People
from .takes import MOST_ROWS, TAKES, Take, checked_take, some_rows, take_one

__all__ = ["MOST_ROWS", "TAKES", "Ids", "People", "Take", "checked_take", "some_rows", "take_one"]
