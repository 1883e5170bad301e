"""Columns of files that say whose row each is, and which group it is in: read into People, and into a GroupColumn."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..errors import beginning
from ..groups.names import GroupColumn, GroupName
from ..people.ids import People
from ..progress import unheard, within
from .column import Progress, only_clear_errors
from .files import Layout, Source, fill, find_layout, opener, read_rows
from .formats.known import open_table
from .formats.reader import Place
from .header import find_column
from .streams.batches import Sources, layout_like, list_sources
from .takers import Names, checked_list

PERSONS = frozenset(
    [
        "person", "people", "patient", "customer", "client", "user", "member", "subject", "participant", "respondent",
        "employee", "student", "pupil", "citizen", "pid", "uid", "userid", "kunde", "kundin", "patientin", "mitglied",
        "versicherte", "kundennummer", "kundennr", "patientennummer", "patientennr", "personalnummer", "personalnr",
        "mitgliedsnummer", "versichertennummer", "matrikelnummer", "personne", "individu", "persona", "cliente",
        "paciente",
    ]
)  # fmt: skip
"""Words in the name of a column that say that it holds persons."""
IDS = frozenset(["id", "hhid", "householdid", "haushaltsnummer", "haushaltsnr"])
ROWS = frozenset(
    [
        "row", "record", "line", "order", "trip", "visit", "transaction", "invoice", "event", "flight", "case", "entry",
        "item", "product",
    ]
)  # fmt: skip
"""Words that say that an id is of a row or of a thing."""
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")


def read_people(
    source: Source,
    column: str,
    *,
    header: bool | None = None,
    layout: Layout | None = None,
    progress: Progress | None = None,
) -> People:
    """Read a column of ids as the persons behind the rows, in the order of the file; no id is kept.

    header, layout, progress, and what is raised, as in `files.read_column`.
    """
    open_file = opener(source)
    found = read_rows(open_file, [], layout or find_layout(open_file, header=header), person=column, progress=progress)
    assert found.people is not None, "there is a column of ids"
    return found.people


def likely_person(names: Sequence[str]) -> str:
    """Return the column that holds persons by its name, "" where none does: `patient` before `id`, never `order_id`."""
    words = {name: {word.lower() for word in _WORDS.findall(name)} for name in names}
    persons = (name for name in names if words[name] & PERSONS)
    ids = (name for name in names if words[name] & IDS and not words[name] & ROWS)
    return next(persons, next(ids, ""))


@only_clear_errors
def read_groups(
    source: Sources,
    column: str,
    *,
    names: Sequence[GroupName] | None = None,
    header: bool | None = None,
    layout: Layout | None = None,
    progress: Progress | None = None,
) -> GroupColumn:
    """Read a column of groups, in the order of the rows. Give it to `Column.from_values` as `groups`.

    source: one file, or many as in `stream_column`; 4 bytes a row. names: the listed groups; no other name is kept
    then. header, layout, progress, and what is raised, as in `stream_column`; ParameterError (name "names") also for
    two names of one group.
    """
    sources, listed, found = list_sources(source), checked_list(names), list[Names]()
    for number, each in enumerate(sources):
        with beginning(f"File {number + 1} of {len(sources)}: " if len(sources) > 1 else ""):
            open_file, share = opener(each), within(progress or unheard, number, len(sources))
            own = layout if layout is not None and number == 0 else layout_like(open_file, header, layout)
            table, place = open_table(open_file, own), Place(*find_column(column, own.names), use="names")
            if found:
                found[0].attempt(found[0].find, table, place)
            else:
                found.append(Names(table, place, listed))
            fill(table, found, share)
            layout = layout or own
    assert layout is not None, "there is a file"
    return found[0].groups(layout)
