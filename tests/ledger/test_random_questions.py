"""Random questions against an account: answered, refused before a charge, or refused after a count that is stored.

Never another error, and never a spent budget without an answer or a stored refusal.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest

import dpq_core as dpq
from dpq_core.ledger import verifying
from dpq_core.ledger.accounts import Account, Ledger
from dpq_core.ledger.charging import charged_release
from dpq_core.ledger.history.entries import standing
from dpq_core.people.takes import WAYS_PER_PERSON
from dpq_core.privacy.budgets import Privacy

QUESTIONS, TOGETHER = 300, 30
TOO_LONG = {239}
"""Its intervals are simulated for many minutes: FreeTotal, twelve levels of 60 records at ε = 0.0042."""
PARTS = [
    pytest.param(range(first, first + TOGETHER), id=f"{first} to {first + TOGETHER - 1}")
    for first in range(0, QUESTIONS, TOGETHER)
]


def asked_of(asked: Question, account: Account) -> object:
    """Return the answers, or the refusal; any other error is raised."""
    try:
        return asked.ask(account)
    except (dpq.ParameterError, dpq.DataError) as refused:
        return refused


def tried(asked: Question, ledger: Ledger, name: str) -> str:
    """Ask twice with one id, and return how it ended; fail where a spent budget has no answer and no refusal."""
    account = ledger.open_account(name, budget=asked.privacy, adjacency=asked.adjacency, one_row_is="person")
    found, entries = asked_of(asked, account), standing(account).entries
    assert not isinstance(found, dpq.BudgetError), "the account has what the question asks for"
    if not entries:
        assert isinstance(found, dpq.ParameterError | dpq.DataError)
        return "refused"
    again = asked_of(asked, account)
    assert standing(account).entries == entries, "it is paid once"
    if isinstance(found, Exception):
        assert isinstance(found, dpq.Infeasible), "of what only a count can refuse"
        assert isinstance(again, dpq.Infeasible)
        assert [entry.state for entry in entries] == ["infeasible"]
        assert (str(again), vars(again)) == (str(found), vars(found))
        return "refused after a count"
    assert [entry.state for entry in entries] == ["answered"]
    assert getattr(again, "values", None) == found.values  # type: ignore[attr-defined]
    return "answered"


@pytest.mark.slow
@pytest.mark.parametrize("numbers", PARTS)
def test_every_question_is_answered_or_refused_in_a_way_that_is_said(tmp_path: Path, numbers: range) -> None:
    ledger = Ledger.at(tmp_path / "ledger.sqlite", key="a key for the tests")
    ended = []
    for number in sorted({*numbers} - TOO_LONG):
        asked = question(number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                ended.append(tried(asked, ledger, f"question {number}"))
            except Exception as error:
                error.add_note(f"question {number}: {asked}")
                raise
    assert {each.problem for each in verifying.verify(ledger)} == {""}
    ledger.engine.dispose()
    assert {"answered", "refused"} <= set(ended)


# ── draw random questions about a small table ────────────────────────────────────────────────────────────────────────

COLUMNS = ("pay", "age", "days")
VALUES_OF_OPTIONS = (1, 2, 4, 20, 50.0, 0.05, 1000, "flat", True)
"""What options are set to, whether it fits them or not."""


@dataclass(frozen=True)
class Question:
    """The frame, and what is asked of it, as plain settings that a failing test prints."""

    frame: Mapping[str, list[Any]]
    table: Mapping[str, Any]
    plan: Mapping[str, Any]
    privacy: Privacy
    door: str
    weights: Mapping[str, int] | None

    @property
    def adjacency(self) -> dpq.Adjacency:
        """Return what one person can change."""
        return dpq.Adjacency.of_text(self.plan["adjacency"])

    def ask(self, account: Account) -> object:
        """Release by one of the doors, with the id "one". Raises what the door raises."""
        table, plan = dpq.Table.from_frame(self.frame, **self.table), dpq.Plan(**self.plan, privacy=self.privacy)
        paid: dict[str, Any] = {"account": account, "release_id": "one"}
        if self.door == "table":
            return dpq.release(table, plan, self.weights, **paid)
        column: Any = next(iter(table.columns.values()))
        if self.door == "column":
            return dpq.release(column, plan, **paid)
        return charged_release(column, size=1 + len(plan.quantiles), plan=plan, **paid)

    def __str__(self) -> str:
        sizes = {name: len(values) for name, values in self.frame.items()}
        return f"{self.door} of {sizes}: {self.table}, {self.privacy}, {self.plan}, weights {self.weights}"


def question(number: int) -> Question:
    """Return the question of a number."""
    rng = Random(f"question {number}")
    names = COLUMNS[: rng.choice([1, 1, 1, 2, 3])]
    table: dict[str, Any] = {"columns": {name: _bounds(rng) for name in names}}
    grouped = rng.random() < 0.5
    if grouped:
        table |= _groups(rng)
    if rng.random() < 0.5:
        table |= _persons(rng, grouped=grouped)
    if rng.random() < 0.5:
        table["missing"] = rng.choice([0, 7, {names[0]: 3}])
    adjacency = rng.choice(["joins", "replaced"])
    plan = {"quantiles": _levels(rng), "adjacency": adjacency} | _mechanism(rng) | _intervals(rng, table)
    weights = {name: rng.randint(1, 5) for name in names} if rng.random() < 0.2 else None
    doors = ["table", "table", "column"] + ["synthesis"] * (
        not grouped and isinstance(table["columns"][names[0]], dpq.Domain)
    )
    door = rng.choice(doors if weights is None else ["table"])
    found = isinstance(table.get("by"), dict) and isinstance(table["by"]["region"], dpq.FindGroups)
    return Question(_frame(rng), table, plan, _budget(rng, found=found), door, weights)


def _frame(rng: Random) -> dict[str, list[Any]]:
    count, missing = rng.choice([0, 1, 5, 60, 400]), rng.random() < 0.3

    def column(draw: Callable[[], Any]) -> list[Any]:
        return [None if missing and rng.random() < 0.1 else draw() for _ in range(count)]

    return {
        **{name: column(lambda: rng.choice([rng.randint(-5, 200), 7, 1e9])) for name in COLUMNS},
        "region": column(lambda: rng.choice(["north", "south", "east"])),
        "sex": column(lambda: rng.choice(["f", "m"])),
        "id": column(lambda: rng.randint(0, 1 + count // 2)),
    }


def _bounds(rng: Random) -> dpq.Domain | dpq.FindBounds:
    kinds: list[Callable[[], dpq.Domain | dpq.FindBounds]] = [
        lambda: dpq.Domain(0, 100, 1), lambda: dpq.Domain(0, 1, 1), lambda: dpq.Domain(-1000, 10**9, Fraction(1, 1000)),
        lambda: dpq.Domain(0, 100), lambda: dpq.Domain.significant(2), lambda: dpq.FindBounds(),
        lambda: dpq.FindBounds(step=1, negative=False),
        lambda: dpq.FindBounds(share=rng.choice(["0.001", "0.999"]), smallest=1, largest=1000),
    ]  # fmt: skip
    return rng.choice(kinds)()


def _groups(rng: Random) -> dict[str, Any]:
    regions, sexes = ["north", "south", "nowhere"], ["f", "m"]
    found = dpq.FindGroups(rng.choice(["0.001", "0.1", "0.999"]))
    return rng.choice(
        [
            {"by": {"region": regions}},
            {"by": {"region": regions}, "other": "rest"},
            {"by": {"region": regions, "sex": sexes}},
            {"by": ["region", "sex"], "groups": [("north", "f"), ("south", "m")]},
            {"by": {"region": found}},
            {"by": {"region": found, "sex": found}},
        ]
    )


def _persons(rng: Random, *, grouped: bool) -> dict[str, Any]:
    per_person = rng.choice([*WAYS_PER_PERSON, "weight", None])
    rule: dict[str, Any] = {"person": "id", "missing_is_person": rng.random() < 0.5}
    rule |= {"per_person": per_person} if per_person else {"max_rows_per_person": rng.choice([1, 3, 40])}
    if grouped and per_person != "weight":
        rule["max_groups_per_person"] = rng.choice([1, 2, 30] if per_person else [1, 2, "any"])
    return rule


def _levels(rng: Random) -> list[Fraction]:
    count = rng.choice([1, 1, 2, 3, 5, 9, 12, 20, rng.randint(1, 60)])
    if rng.random() < 0.5:
        return [Fraction(at, count + 1) for at in range(1, count + 1)]
    return [Fraction(rng.randint(0, 1000), 1000) for _ in range(count)]


def _mechanism(rng: Random) -> dict[str, Any]:
    key = rng.choice([*dpq.MECHANISMS, "best", "best", "aq", "freetotal", "unknown"])
    options = [option.name for option in dpq.MECHANISMS[key].OPTIONS] if key in dpq.MECHANISMS else []
    usual = {"normal": {"sigma": 20.0, "mean_bound": 100.0}, "gkexp": {"alpha": 0.01, "n_max": 1000}}.get(key, {})
    own = {name: rng.choice(VALUES_OF_OPTIONS) for name in options if rng.random() < 0.05}
    return {"mechanism": key, "options": {**usual, **own}}


def _intervals(rng: Random, table: Mapping[str, Any]) -> dict[str, Any]:
    about = rng.choice([None, 1, 300, 3000, "noisy", "noisy", "noisy"])
    if rng.random() < 0.5:
        return {"about_n": about if isinstance(about, int) and "by" not in table else None}
    chance = rng.choice([0.5, 0.9, 0.95, 0.999])
    ofs: list[Literal["data", "population"]] = ["data", "population"]
    of, together = rng.choice(ofs), rng.random() < 0.3
    asked = dpq.Intervals(chance, of, together, proved=of == "data" and rng.random() < 0.2)
    return {"intervals": asked, "about_n": about}


def _budget(rng: Random, *, found: bool) -> Privacy:
    drawn = 10 ** (rng.uniform(-12, 3) if rng.random() < 0.5 else rng.uniform(-2, 1))
    amount = max(float(f"{drawn:.3g}"), 1e-9)  # a smaller one is no budget
    delta = float(f"{10 ** rng.uniform(-12, -1):.3g}")
    kinds: list[Privacy] = [dpq.ApproxDP(amount, delta), dpq.ApproxDP(amount, delta)]
    if not found:
        kinds += dpq.PureDP(amount), dpq.ZCDP(amount)
    return rng.choice(kinds) if rng.random() < 0.9 else dpq.PureDP(amount)
