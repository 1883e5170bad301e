"""The report of a release for decision makers: one sheet, and what its words and its errors need from a person."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpq_core.frame import COLUMN
from dpq_core.release import Release
from dpq_core.report.facts import Report, described, public_records
from dpq_core.report.html import STYLE, as_html
from dpq_core.studies.shapes import MOST_STUDIED

from ..server import downloads
from ..shell import fields, links
from ..shell.header import complain, in_label, term, whole_number
from ..shell.screen import IN_VIEW

if TYPE_CHECKING:  # it needs SQLAlchemy, which Explore does without
    from dpq_core.ledger.history.entries import Stored


def choose(stored: Stored) -> Report | None:
    """Ask for the words of the report of a release and draw its downloads; None, with a message, where one is wrong."""
    release = _in_words(stored)
    if release is None:
        return None
    records = 1
    if any(cells.in_one_piece for cells in release.cells) and public_records(release) is None:
        typed = fields.text_input("records", help=term("public reference shape")).replace(",", "")
        st.caption(
            "Give it from public knowledge. The report computes its errors for this number of "
            f"{in_label(release.description.many)}."
        )
        found = whole_number(typed, MOST_STUDIED, "“How many people”")
        if found is None:
            return None
        records = found
    report = Report.of_stored(replace(stored, release=release), records)
    with st.container(key=IN_VIEW):
        of, day = release.account or report.title, release.made[:10]
        downloads.show_main("Download report", "report", lambda: as_html(report), of=of, day=day)
    st.caption("One HTML file to send or to print.")
    links.show_link("It holds no data; it names the answer that this server keeps.")
    return report


def _in_words(stored: Stored) -> Release | None:
    """Ask what to call the columns, at first by their names, which were made for a computer; and for a missing unit."""
    release, names = stored.release, list(stored.release)
    usual = [stored.account.name if name == COLUMN else name.replace("_", " ") for name in names]
    several = len(names) > 1
    typed = fields.text_input(
        "title", label="Labels of the columns" if several else "Label of the column", placeholder=", ".join(usual)
    ).strip()
    labels = [label.strip() for label in typed.split(",")] if several else [typed]
    if several and typed and len({*labels} - {""}) != len(names):
        complain("Give each column a label of its own, with commas between them.")
        return None
    words = {}
    if not (several or release.description.columns):
        words["unit"] = fields.text_input("unit", placeholder="years").strip()
    named = dict(zip(names, labels, strict=True)) if typed else {}
    return described(release, stored.account.one_row_is, named, **words)


def show(found: Report) -> None:
    """Show the sheet."""
    st.html(f"<style>{STYLE}</style>")
    st.html(as_html(found, alone=False))
