"""The menu, and the server that shows it. Every page is whole by itself: nothing that one needs is made here.

Streamlit runs this file as `__main__` for every visitor. The server imports it as `app`, and finds in it what stands
before Streamlit.
"""

from typing import Any

import streamlit as st

MENU = (
    (
        "pages/quantiles/page.py",
        "Quantiles",
        "Private quantiles of a column: an example, your own file or pasted values.",
    ),
    (
        "pages/columns/page.py",
        "Several columns",
        "Quantiles and box plots of many columns of one table under one budget, with a codebook to hand on.",
    ),
    (
        "pages/inside/page.py",
        "Inside",
        "One run of a mechanism, step by step; and a microscope on the exact promise, with broken variants.",
    ),
    (
        "pages/stream/page.py",
        "Stream",
        "A column that does not fit into memory: how a sketch of it grows, and what it costs in accuracy.",
    ),
    (
        "pages/compare/page.py",
        "Compare",
        "All mechanisms side by side, on public data or on hard cases: errors, bounds and times.",
    ),
    (
        "pages/tradeoff/page.py",
        "Trade-off",
        "What privacy costs in accuracy, and the smallest budget for the accuracy you want.",
    ),
    (
        "pages/budget/page.py",
        "Budget",
        "What has been spent on each data set of this server, what is left, and every release so far.",
    ),
    (
        "pages/report/page.py",
        "Report",
        "One page for whoever decides: what was protected, how well, and how far the answers can be trusted.",
    ),
    (
        "pages/papers/page.py",
        "Papers",
        "The figures and tables of three papers, recomputed: what is printed, what we measure, and why.",
    ),
    ("pages/learn/page.py", "Learn", "Short lessons: what a private quantile is, and what its promise means."),
)
"""The file, the title and the help of each page."""


# No `icon=`: Streamlit would fetch it from another machine as the tab's icon.
def pages() -> list[Any]:
    """Return all pages in the order of the menu."""
    return [st.Page(file, title=title, help=help) for file, title, help in MENU]


def start() -> None:
    """Lead to the first page. A page that is itself the default would lose its own address."""
    st.switch_page(pages()[0], query_params=st.query_params.to_dict())


if __name__ == "__main__":
    START = st.Page(start, title="Start", default=True, visibility="hidden")
    st.navigation([START, *pages()], position="top").run()
else:
    from pages.server import front_door, ready

    app = st.App(__file__, middleware=front_door(), lifespan=ready)
