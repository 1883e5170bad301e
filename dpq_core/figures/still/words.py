"""Texts of a still drawing: plotly's few tags read, everything else written as text."""

from __future__ import annotations

import re
from html import escape, unescape
from typing import Any

from .axes import number_text

_FIELD = re.compile(r"%\{(x|y|hovertext|customdata(?:\[(\d+)\])?)(?::([^}]*))?\}")


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


def hover_text(trace: Any, at: int) -> str:
    """Return what plotly would say of one point under the pointer; empty where it says nothing."""
    template = trace.hovertemplate
    if isinstance(template, list | tuple):
        template = template[at]
    if trace.hoverinfo == "skip" or not template:
        return ""
    said = _FIELD.sub(lambda field: _value(trace, at, field), template)
    main, _, extra = said.partition("<extra>")
    return ", ".join(filter(None, (one_line(main.replace("<br>", ", ")), one_line(extra.removesuffix("</extra>")))))


def _value(trace: Any, at: int, field: re.Match[str]) -> str:
    name, place, how = field.groups()
    if name in {"x", "y"}:
        return number_text(trace[name][at], how)
    if name == "hovertext":
        return str(trace.hovertext if isinstance(trace.hovertext, str) else trace.hovertext[at])
    said = trace.customdata[at]
    return number_text(said if place is None else said[int(place)], how)
