"""A page of Release is given no truth: mypy refuses what asks for it, and it is nowhere in what the page is given."""

import ast
import inspect
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpq_core.arrays import Floats
from dpq_core.groups.cells import ANY_NAME
from dpq_core.groups.names import GroupColumn
from dpq_core.ledger.accounts import Ledger
from dpq_core.people.ids import People
from dpq_core.question import Persons
from dpq_core.results.data_set import PrivateData, PublicData
from dpq_core.results.sealed import SealedColumn
from dpq_core.sources.databases import Database
from dpq_core.sources.reading import AS_WRITTEN, Opening
from dpq_core.studies.streams import Given
from pages.compare.study import Subject
from pages.files.content import KeptFile, OwnColumn, OwnTable, ReadRequest
from pages.form.data import data_of
from pages.room.rooms import Student
from pages.server.runs import OpenPage
from tests.documents import ROOT, modules
from tests.results.test_outcomes import private

CANARY = 86753.0625
"""A value of the column, which has 7919 of them."""
COLUMN = np.append(np.arange(7918.0) / 3, CANARY)
SIGNS = ("86753.0625", np.float64(CANARY).tobytes().decode("latin-1"), "7919", "7,919")


def brought() -> PrivateData:
    return replace(private(), column=SealedColumn(COLUMN, COLUMN.tobytes()))


HIDDEN = {
    PublicData: "values people groups", PrivateData: "column", OwnColumn: "column", KeptFile: "content",
    Given: "values", ReadRequest: "pasted", Subject: "given", Database: "url", Ledger: "engine key watch own",
    Student: "browser address pages", OpenPage: "session context",
}  # fmt: skip
"""What no text of an object shows, as in a message or a log: data, keys, and who somebody is."""


@pytest.mark.parametrize("kind", HIDDEN)
def test_no_text_of_an_object_shows_what_it_hides(kind: type[Any]) -> None:
    assert " ".join(each.name for each in fields(kind) if not each.repr) == HIDDEN[kind]


# ── at run time ──────────────────────────────────────────────────────────────────────────────────────────────────────


def parts(thing: Any, seen: dict[int, Any]) -> Iterator[Any]:
    """Everything that an object leads to by attributes, slots, properties, functions without arguments, and items."""
    if id(thing) in seen or isinstance(thing, type):
        return
    seen[id(thing)] = thing
    yield thing
    if isinstance(thing, str | bytes | int | float | complex | np.ndarray | None):
        return
    held = [*thing.items()] if isinstance(thing, dict) else list(thing) if isinstance(thing, tuple | list | set) else []
    for name in dir(thing) if "dpq_core" in type(thing).__module__ or __name__ == type(thing).__module__ else ():
        if name == "__dict__" or not name.startswith("__"):
            value = getattr(thing, name)
            held.append(value() if callable(value) and _asks_for_nothing(value) else value)
    for part in held:
        yield from parts(part, seen)


def _asks_for_nothing(function: Any) -> bool:
    asked = inspect.signature(function).parameters.values()
    return all(one.default is not one.empty or one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in asked)


def revealed(thing: Any) -> set[str]:
    """What tells a value of the column or how many there are, in the parts of an object, their texts and its pickle."""
    found = set()
    for part in parts(thing, {}):
        if isinstance(part, np.ndarray):
            found.add("array")
        text = part.decode("latin-1") if isinstance(part, bytes) else repr(part)
        found |= {"text" for sign in SIGNS if sign in text}
    stored = pickle.dumps(thing)
    return found | {"pickle" for sign in SIGNS if sign.encode("latin-1") in stored}


