"""Every field of what a page asks, changed alone, is refused with the same release id; words are not.

The fields are those of the code: a new one without a row here fails.
"""

from __future__ import annotations

from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpq_core import Domain, FindBounds, People, Plan, PureDP
from dpq_core.calibrations import calibrations_of
from dpq_core.draw import synthetic_plan
from dpq_core.groups.names import GroupColumn
from dpq_core.ledger.accounts import Account
from dpq_core.progress import unheard
from dpq_core.results.data_set import PrivateData
from dpq_core.results.groups.choice import GroupChoice
from dpq_core.results.groups.sizes import GroupSizes
from dpq_core.results.persons import PersonChoice, unit_for
from dpq_core.results.released import release_asked
from dpq_core.results.sealed import SealedColumn
from dpq_core.results.synthetic import release_column
from dpq_core.results.tables.kinds import TableReading, TableRequest
from dpq_core.sources.reading import Reading
from tests.ledger.alone import opened, tried

COUNT = 60
VALUES = np.arange(float(COUNT))
REGIONS = [GroupColumn(np.arange(COUNT, dtype=np.int32) % 2, ("n", "s")) for _ in range(2)]
DOMAIN, PLAN = Domain(0, 100, 1), Plan("median", "indexp", PureDP(0.25))
CHOICE = PersonChoice("id", "patient", take="min")
IN_GROUPS = GroupChoice("region", ("n", "s"))


