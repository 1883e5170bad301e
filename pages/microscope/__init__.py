"""The microscope of the Inside page: two neighbouring data sets and the exact loss between them."""

from .view import show

__all__ = ["show"]
