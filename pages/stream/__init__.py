"""The Stream page: a column that is read batch by batch."""

from .sources import PublicSource, choose_source
from .view import choose_settings, headline, is_first_picture, run_button, show, start

__all__ = [
    "PublicSource",
    "choose_settings",
    "choose_source",
    "headline",
    "is_first_picture",
    "run_button",
    "show",
    "start",
]
