"""Still drawings as one page that needs no script and no server."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

from .sheet import draw_still


def as_html(figures: Sequence[go.Figure], *, title: str, paragraphs: Sequence[str]) -> str:
    """Return figures as one self-contained page without a script: still drawings, a title, and plain paragraphs."""
    parts = [f"<h1>{escape(title)}</h1>", *(f"<p>{escape(text)}</p>" for text in paragraphs)]
    for at, figure in enumerate(figures, start=1):
        parts.append(f"<div>{draw_still(figure, alt=f'{title}: figure {at}', number=at)}</div>")
    style = (
        ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;"
        "padding:0 1rem}div{overflow-x:auto;margin:1rem 0;break-inside:avoid}svg{display:block;width:100%;"
        "min-width:34rem;height:auto}@media print{svg{min-width:0}}"
    )
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style>"
    )
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>'
