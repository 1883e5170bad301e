"""The column of a file that says whose row each is: read into People, which holds no id.

Ids that are texts are compared as `texts.name_in_file` has them, other cells of Parquet by their own type. A word for a
missing value is a missing id in every format, and its row belongs to nobody.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..people.ids import People
from ..texts import name_in_file
from ..values import refuse_rounded
from .column import Progress, check_rows, only_clear_errors
from .files import Layout, Source, find_layout, opener
from .formats.known import format_of_layout
from .formats.reader import RawCells
from .found import Opener, is_text
from .header import find_column
from .numbers import MISSING, NOTHING, as_text, without

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
ODD_NAME = r"^$|^\s|\s$|\s\s|[\x00-\x1f]|^-?\d+\.0+$|^(?i:true|false)$|^\d{4}-\d\d-\d\d[T ]"
"""Names of ASCII that `name_in_file` may change."""
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
    name = find_column(column, layout.names)[1]
    codes = []
    rows = 0
    for cells in cells_of(open_file, column, layout, progress).batches:
        rows += len(cells)
        check_rows(rows)
        codes.append(_encoded(cells))
    if not codes:
        return People.of([]).of_column(name)
    whole = pa.chunked_array(codes).unify_dictionaries()
    numbers = [chunk.indices.cast(pa.float64()).to_numpy(zero_copy_only=False) for chunk in whole.chunks]
    return People.of(np.concatenate(numbers)).of_column(name)  # NaN where an id is missing


def likely_person(names: Sequence[str]) -> str:
    """Return the column that holds persons by its name, "" where none does: `patient` before `id`, never `order_id`."""
    words = {name: {word.lower() for word in _WORDS.findall(name)} for name in names}
    persons = (name for name in names if words[name] & PERSONS)
    ids = (name for name in names if "id" in words[name] and not words[name] & ROWS)
    return next(persons, next(ids, ""))


def cells_of(
    open_file: Opener, column: str, layout: Layout, progress: Progress | None, *, labelled: bool = False
) -> RawCells:
    """Return the cells of a column as the file holds them; `labelled` as in `Reader.raw_cells`."""
    index, _ = find_column(column, layout.names)
    reader = format_of_layout(layout).reader()
    found: RawCells = reader.raw_cells(open_file, layout, index, progress, labelled=labelled)
    return found


def _encoded(cells: pa.Array) -> pa.DictionaryArray:
    """Return ids as numbers and the ids of these numbers, null where one is missing."""
    held = cells.dictionary if pa.types.is_dictionary(cells.type) else cells
    ids = cleaned(held)
    if is_text(ids.type):
        ids = without(ids, [*MISSING, *NOTHING])
    ids = ids.dictionary_encode()
    return ids if held is cells else pa.DictionaryArray.from_arrays(ids.indices.take(cells.indices), ids.dictionary)


def cleaned(cells: pa.Array) -> pa.Array:
    """Return texts as `texts.name_in_file` has them, other cells as they are, and null for what is no id."""
    if is_text(cells.type):
        return _named(as_text(cells))
    if pa.types.is_floating(cells.type):
        refuse_rounded(cells.to_numpy(zero_copy_only=False))
        numbers = pc.add(cells.cast(pa.float64()), 0.0)  # -0 is 0
        return pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
    return cells.cast(pa.string()) if pa.types.is_null(cells.type) else cells


def _named(texts: pa.Array) -> pa.Array:
    """Return `name_in_file` of each text; most are called as they are, which is quicker to see for all at once."""
    odd = pc.or_(pc.invert(pc.string_is_ascii(texts)), pc.match_substring_regex(texts, ODD_NAME)).fill_null(False)
    names = [name_in_file(text) for text in texts.filter(odd).to_pylist()]
    return pc.replace_with_mask(texts, odd, pa.array(names, pa.string()))
