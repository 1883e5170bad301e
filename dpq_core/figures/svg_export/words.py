"""Texts of a still drawing: plotly's few tags read, everything else written as text."""

from __future__ import annotations

import re
from html import escape, unescape


def lines_of(text: str) -> list[tuple[str, bool]]:
    """Return the lines of a text of a figure, each with whether it is bold, as text that is safe in SVG."""
    lines = re.split(r"<br\s*/?>", str(text))
    return [(safe(re.sub(r"</?b>", "", line)), "<b>" in line) for line in lines]


def one_line(text: str) -> str:
    """Return a text of a figure on one line, safe in SVG."""
    return " ".join(line for line, _ in lines_of(text))


def safe(text: str) -> str:
    """Return what a person would read, escaped once."""
    return escape(unescape(text), quote=True)
