"""The frame that figures share: a transparent ground, quiet axes that do not zoom by accident, the legend on top."""

from __future__ import annotations

from html import escape
from typing import Any

import plotly.graph_objects as go

from .palette import AXIS, GRID

LEGEND = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal", "font": {"size": 12}}
GROUND = "rgba(0, 0, 0, 0)"
QUIET = {"zeroline": False, "fixedrange": True}


def axis_title(text: str) -> dict[str, Any]:
    """Return the title of an axis as plotly takes it; a name that somebody typed stays text."""
    return {"text": escape(text, quote=False), "font": {"size": 13}}


def framed(figure: go.Figure, *, x: str, y: str, height: int, margin: dict[str, int]) -> go.Figure:
    """Add axes with these titles, a legend and a transparent ground, and return the figure."""
    figure.update_xaxes(title=axis_title(x), showgrid=False, linecolor=AXIS, **QUIET)
    figure.update_yaxes(title=axis_title(y), gridcolor=GRID, **QUIET)
    return figure.update_layout(
        height=height, margin=margin, legend=LEGEND, paper_bgcolor=GROUND, plot_bgcolor=GROUND, hovermode="closest"
    )