def sealed(digest: bytes = b"its digest") -> SealedColumn:
    return SealedColumn(VALUES, digest, People.of(np.arange(COUNT) // 2), REGIONS[:1])


DATA = PrivateData(
    identity="upload:1", name="age", kind="number", unit="years", one="person", many="people", about="a.csv", source="",
    is_example=False, reading=TableReading(said={}), column=sealed(), person=CHOICE,
)  # fmt: skip


def ask(account: Account, data: PrivateData = DATA, groups: GroupChoice | None = None, size: int | None = None) -> None:
    """Release as a page does: one column, its groups, or a synthetic column."""
    if size is not None:
        calibrations = calibrations_of(synthetic_plan(PLAN, size), unit=unit_for(data.person, PLAN))
        release_column(data, DOMAIN, calibrations, account, "one")
        return
    request = TableRequest(
        plans={data.name: PLAN}, bounds={data.name: DOMAIN}, weights={data.name: Fraction(1)}, about_n=0,
        missing={data.name: data.missing}, person=data.person, groups=groups,
    )  # fmt: skip
    release_asked([data], request, data.reading, account, "one", "", data.identity, data.about, of_table=False)


REFUSED: dict[str, Any] = {
    "name": "pay",
    "missing": Fraction(1),
    "person": replace(CHOICE, column="other id"),
    "reading": TableReading(said={"columns": {"age": {"decimal": ","}}}),
    "column": sealed(b"of another file"),
}
WORDS: dict[str, Any] = {
    "identity": "upload:2",
    "kind": "money",
    "unit": "months",
    "one": "patient",
    "many": "patients",
    "about": "b.csv",
    "source": "somebody",
    "is_example": True,
    "group": "region",
    "group_holds": "numbers",
    "more_groups": (("sex", ""),),
    "said": {"age": Reading(decimal=",")},  # `reading` has it
    "public_count": COUNT,
}
OF_PERSON: dict[str, Any] = {"column": "other id", "take": "max", "most_rows": 2}
OF_GROUPS: dict[str, Any] = {"column": "place", "names": ("s", "n"), "other": "rest", "groups_per_person": 2}
REQUEST = TableRequest(
    plans={"age": PLAN, "pay": PLAN}, bounds={"age": DOMAIN, "pay": DOMAIN},
    weights={"age": Fraction(1), "pay": Fraction(1)}, about_n=50, person=CHOICE, groups=IN_GROUPS,
)  # fmt: skip
BEST = {name: replace(PLAN, mechanism="best") for name in ("age", "pay")}
OF_TABLE: dict[str, Any] = {
    "plans": dict.fromkeys(["age", "pay"], replace(PLAN, mechanism="aq")),
    "bounds": {"age": DOMAIN, "pay": FindBounds()},
    "weights": {"age": Fraction(1), "pay": Fraction(2)},
    "missing": {"age": Fraction(1)},
    "person": replace(CHOICE, column="other id"),
    "groups": replace(IN_GROUPS, column="place"),
    "asked": replace(REQUEST, plans=BEST),
}
WORDS_OF_TABLE: dict[str, Any] = {
    "about_n": 60,  # "best" is chosen for it, and stays "best"
    "sizes": GroupSizes(usual=9),
    "chances": {"age": (0.1,)},
}
OF_READING: dict[str, Any] = {
    "imports": ("import x",),
    "columns": (("age", "other"),),
    "people": "read_people('a.csv', 'id', sheet='2')",
    "file": "b.csv",
    "opened": "frame = y",
    "said": {"encoding": "cp1251"},
}
"""How it is read again follows from what was said, and from the file."""


def names(kind: Any) -> set[str]:
    return {each.name for each in fields(kind)}


def test_every_field_has_a_row() -> None:
    assert REFUSED.keys() | WORDS.keys() == names(PrivateData)
    assert {*OF_PERSON, "one"} == names(PersonChoice)
    assert {*OF_GROUPS, "more"} == names(GroupChoice)
    assert OF_TABLE.keys() | WORDS_OF_TABLE.keys() == names(TableRequest)
    assert OF_READING.keys() == names(TableReading)


@pytest.mark.parametrize("field", [*REFUSED, *WORDS])
def test_a_field_of_a_column_that_changes_alone(tmp_path: Path, field: str) -> None:
    account, other = opened(tmp_path, of_people=True), replace(DATA, **{field: {**REFUSED, **WORDS}[field]})
    tried(lambda: ask(account), lambda: ask(account, other), account, refused=field in REFUSED)


@pytest.mark.parametrize("field", [*OF_PERSON, "one"])
@pytest.mark.parametrize("groups", [None, IN_GROUPS])
def test_a_field_of_the_choice_of_persons_that_changes_alone(
    tmp_path: Path, field: str, groups: GroupChoice | None
) -> None:
    account, value = opened(tmp_path, of_people=True), {**OF_PERSON, "one": "person"}[field]
    other = replace(DATA, person=replace(CHOICE, **{field: value} | ({"take": None} if field == "most_rows" else {})))
    tried(lambda: ask(account, groups=groups), lambda: ask(account, other, groups), account, refused=field != "one")


@pytest.mark.parametrize("field", OF_GROUPS)
def test_a_field_of_the_choice_of_groups_that_changes_alone(tmp_path: Path, field: str) -> None:
    account, other = opened(tmp_path, of_people=True), replace(IN_GROUPS, **{field: OF_GROUPS[field]})
    tried(lambda: ask(account, groups=IN_GROUPS), lambda: ask(account, groups=other), account, refused=True)


def test_a_synthetic_column_is_read_as_others_are(tmp_path: Path) -> None:
    account, other = opened(tmp_path, of_people=True), replace(DATA, reading=TableReading(said={"sheet": "2"}))
    tried(lambda: ask(account, size=5), lambda: ask(account, other, size=5), account, refused=True)


@pytest.mark.parametrize("field", [*OF_TABLE, *WORDS_OF_TABLE, *OF_READING])
def test_a_field_of_a_table_that_changes_alone(tmp_path: Path, field: str) -> None:
    account, read = opened(tmp_path, of_people=True), TableReading()
    table = [DATA, replace(DATA, name="pay", column=sealed())]

    def released(request: TableRequest = REQUEST, reading: TableReading = read) -> object:
        return release_asked(table, request, reading, account, "one", "", "upload:1", "", unheard)

    def second() -> object:
        if field in OF_READING:
            return released(reading=replace(read, **{field: OF_READING[field]}))
        return released(replace(REQUEST, **{field: {**OF_TABLE, **WORDS_OF_TABLE}[field]}))

    said = {*WORDS_OF_TABLE, *OF_READING} - {"said"}
    tried(released, second, account, refused=field not in said)
