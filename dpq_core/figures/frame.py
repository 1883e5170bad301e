"""What all figures share: their colours, the look of axes and legend, and the one way in which they are written down.

Colours fit light and dark backgrounds, and each mechanism has one. True and private always differ in colour, dash and
marker. No pair differs by red and green alone. Axes do not zoom by accident.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from html import escape
from typing import Any, TypeAlias

import plotly.graph_objects as go
import plotly.io

from ..mechanisms.registry import MECHANISMS

PRIVATE = "#dd7f1f"  # private answers, and nothing else
TRUE = "#7d899b"  # the truth, where it may be shown
ACCENT = "#4577c6"
BAND = "rgba(100, 150, 230, 0.28)"  # seen on white and on a dark ground
INTERVAL = "rgba(221, 127, 31, 0.24)"  # the range of a true quantile that private answers allow
GRID = "rgba(125, 137, 155, 0.22)"
AXIS = "rgba(125, 137, 155, 0.75)"

TRUE_MARKER = {"symbol": "circle-open", "size": 11, "color": TRUE, "line": {"width": 2}}
PRIVATE_MARKER = {"symbol": "diamond", "size": 10, "color": PRIVATE}

MECHANISM_COLOURS = {key: mechanism.PROFILE.colour for key, mechanism in MECHANISMS.items()}
"""The same on every page."""
MECHANISM_SYMBOLS = {key: mechanism.PROFILE.symbol for key, mechanism in MECHANISMS.items()}

Trace: TypeAlias = dict[str, Any]  # as plotly writes it down

CONFIG: dict[str, Any] = {
    "displaylogo": False, "modeBarButtons": [["toImage"]], "toImageButtonOptions": {"format": "png", "scale": 2},
}  # fmt: skip
"""The plotly configuration of every figure: its camera, and nothing else."""
SIMULATED = "simulated, not private"  # a picture of a simulation says so, and so does every copy of it
NOTE_HEIGHT = 20  # pixels below a figure for these words
USUAL_SIZE = 12  # pixels of a text; smaller ones cannot be read from the last row of a lecture hall

LOOK: dict[str, Any] = {
    "height": 380, "margin": {"l": 60, "r": 16, "t": 40, "b": 50}, "hovermode": "closest",
    "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal",
               "font": {"size": USUAL_SIZE}},
    "xaxis": {"showgrid": False, "gridcolor": GRID, "linecolor": AXIS, "zeroline": False, "fixedrange": True,
              "separatethousands": True},
    "yaxis": {"gridcolor": GRID, "zeroline": False, "fixedrange": True, "separatethousands": True},
}  # fmt: skip
"""The layout of every figure. Its margins are fixed: figures side by side or below each other share their axes."""


def colour_of(mechanism: str) -> str:
    """Return the colour of a mechanism by its key; grey for a key that is not ours."""
    return MECHANISM_COLOURS.get(mechanism, TRUE)


def tinted(colour: str, strength: float) -> str:
    """Return a colour `#rrggbb` made transparent: readable on light and dark."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {strength:.2f})"


class PlainFigure(go.Figure):  # type: ignore[misc]
    """Traces and layout as they are written down; `data` and `layout` are those of a checked figure.

    Checking takes plotly some twenty times as long as writing a figure down, and a page writes it at every change.
    """

    def __init__(self, traces: Sequence[Trace], layout: Mapping[str, Any]) -> None:
        template = {"template": _template(plotly.io.templates.default)}
        self._parts = {"data": [_without_none(each) for each in traces], "layout": template | _without_none(layout)}

    @cached_property
    def checked(self) -> go.Figure:
        """Return the same as plotly's own figure. Raises ValueError where plotly knows no such part."""
        return go.Figure(self._parts)

    @property
    def data(self) -> Any:
        """Return the checked traces."""
        return self.checked.data

    @property
    def layout(self) -> Any:
        """Return the checked layout."""
        return self.checked.layout

    def to_dict(self) -> dict[str, Any]:
        """Return the parts for the browser; those of the checked figure once there is one, which may be changed."""
        return dict(self._parts) if "checked" not in vars(self) else dict(self.checked.to_dict())


