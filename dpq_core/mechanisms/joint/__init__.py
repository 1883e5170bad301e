"""JointExp: all quantiles in one draw of the exponential mechanism."""

from . import mechanism
from .mechanism import JointParameters, JointStep

__all__ = ["JointParameters", "JointStep", "mechanism"]