def test_nothing_of_a_private_column_is_in_what_a_page_is_given() -> None:
    plain = OwnColumn("age", "number", "", SealedColumn(COLUMN, COLUMN.tobytes()), "age", "as numbers", AS_WRITTEN)
    own = OwnTable("own.csv", Opening(), (plain,), (), ("age",))
    assert revealed(own) == set()
    of_people = replace(plain, column=SealedColumn(COLUMN, b"", People.of(COLUMN)))
    regions = GroupColumn(np.zeros(COLUMN.size, np.int32), (SIGNS[0],))
    in_groups = replace(plain, column=SealedColumn(COLUMN, b"", None, [regions]))
    by_region = replace(own, columns=(in_groups,), by=(("region", ANY_NAME),))
    assert revealed(by_region) == set()
    assert revealed(data_of(by_region, in_groups, declared_public=False)) == set()
    choice = Persons(per_person="mean", column="id")
    of_ids = replace(own, columns=(of_people,), person="id")
    assert revealed(of_ids) == set()
    assert revealed(data_of(of_ids, of_people, choice, declared_public=False)) == set()
    assert revealed(data_of(own, plain, declared_public=False)) == set()
    assert revealed(data_of(own, plain, declared_public=True)) == {"array", "text", "pickle"}
    assert revealed(brought()) == set()
    assert revealed(replace(brought(), public_count=7919)) == {"text"}, "which a release has made public"


@dataclass(frozen=True, kw_only=True, eq=False)
class WithValues(PrivateData):
    values: Floats = field(repr=False)


class WithCount(PrivateData):
    @property
    def n(self) -> int:
        return int(COLUMN.size)


class WithMethod(PrivateData):
    def least(self) -> float:
        return CANARY


class Talkative(SealedColumn):
    def __repr__(self) -> str:
        return f"a column of {COLUMN.size}"


class Open(SealedColumn):
    __slots__ = ("first",)

    def __init__(self, values: Floats, digest: bytes) -> None:
        super().__init__(values, digest)
        self.first = float(values[-1])


@pytest.mark.parametrize("widened", [
    lambda facts: WithValues(**facts, values=COLUMN), lambda facts: WithCount(**facts),
    lambda facts: WithMethod(**facts), lambda facts: PrivateData(**facts | {"column": Talkative(COLUMN, b"")}),
    lambda facts: PrivateData(**facts | {"column": Open(COLUMN, b"")}),
], ids=["a field", "a property", "a method", "a repr", "a slot"])  # fmt: skip
def test_whatever_is_added_to_it_is_found(widened: Any) -> None:
    assert revealed(widened(vars(brought())))


def test_the_column_goes_when_nobody_holds_it() -> None:
    from dpq_core.results.sealed import _CONTENTS

    column = SealedColumn(COLUMN, b"")
    held = len(_CONTENTS)
    del column
    assert len(_CONTENTS) == held - 1


# ── by mypy ──────────────────────────────────────────────────────────────────────────────────────────────────────────

HEAD = """
from dpq_core import Domain, Column
from dpq_core.plan import Plan
from dpq_core.results.data_set import DataSet, PrivateData, PublicData
from dpq_core.results.simulated import simulate_column
from dpq_core.results.chosen import Chosen
from dpq_core.results.trace import explain_once
from pages.form.form import Form
from pages.shell import state
from pages.shell.state import report_of

def page(
    data: {kind}, form: Form, sample: Column, domain: Domain, plan: Plan,
    asked: Chosen,
) -> None:
"""
TRUTH = (
    "data.values", "data.values.size", "number: int = data.public_count", "state.column_of(data, domain)",
    "report_of(data, domain)", "simulate_column(data, sample, asked, 1)",
    "explain_once(data, sample, plan, 1)",
)  # fmt: skip
"""What a page of Explore does, and a page of Release cannot, nor a function for both."""
NEVER = (
    "data.n", "data.digest", "len(data)", "data.column.values", "data.column.n", "min(data.column)", "len(data.column)",
    "data.column[0]", "form.data and form.data.values", "form.column and form.column.values",
    "form.table and form.table.column.values",
)  # fmt: skip
"""What no page does, unless it looks first whether the data are public."""
KINDS = ("PublicData", "PrivateData", "DataSet")