def figure_of(traces: Sequence[Trace], *, x: str = "", y: str = "", **layout: Any) -> PlainFigure:
    """Return a figure with titles of its first axes, shown as plain text; `layout` is added to `LOOK`.

    `LOOK` is no template of plotly, because Streamlit's theme writes over margins, grids and titles of a template.
    """
    found = LOOK | {name: LOOK[name] | {"title": text} for name, text in (("xaxis", x), ("yaxis", y))}
    for name, own in layout.items():
        usual = found.get(name, LOOK.get(name[:5], {}))
        found[name] = usual | own if isinstance(own, dict) else own
    for part in found.values():
        if isinstance(part, dict) and isinstance(part.get("title"), str):
            part["title"] = {"text": escape(part["title"], quote=False), "font": {"size": 13}}
    return PlainFigure(traces, {name: part for name, part in found.items() if part != []})


def with_larger_texts(figure: go.Figure, times: float) -> PlainFigure:
    """Return a figure with texts `times` as large, as for a projector."""
    parts = figure.to_dict()
    return PlainFigure(parts["data"], _larger(parts["layout"], times) | {"font": {"size": times * USUAL_SIZE}})


def _larger(part: Mapping[str, Any], times: float) -> dict[str, Any]:
    """Return settings with all sizes of fonts in them multiplied, and the margins that hold the texts of axes."""
    found: dict[str, Any] = {}
    for name, value in part.items():
        if name in ("font", "tickfont") and "size" in value:
            found[name] = {**value, "size": times * value["size"]}
        elif name == "margin":
            found[name] = {side: times * pixels for side, pixels in value.items()}
        elif isinstance(value, Mapping) and name != "template":
            found[name] = _larger(value, times)
        else:
            found[name] = [_larger(each, times) for each in value] if name == "annotations" else value
    return found


def shown(figure: go.Figure, *, simulated: bool = True) -> PlainFigure:
    """Return a figure as a page shows it: with a line below it that says so where it is of a simulation.

    Its font is one that a picture of it can have, too: a file knows no font of the page, and would cut wider words.
    """
    parts = figure.to_dict()
    layout = parts["layout"]
    more: dict[str, Any] = {"font": {**layout.get("font", {}), "family": "sans-serif"}}
    if simulated:
        below = layout["margin"]["b"] + NOTE_HEIGHT
        note = {
            "text": SIMULATED, "font": {"size": USUAL_SIZE}, "showarrow": False, "xref": "paper", "yref": "paper",
            "x": 1, "xanchor": "right", "y": 0, "yanchor": "bottom", "yshift": -below,
        }  # fmt: skip
        more |= {"margin": {**layout["margin"], "b": below}, "height": layout["height"] + NOTE_HEIGHT}
        more |= {"annotations": [*layout.get("annotations", ()), note]}
    return PlainFigure(parts["data"], layout | more)


def as_html(figures: Sequence[go.Figure], *, title: str, paragraphs: Sequence[str]) -> str:
    """Return figures as one page that needs nothing else, some 5 MB with plotly in it; its cameras save SVG."""
    said = "".join(f"<p>{escape(text)}</p>" for text in paragraphs)
    drawn = []
    for at, figure in enumerate(figures):
        parts = figure.to_dict()
        ground = {"template": _template("plotly_white"), "paper_bgcolor": "white", "plot_bgcolor": "white"}
        config = CONFIG | {"displayModeBar": True, "toImageButtonOptions": {"format": "svg"}}
        drawn.append(
            plotly.io.to_html(
                parts | {"layout": parts["layout"] | ground}, config, include_plotlyjs=at == 0, full_html=False,
                validate=False, div_id=f"figure-{at + 1}",
            )
        )  # fmt: skip
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}</style>"
        f"</head><body><h1>{escape(title)}</h1>{said}{''.join(drawn)}</body></html>"
    )


@lru_cache(maxsize=4)
def _template(name: str | None) -> dict[str, Any]:
    """Return plotly's default colours and sizes; a constant for each name."""
    return dict(plotly.io.templates[name].to_plotly_json()) if name else {}


def _without_none(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that are given, as plotly takes them: None is none; in a list of coordinates it is a gap."""
    return {
        name: _without_none(value) if isinstance(value, Mapping) else value
        for name, value in part.items()
        if value is not None
    }
