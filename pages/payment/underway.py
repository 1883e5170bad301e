"""Releases of this process that have no answer yet, and what the page Releases says about them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import streamlit as st

from ..shell.header import escape

LOOK_SECONDS = 2.0
"""Between two looks whether a release in progress has ended."""
_underway: dict[str, tuple[str, str]] = {}
"""By release id, the name of the data set that pays and since when: UTC, to the minute."""


@contextmanager
def noted(account: str, release_id: str) -> Iterator[None]:
    """Note a release as in progress while it is prepared, charged and drawn."""
    _underway[release_id] = account, datetime.now(UTC).strftime("%H:%M")
    try:
        yield
    finally:
        _underway.pop(release_id, None)


def is_underway(release_id: str) -> bool:
    """Return whether a release is being drawn by this process."""
    return release_id in _underway


def show() -> None:
    """Say which data sets have a release in progress; when one of them ends the page runs once more."""
    found = sorted(_underway.values())
    if not found:
        return
    said = ", ".join(f"{escape(account)} since {since} UTC" for account, since in found)
    st.info(
        f"In progress: {said}. Until it is charged its price is not in the numbers below.", icon=":material/pending:"
    )
    _watch(tuple(sorted(_underway)))


@st.fragment(run_every=LOOK_SECONDS)
def _watch(before: tuple[str, ...]) -> None:
    if tuple(sorted(_underway)) != before:
        st.rerun()
