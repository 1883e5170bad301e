"""The column of a file that says whose row each is: read into People, which holds no id.

Ids are compared as they are written: texts without their outer blanks, the cells of Parquet by their own type. What a
reader takes for a missing value is a missing id, whose row belongs to nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..people import People
from . import excel, parquet, text
from .column import Progress, check_rows, only_clear_errors
from .files import Layout, Source, find_layout, opener
from .found import Opener
from .header import find_column
from .numbers import as_text

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
ROWS = frozenset(
    [
        "row", "record", "line", "order", "trip", "visit", "transaction", "invoice", "event", "flight", "case", "entry",
        "item", "product",
    ]
)  # fmt: skip
"""Words that say that an id is of a row or of a thing."""
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")


@only_clear_errors
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
    layout = layout or find_layout(open_file, header=header)
    codes = []
    rows = 0
    for cells in cells_of(open_file, column, layout, progress):
        rows += len(cells)
        check_rows(rows)
        codes.append(_encoded(cells))
    if not codes:
        return People.of([])
    whole = pa.chunked_array(codes).unify_dictionaries()
    numbers = [chunk.indices.cast(pa.float64()).to_numpy(zero_copy_only=False) for chunk in whole.chunks]
    return People.of(np.concatenate(numbers))  # NaN where an id is missing


def likely_person(names: Sequence[str]) -> str:
    """Return the column that holds persons by its name, "" where none does: `patient` before `id`, never `order_id`."""
    words = {name: {word.lower() for word in _WORDS.findall(name)} for name in names}
    persons = (name for name in names if words[name] & PERSONS)
    ids = (name for name in names if "id" in words[name] and not words[name] & ROWS)
    return next(persons, next(ids, ""))


def cells_of(open_file: Opener, column: str, layout: Layout, progress: Progress | None) -> Iterator[pa.Array]:
    """Yield the cells of a column as they are written, batch by batch; of Parquet as the file holds them."""
    index, label = find_column(column, layout.names)
    match layout:
        case text.TextLayout():
            yield from text.text_column(open_file, layout, index, label).fields(progress)
        case excel.SheetLayout():
            yield excel.sheet_texts(open_file(), layout, index)
        case _:
            yield from parquet.raw_cells(open_file, index, progress)


def _encoded(cells: pa.Array) -> pa.DictionaryArray:
    """Return ids as numbers and what these stand for, null where one is missing."""
    if not pa.types.is_dictionary(cells.type):
        return cleaned(cells).dictionary_encode()
    ids = cleaned(cells.dictionary).dictionary_encode()
    return pa.DictionaryArray.from_arrays(ids.indices.take(cells.indices), ids.dictionary)


def cleaned(cells: pa.Array) -> pa.Array:
    """Return texts without their outer blanks, and null for what is no id."""
    if parquet.is_text(cells.type):
        texts = pc.utf8_trim_whitespace(as_text(cells))
        return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
    if pa.types.is_floating(cells.type):
        numbers = pc.add(cells.cast(pa.float64()), 0.0)  # -0 is 0
        return pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
    return cells
