"""Studies of sketches that read a column batch by batch."""

from .feeds import PATTERNS, Feed, Files, Generated, Given
from .reading import GROWTH, Errors, Settings, Snapshot, look, steps

__all__ = [
    "GROWTH",
    "PATTERNS",
    "Errors",
    "Feed",
    "Files",
    "Generated",
    "Given",
    "Settings",
    "Snapshot",
    "look",
    "steps",
]
