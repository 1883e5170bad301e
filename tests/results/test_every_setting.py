"""Every field of a question, changed alone, is refused with the same release id; words are not.

The fields are those of the code: a new one without a row here fails.
"""

from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpq_core import Adjacency, Domain, Intervals, People, Plan, PureDP
from dpq_core.grouping import Grouping
from dpq_core.groups.names import GroupColumn
from dpq_core.ledger.accounts import Account
from dpq_core.question import Asked, Persons, Question
from dpq_core.release import ColumnWords
from dpq_core.results.chosen import Chosen, TableReading
from dpq_core.results.data_set import PrivateData
from dpq_core.results.released import release_asked
from dpq_core.results.sealed import SealedColumn
from dpq_core.sources.reading import Opening, Reading
from tests.ledger.alone import opened, tried

COUNT = 60
VALUES = np.arange(float(COUNT))
REGIONS = GroupColumn(np.arange(COUNT, dtype=np.int32) % 2, ("n", "s"))
DOMAIN, PLAN = Domain(0, 100, 1), Plan("median", "indexp", PureDP(0.25))
PERSONS = Persons(per_person="min", column="id", max_groups=1)
GROUPS = Grouping(by=("region",), names=("n", "s"))


def sealed(digest: bytes = b"its digest") -> SealedColumn:
    return SealedColumn(VALUES, digest, People.of(np.arange(COUNT) // 2), [REGIONS])


DATA = PrivateData(
    identity="upload:1", name="age", kind="number", unit="years", one="person", many="people", about="a.csv", source="",
    is_example=False, reading=TableReading(file="a.csv"), column=sealed(), person=replace(PERSONS, max_groups=None),
    one_person="patient",
)  # fmt: skip
ONE = Asked(possible=DOMAIN, levels=PLAN.quantiles, mechanism="indexp")
QUESTION = Question(
    columns={"age": ONE, "pay": ONE}, budget=PLAN.privacy, groups=GROUPS, persons=PERSONS, file=Opening(), one="patient"
)
OF_COLUMN: dict[str, Any] = {
    "possible": Domain(0, 100, 2), "levels": (Fraction(1, 4),), "mechanism": "aq", "options": {"n_max": 9},
    "intervals": Intervals(0.9), "missing": Fraction(1), "weight": Fraction(2), "synthetic": 5, "held": "gk",
    "sketch": {"alpha": 0.1}, "reading": Reading(decimal=","),
}  # fmt: skip
OF_QUESTION: dict[str, Any] = {
    "columns": {"age": ONE}, "budget": PureDP(0.125), "adjacency": Adjacency.REPLACE_ONE,
    "groups": replace(GROUPS, other="rest"), "persons": replace(PERSONS, max_groups=2),
    "file": Opening(encoding="cp1251"),
}  # fmt: skip
OF_GROUPS: dict[str, Any] = {"by": ("place",), "names": ("s", "n"), "other": "rest"}
OF_PERSONS: dict[str, Any] = {
    "column": "other id", "per_person": "max", "max_rows": 2, "max_groups": 2, "missing_is_person": True,
}  # fmt: skip
SAID: dict[str, Any] = {
    "about_n": 9,  # "best" is chosen for it, and stays "best"
    "words": ColumnWords(unit="€"),
    "one": "household",
}
OF_INTERVALS = {"noisy_count"}
"""What goes with intervals alone."""


def names(kind: Any) -> set[str]:
    return {each.name for each in fields(kind)}


def test_every_field_has_a_row() -> None:
    everywhere = {*OF_COLUMN, *OF_QUESTION, *SAID, *OF_INTERVALS}
    assert everywhere == names(Asked) | names(Question)
    assert OF_GROUPS.keys() == names(Grouping)
    assert OF_PERSONS.keys() == names(Persons)


def release(account: Account, question: Question, digest: bytes = b"its digest") -> None:
    table = [replace(DATA, name=name, column=sealed(digest)) for name in question.columns]
    plain = {name: replace(each, options={}) for name, each in question.columns.items()}
    chosen = Chosen(question=question, plan=replace(question, columns=plain).plan)
    release_asked(table, chosen, TableReading(), account, "one", "", "upload:1", "")


def changed(field: str) -> Question:
    """Return the question with another value of one field: in a column, of the groups, of the persons, or of all."""
    if field in names(Asked):
        value = {**OF_COLUMN, **SAID}[field]
        about: dict[str, Any] = {"about_n": 30} if field == "intervals" else {}
        columns = {name: replace(each, **{field: value}, **about) for name, each in QUESTION.columns.items()}
        if field == "weight":
            columns["pay"] = ONE
        return replace(QUESTION, columns=columns)
    if field in OF_GROUPS:
        return replace(QUESTION, groups=replace(GROUPS, **{field: OF_GROUPS[field]}))
    if field in OF_PERSONS:
        other = {"per_person": None} if field == "max_rows" else {}
        return replace(QUESTION, persons=replace(PERSONS, **{field: OF_PERSONS[field]} | other))
    return replace(QUESTION, **{field: {**OF_QUESTION, **SAID}[field]})


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("field", [*OF_COLUMN, *OF_QUESTION, *OF_GROUPS, *OF_PERSONS, *SAID])
def test_a_field_of_a_question_that_changes_alone(tmp_path: Path, field: str) -> None:
    account = opened(tmp_path)
    tried(
        lambda: release(account, QUESTION), lambda: release(account, changed(field)), account, refused=field not in SAID
    )


def test_the_file_of_a_question_belongs_to_its_id(tmp_path: Path) -> None:
    account = opened(tmp_path)
    tried(lambda: release(account, QUESTION), lambda: release(account, QUESTION, b"another"), account, refused=True)


def test_a_question_about_a_file_says_how_it_is_read() -> None:
    said = {"header": False, "encoding": "cp1251", "sheet": "2", "columns": {"age": {"missing_codes": [-9.0]}}}
    asked = TableReading(file="a.csv", said=said).asked(QUESTION)
    assert asked.file == Opening(header=False, encoding="cp1251", sheet="2")
    assert asked.columns["age"].reading == Reading(missing_codes=(-9.0,))
    assert Question.from_json(asked.to_json()) == asked
