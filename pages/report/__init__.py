"""The Report page: one sheet about one answer."""

from .view import actions, choose, heading, headline, show

__all__ = ["actions", "choose", "heading", "headline", "show"]