@pytest.mark.slow
def test_mypy_refuses_a_page_of_release_that_asks_for_the_truth(tmp_path: Path) -> None:
    """The same lines in three functions, for public data, for private data and for both: each refusal is looked for.

    Of all that these functions import only the names are read, and of other packages nothing: whatever comes from
    there could be anything, which allows more, not less.
    """
    first = HEAD.count("\n") + 1
    for kind in KINDS:
        lines = [f"    {line}" for line in (*TRUTH, *NEVER)]
        (tmp_path / f"page_{kind}.py").write_text(HEAD.format(kind=kind) + "\n".join(lines) + "\n")
    files = [str(tmp_path / f"page_{kind}.py") for kind in KINDS]
    quickly = ["--follow-imports=silent", "--no-site-packages", f"--cache-dir={os.devnull}"]
    command = [sys.executable, "-m", "mypy", "--hide-error-context", *quickly, *files]
    environment = {**os.environ, "MYPYPATH": str(tmp_path)}
    said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False).stdout
    for kind in KINDS:
        refused = {int(number) - first for number in re.findall(rf"page_{kind}\.py:(\d+): error:", said)}
        allowed = [line for at, line in enumerate((*TRUTH, *NEVER)) if at not in refused]
        assert allowed == (list(TRUTH) if kind == "PublicData" else []), (kind, said)


# ── who reads it ─────────────────────────────────────────────────────────────────────────────────────────────────────

READERS = {
    "_CONTENTS": {
        "results.sealed", "results.sealed.__init__",
        "results.sealed.fingerprint_of", "results.sealed.values_to_explore", "results.sealed.columns_to_release",
    },
    "columns_to_release": {"results.released.release_asked"},
    "fingerprint_of": {"pages.payment.account.compare_files", "results.released.release_asked"},
    "values_to_explore": {"pages.form.data.data_of"}, "SealedColumn": {"pages.files.content.own_table"},
    "PublicSource": {
        "pages.stream.sources._made_up", "pages.stream.sources._column", "pages.stream.sources._on_the_server",
    },
    "PublicData": {"pages.form.data.example_data", "pages.form.data.data_of"},
    "PrivateData": {"pages.form.data.data_of"},
    "may_explore": {"pages.form.data.data_of", "pages.stream.sources.public_folder"},
}  # fmt: skip
"""What opens a column, or decides whether it may be opened: the functions that name it; those that call a class."""


@cache
def named() -> dict[str, set[str]]:
    """By each name the functions of the application that it stands in, imports and what only tells a type left out."""
    found: dict[str, set[str]] = {}
    for module, path in modules().items():
        text = path.read_text()
        tree = ast.parse(text if any(name in text for name in READERS) else "")
        for scope, node in scoped(tree, module.removeprefix("dpq_core.")):
            called = isinstance(node, ast.Call)
            name = node.func if isinstance(node, ast.Call) else node
            last = name.attr if isinstance(name, ast.Attribute) else name.id if isinstance(name, ast.Name) else ""
            if called or last[:1].islower() or last.startswith("_"):
                found.setdefault(last, set()).add(scope)
    return found


def scoped(tree: ast.AST, scope: str) -> Iterator[tuple[str, ast.AST]]:
    """Every node with the module and the innermost function that it stands in."""
    for node in ast.iter_child_nodes(tree):
        yield scope, node
        yield from scoped(node, f"{scope}.{node.name}" if isinstance(node, ast.FunctionDef) else scope)


@pytest.mark.parametrize("name", READERS)
def test_a_private_column_is_opened_where_it_is_said_and_nowhere_else(name: str) -> None:
    assert named()[name] == READERS[name]


def test_no_cast_makes_data_public() -> None:
    casts = [found for path in modules().values() for found in re.findall(r"\bcast\(([^)]*)", path.read_text())]
    assert len(casts) > 4
    assert [cast for cast in casts if re.search("Public(Data|Source)", cast)] == []
