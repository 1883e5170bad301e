"""Quantiles of normally distributed records: find privately where they lie, and count in bins there."""

from . import mechanism
from .mechanism import NormalStep

__all__ = ["NormalStep", "mechanism"]
