"""JointExp with a free total: one draw, compared with the total that suits the answers best."""

from . import mechanism
from .mechanism import FreeTotalParameters

__all__ = ["FreeTotalParameters", "mechanism"]
