"""The folder of samples: small files of all kinds, and beside each a JSON file of what is read of it, or refused.

A sample is a file, or the bytes that `made.py` makes where a file would be opaque. Its JSON is a list: what somebody
says of the file, and what is read then. With APPROVE=1 the test writes it anew. What is said is written by hand, and so
are words that a refusal must have where its class and its place do not tell it from others (`says`), and what is known
to be `wrong`, and is to change.
"""

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpq_core.errors import DataError, ParameterError
from dpq_core.sources import parquet
from dpq_core.sources.column import NumberColumn
from dpq_core.sources.files import Layout, Source, find_layout, read_column, read_groups, read_people
from dpq_core.sources.formats.known import FORMATS
from dpq_core.sources.forms import as_dict
from dpq_core.sources.reading import AS_WRITTEN, Reading
from dpq_core.sources.survey import variables
from dpq_core.sources.text import delimited
from tests.approved import written
from tests.sources.made import MADE
from tests.sources.refusals import ROW

FOLDER = Path(__file__).parent / "samples"
FILES = {path.stem: path for path in FOLDER.iterdir() if path.suffix != ".json"}
NAMES = sorted({*FILES, *MADE})
CANARY = "zq7canary"
"""A cell that no refusal may quote."""
SHOWN = 30
"""Rows of a column in the JSON; of more, their number and the first ones."""

Said = dict[str, Any]


def content_of(name: str) -> bytes:
    """Return the bytes of a sample."""
    return FILES[name].read_bytes() if name in FILES else MADE[name]()


def approved(name: str) -> list[dict[str, Any]]:
    """Return what is known of a sample: for each thing that is said of it, what is read or refused."""
    path = FOLDER / f"{name}.json"
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else [{}]
    return found


def with_words(found: Any, known: Any) -> Any:
    """Return what was found with the words that are known of each sentence in its place, if it has them."""
    if isinstance(found, list):
        known = known if isinstance(known, list) else []
        return [with_words(each, known[at] if at < len(known) else None) for at, each in enumerate(found)]
    if not isinstance(found, dict):
        return found
    known = known if isinstance(known, dict) else {}
    words = {name: with_words(each, known.get(name)) for name, each in found.items() if name != "says"}
    return words | ({"says": known["says"]} if known.get("says", "\0") in found.get("says", "") else {})


def approve(name: str, found: list[dict[str, Any]]) -> None:
    """Write down what was found of a sample."""
    (FOLDER / f"{name}.json").write_text(written(found, 1) + "\n", encoding="utf-8")


def read(source: Source, said: Said) -> dict[str, Any]:
    """Return the layout of a file and what each of its columns is read as, or its refusal."""
    try:
        layout = find_layout(source, **of_layout(said))
    except (DataError, ParameterError) as error:
        return {"refused": refusal(error)}
    with known_layout():
        readings, columns = readings_of(said), dict[str, Any]()
        for name in layout.names:
            reading = readings.get(name, AS_WRITTEN)
            columns[name] = outcome(partial(read_column, source, name, layout=layout, reading=reading), name)
            if not said.get("values_only"):
                columns[name] |= persons_and_groups(source, name, layout)
    return {"layout": as_layout(layout), "columns": columns}


def of_layout(said: Said) -> Said:
    """Return what somebody says of a file and not of its columns; `values_only` leaves ids and groups out."""
    return {name: value for name, value in said.items() if name not in ("readings", "values_only")}


def readings_of(said: Said) -> dict[str, Reading]:
    """Return how somebody says that columns are written."""
    return {name: Reading(**each) for name, each in said.get("readings", {}).items()}


@contextmanager
def known_layout() -> Iterator[None]:
    """Let nobody look for the layout of a file again."""

    def never(*_: object) -> None:
        raise AssertionError("the layout is known")

    with pytest.MonkeyPatch.context() as patch:
        for each in FORMATS:
            patch.setattr(each.table(), "find_layout", never)
        yield


def as_layout(layout: Layout) -> dict[str, Any]:
    """Return a layout without what is usual, and without what somebody said."""
    usual = {each.name: each.default for each in fields(layout)} | {"encoding": "utf-8", "skip": 0, "first_row": 2}
    told = {name: value for name, value in asdict(layout).items() if name not in ("module", "said")}
    found = {name: value for name, value in told.items() if value != usual[name]}
    return {"format": layout.module, **json.loads(json.dumps(found))}


def outcome(read_it: Callable[[], NumberColumn | ValueError], name: str) -> dict[str, Any]:
    """Return what a column holds and means, or how it is refused."""
    try:
        column = read_it()
    except (DataError, ParameterError) as error:
        return {"refused": refusal(error)}
    if isinstance(column, ValueError):
        return {"refused": refusal(column)}
    assert not column.values.flags.writeable
    assert column.missing == np.count_nonzero(~np.isfinite(column.values))
    told = {each: getattr(column, each) for each in ("kind", "unit", "missing", "encoding", "name")}
    told |= {"notes": list(column.notes)}
    return {
        "values": shortened([number(each) for each in column.values.tolist()]),
        **{each: value for each, value in told.items() if value and value not in ("number", name)},
        **({"reading": reading} if (reading := as_dict(column.reading)) else {}),
    }


def persons_and_groups(source: Source, name: str, layout: Layout) -> dict[str, Any]:
    """Return the person behind each row, numbered as they come; the name of its group; or how either is refused."""
    found, known = dict[str, Any](), {-1: -1}
    try:
        codes = read_people(source, name, layout=layout).codes.tolist()
        found["persons"] = shortened([known.setdefault(code, len(known) - 1) for code in codes])
    except (DataError, ParameterError) as error:
        found["persons"] = {"refused": refusal(error)}
    try:
        groups = read_groups(source, name, layout=layout)
        found["groups"] = shortened([[*groups.found, None][code] for code in groups.codes.tolist()])
    except (DataError, ParameterError) as error:
        found["groups"] = {"refused": refusal(error)}
    return found


def refusal(error: ValueError) -> dict[str, Any]:
    """Return the class of a refusal, its place and its parameters, and its sentence, in which is no cell and no row."""
    assert CANARY not in str(error)
    assert error.__cause__ is error.__context__ is None
    if isinstance(error, ParameterError):
        return {"setting": error.name, "says": str(error)}
    assert isinstance(error, DataError)
    assert error.discloses is not None
    assert not ROW.search(str(error)) or "more than" in str(error)
    ways = [[way.name, way.value] for way in error.remedies]
    told = {"discloses": error.discloses.name, "row": error.row, "byte": error.byte, "ways": ways, "says": str(error)}
    return {name: value for name, value in told.items() if value}


def number(value: float) -> float | int | str | None:
    """Return a value as JSON has it: missing ones as null, infinite ones as text."""
    if math.isnan(value):
        return None
    return str(value) if math.isinf(value) else int(value) if value == int(value) and abs(value) < 2**53 else value


def shortened(rows: list[Any]) -> Any:
    """Return all rows of a short column, and of a long one what tells it from others."""
    if len(rows) <= SHOWN:
        return rows
    return {"rows": len(rows), "different": len(set(rows)), "missing": rows.count(None), "first": rows[:9]}


@contextmanager
def blocks(content: bytes) -> Iterator[None]:
    """Read files in blocks as small as their rows allow."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "BLOCK", 2 * max(map(len, content.splitlines()), default=0) + 16)
        patch.setattr(parquet, "BATCH", 2)
        patch.setattr(variables, "ROWS_AT_ONCE", 2)
        yield
