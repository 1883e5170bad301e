"""The Stream page: a column that is read batch by batch."""

from .page import choose_reading, headline, is_first_picture, run_button, settings_of, show, start
from .sources import choose_source

__all__ = [
    "choose_reading",
    "choose_source",
    "headline",
    "is_first_picture",
    "run_button",
    "settings_of",
    "show",
    "start",
]
