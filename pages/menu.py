"""The pages of the menu. Each is a folder here, whose page.py is what Streamlit runs; nobody imports a page.py."""

from __future__ import annotations

from dpq_core.mode import releases_only

MENU = (
    ("explore", "Explore", "Private quantiles of an example, or of public data of your own, beside the truth."),
    (
        "release",
        "Release",
        "Private quantiles of your own data, in five steps: a file or pasted values, of which nothing exact is shown.",
    ),
    (
        "inside",
        "Inside",
        "One run of a mechanism, step by step; and a microscope on the exact promise, with broken variants.",
    ),
    (
        "stream",
        "Stream",
        "A column that does not fit into memory: how a sketch of it grows, and what it costs in accuracy.",
    ),
    ("compare", "Compare", "All mechanisms side by side, on public data or on hard cases: errors, bounds and times."),
    ("tradeoff", "Trade-off", "What privacy costs in accuracy."),
    (
        "releases",
        "Releases",
        "What was released and spent on each data set, what is left, and a one-page report for each release.",
    ),
    (
        "papers",
        "Papers",
        "The figures and tables of three papers, recomputed: what is printed, what we measure, and why.",
    ),
    ("learn", "Learn", "Short lessons: what a private quantile is, and what its promise means."),
    ("room", "Enter a room", "For a class: type the code from your lecturer and see what the lecturer shows."),
)
"""The address, the title and the help of each page."""
ENTRANCE = "room"
"""The page where students enter a room. Where people sign in there are no rooms, and no menu has it."""


def first_page() -> str:
    """Return the page that opens without an address: Release, where a server does nothing else with own data."""
    return "release" if releases_only() else "explore"


def file_of(page: str) -> str:
    """Return the file of a page as Streamlit needs it: relative to the folder of app.py."""
    return f"pages/{page}/page.py"
