"""Mechanisms as the papers print them, where that is not private: for the audit to catch."""

from . import aq, gk, histogram, joint, slices, tree
from .gk import gk_not_divided
from .tree import tree_sqrt_height

__all__ = ["aq", "gk", "gk_not_divided", "histogram", "joint", "slices", "tree", "tree_sqrt_height"]
