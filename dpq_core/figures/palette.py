"""Settings that all figures share: colours for light and dark backgrounds, and one colour for each mechanism.

True and private always differ in colour, dash and marker. No pair differs by red and green alone.
"""

from __future__ import annotations

from ..mechanisms import MECHANISMS

PRIVATE = "#dd7f1f"
"""Private answers, and nothing else."""
TRUE = "#7d899b"
"""The truth, where it may be shown."""
ACCENT = "#4577c6"
BAND = "rgba(100, 150, 230, 0.28)"
"""Seen on white and on a dark ground."""
INTERVAL = "rgba(221, 127, 31, 0.24)"
"""The range of a true quantile that private answers allow."""
FAINT, FAINT_BOX = "#9aa4b3", "rgba(154, 164, 179, 0.22)"
"""Private answers that are noise, and a box of them: never the colour of a finding."""
GRID = "rgba(125, 137, 155, 0.22)"
AXIS = "rgba(125, 137, 155, 0.75)"

TRUE_MARKER = {"symbol": "circle-open", "size": 11, "color": TRUE, "line": {"width": 2}}
PRIVATE_MARKER = {"symbol": "diamond", "size": 10, "color": PRIVATE}


def colour_of(mechanism: str) -> str:
    """Return the colour of a mechanism by its key; grey for a key that is not ours."""
    return MECHANISM_COLOURS.get(mechanism, TRUE)


SMALLEST_WORDS = 12
"""Pixels; smaller text cannot be read from the last row of a lecture hall."""

MECHANISM_COLOURS = {key: mechanism.PROFILE.colour for key, mechanism in MECHANISMS.items()}
"""The same on every page."""
MECHANISM_SYMBOLS = {key: mechanism.PROFILE.symbol for key, mechanism in MECHANISMS.items()}
