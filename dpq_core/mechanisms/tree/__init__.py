"""AggTree: noisy counts in a tree of ranges, and all quantiles read off them."""

from . import mechanism
from .mechanism import TreeParameters
from .trace import TreeNode, TreeStep

__all__ = ["TreeNode", "TreeParameters", "TreeStep", "mechanism"]
