"""Tables: named columns with their possible values, in groups or not, of persons or not, read from any data frame."""

from __future__ import annotations

from ..combinations import REFUSED, Features, Refusal, refuse_combination
from .frames import is_frame, read_frame
from .grouping import By, FindGroups
from .table import GroupedValues, Table, WholeValues

__all__ = [
    "REFUSED",
    "By",
    "Features",
    "FindGroups",
    "GroupedValues",
    "Refusal",
    "Table",
    "WholeValues",
    "is_frame",
    "read_frame",
    "refuse_combination",
]
