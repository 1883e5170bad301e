"""The parts of which figures are made: lines, areas, strokes, rectangles, words, and what lies behind an axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from .frame import USUAL_SIZE, Trace

Stroke = tuple[Any, Any, Any, Any]  # a straight line: x and y of its beginning, x and y of its end
Box = tuple[Any, Any, Any, Any]  # a rectangle: left, right, bottom and top


def trace(x: Iterable[Any], y: Iterable[Any], mode: str, name: str = "", hover: str = "", **settings: Any) -> Trace:
    """Return points of a figure: in the legend if they have a name, and silent under the pointer without `hover`."""
    named = {"name": name} if name else {"showlegend": False}
    said = {"hovertemplate": hover} if hover else {"hoverinfo": "skip"}
    return {"type": "scatter", "x": list(x), "y": list(y), "mode": mode, **named, **said, **settings}


def pen(colour: str, width: float = 2, dash: str | None = None, shape: str | None = None) -> dict[str, Any]:
    """Return how a line is drawn; its width is in pixels."""
    return {"color": colour, "width": width, **({"dash": dash} if dash else {}), **({"shape": shape} if shape else {})}


def strokes(lines: Sequence[Stroke], line: dict[str, Any], name: str = "", **settings: Any) -> Trace:
    """Return separate straight lines."""
    xs = [x for start, _, end, _ in lines for x in (start, end, None)]
    return trace(
        xs, [y for _, start, _, end in lines for y in (start, end, None)], "lines", name, line=line, **settings
    )


def rectangles(boxes: Sequence[Box], fill: str, name: str = "", line: dict[str, Any] | None = None) -> Trace:
    """Return filled rectangles as one trace, however many there are."""
    xs = [x for left, right, _, _ in boxes for x in (left, right, right, left, left, None)]
    ys = [y for _, _, low, high in boxes for y in (low, low, high, high, low, None)]
    return trace(xs, ys, "lines", name, fill="toself", fillcolor=fill, line=line or {"width": 0})


def area(
    xs: Sequence[Any], lows: Sequence[Any], highs: Sequence[Any], fill: str, name: str = "", *, sideways: bool = False,
    **settings: Any,
) -> Trace:  # fmt: skip
    """Return the area between two curves over the same places; `sideways`: at the same heights."""
    places = [*xs, *reversed(xs)], [*lows, *reversed(highs)]
    x, y = places[::-1] if sideways else places
    return trace(x, y, "lines", name, fill="toself", fillcolor=fill, line={"width": 0, "color": fill}, **settings)


def upright(x: float, low: float, top: float, name: str, line: dict[str, Any], hover: str = "") -> Trace:
    """Return a named upright line."""
    return trace([x, x], [low, top], "lines", name, hover or f"{name}: %{{x}}<extra></extra>", line=line)


def words(
    places: Sequence[tuple[Any, float, str]], position: str | list[str] = "middle center", **settings: Any
) -> Trace:
    """Return small words (x, y, text) in the colour of the page's text."""
    xs, ys, texts = zip(*places, strict=True) if places else ((), (), ())
    return trace(xs, ys, "text", text=list(texts), textposition=position, textfont={"size": USUAL_SIZE}, **settings)


def band(low: float, high: float, colour: str) -> dict[str, Any]:
    """Return a shape over the whole width, behind all else."""
    return {"type": "rect", "xref": "x domain", "x0": 0, "x1": 1, "y0": low, "y1": high, "fillcolor": colour,
            "layer": "below", "line": {"width": 0}}  # fmt: skip


def level(y: float, line: dict[str, Any], axis: str = "") -> dict[str, Any]:
    """Return a line over the whole width as a shape."""
    return {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "yref": f"y{axis}", "y0": y, "y1": y, "line": line}


def standing(x: float, line: dict[str, Any], yref: str = "y domain") -> dict[str, Any]:
    """Return a line over the whole height as a shape."""
    return {"type": "line", "xref": "x", "x0": x, "x1": x, "yref": yref, "y0": 0, "y1": 1, "line": line}


def note(x: Any, y: Any, text: str, **settings: Any) -> dict[str, Any]:
    """Return words without an arrow."""
    return {"x": x, "y": y, "text": text, "showarrow": False, "xanchor": "left", **settings}


def stacked(places: Sequence[Any]) -> list[int]:
    """Return heights 1, 2, ... that stack equal places."""
    seen: Counter[Any] = Counter()
    heights = []
    for place in places:
        seen[place] += 1
        heights.append(seen[place])
    return heights


def shortened(text: str, most: int) -> str:
    """Return a text of at most this number of letters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
