"""The Stream page: a column that is read batch by batch, or a table that a cluster reads."""

from .asked import answer, ask
from .sources import PublicSource, choose_source
from .spread import SpreadTable
from .view import choose_settings, headline, is_first_picture, run_button, show, start

__all__ = [
    "PublicSource",
    "SpreadTable",
    "answer",
    "ask",
    "choose_settings",
    "choose_source",
    "headline",
    "is_first_picture",
    "run_button",
    "show",
    "start",
]
