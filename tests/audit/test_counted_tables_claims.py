"""A table that is counted once for several columns: the law of its numbers and of the release, against the claim."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from importlib import import_module
from math import inf, log, nan
from typing import Any

import numpy as np
import pytest

from dpq_core import (
    ZCDP,
    Adjacency,
    ApproxDP,
    Domain,
    FindBounds,
    Intervals,
    Plan,
    PureDP,
    Sample,
    Table,
    release,
    simulate,
)
from dpq_core.audit.branching import Distribution, enumerate_law
from dpq_core.columns import ColumnsOfOne, calibrate_columns, columns_plan, draw_columns
from dpq_core.columns.counting import CountedOnce
from dpq_core.finding import CountedSteps
from dpq_core.intervals import NoisyCount
from dpq_core.noise import Entropy
from dpq_core.privacy import Privacy
from tests.every_run import kept
from tests.harness import loss_of_laws
from tests.narrowing import only, present

GRID = Domain(0, 2, 1)
MODULES = [import_module(name) for name in ("dpq_core.columns.release", "dpq_core.release")]
RATE = Fraction(3)
"""Of all numbers of a table for one record."""


def table(a: list[float], b: list[float], **rule: Any) -> ColumnsOfOne:
    found = Table.from_frame({"a": a, "b": b, **rule.pop("frame", {})}, {"a": GRID, "b": GRID}, **rule)
    return only(ColumnsOfOne, found.columns)


def exact(a: list[float], b: list[float]) -> ColumnsOfOne:
    """The same without bits that break ties, which nobody could follow."""
    columns = {name: Sample.from_values(own, GRID, jitter_bits=0) for name, own in (("a", a), ("b", b))}
    return ColumnsOfOne(columns, table(a, b).in_all)


def law_of_numbers(counted: ColumnsOfOne, columns: int = 2) -> Distribution:
    numbers = CountedOnce.of(("a", "b"), RATE, columns)
    return enumerate_law(
        lambda entropy: tuple(tuple(own[0].tolist()) for own in numbers.draw(counted, entropy).values()),
        Fraction(1, 10**6),
    )


def worst_of(first: Distribution, second: Distribution) -> float:
    common = [each for each in first.chances if second.at_least(each) > Fraction(1, 10**4)]
    assert len(common) > 20
    return max(abs(log(first.at_least(each) / second.at_least(each))) for each in common)


@pytest.mark.parametrize(
    ("joins", "times"), [((1.0, 1.0), 1), ((1.0, nan), 1), ((nan, 1.0), 1), ((nan, nan), 0), ((inf, 1.0), 1)], ids=str
)
def test_all_numbers_together_cost_one_number_whatever_values_a_record_has(joins, times):
    """Who has a value everywhere moves the number of all; who has not, those of what columns have besides."""
    before = table([0.0, nan], [1.0, 2.0])
    after = table([0.0, nan, joins[0]], [1.0, 2.0, joins[1]])
    assert worst_of(law_of_numbers(before), law_of_numbers(after)) == pytest.approx(times * float(RATE), rel=1e-2)


def test_a_person_without_a_value_in_a_column_that_is_not_counted_moves_both_others() -> None:
    """The number of all stays, and what each of two counted columns has besides changes: together the rate at most."""
    before, after = (
        Table.from_frame({"a": a, "b": a, "c": c}, dict.fromkeys("abc", GRID))
        for a, c in (([0.0, 1.0], [1.0, nan]), ([0.0, 1.0, 1.0], [1.0, nan, nan]))
    )
    plans = {"a": NOISY, "b": NOISY, "c": Plan(["1/2"], "aq", PureDP(1.0))}
    columns = only(ColumnsOfOne, before.columns)
    assert present(calibrate_columns(columns, columns_plan(columns, plans)).counting).besides == 2
    laws = [law_of_numbers(only(ColumnsOfOne, each.columns), columns=3) for each in (before, after)]
    assert worst_of(*laws) == pytest.approx(float(RATE), rel=1e-2)
    naive = [law_of_numbers(only(ColumnsOfOne, each.columns), columns=2) for each in (before, after)]
    assert worst_of(*naive) > 1.9 * float(RATE), "a rate as if the third column were counted, too"


@pytest.mark.parametrize("adjacency", Adjacency)
def test_a_person_with_several_rows_costs_all_numbers_their_part_of_the_budget(adjacency: Adjacency) -> None:
    """Two rows in both columns or in one: the number of both moves by 2; replaced, that of one does, too."""
    plan = Plan(["1/2"], "aq", PureDP(80.0), adjacency, intervals=0.9, about_n="noisy")
    rule = {"frame": {"id": ["x", "y", "y"]}, "person": "id", "most_rows": 2}
    both, one = table([0.0, 1.0, 1.0], [1.0, 1.0, 1.0], **rule), table([0.0, 1.0, 1.0], [1.0, nan, nan], **rule)
    nobody = table([0.0], [1.0], **rule | {"frame": {"id": ["x"]}})
    counting = present(calibrate_columns(both, columns_plan(both, plan)).counting)

    def law(of: ColumnsOfOne) -> Distribution:
        return enumerate_law(
            lambda entropy: tuple(tuple(own[0].tolist()) for own in counting.draw(of, entropy).values()),
            Fraction(1, 10**6),
        )

    laws = law(both), law(one if adjacency is Adjacency.SUBSTITUTE else nobody)
    assert worst_of(*laws) == pytest.approx(80 / 20, rel=1e-2), "a twentieth of the budget, and all of it"


def test_the_margin_of_further_records_is_taken_off_them():
    numbers, asked = CountedOnce.of(("a", "b"), RATE, 2), Intervals(0.9)
    of_all, more = numbers.of_all(asked).margin, numbers.of_more(asked).margin
    assert more > 0
    found = [numbers.at_least(asked, of_all + 10, besides) for besides in (-5, 0, more, more + 7)]
    assert found == [10, 10, 10, 17]


def test_rows_of_a_person_cost_as_many_times_as_there_may_be():
    people = {"frame": {"id": ["x", "y", "y", "y"]}, "person": "id", "most_rows": 2}
    without = table([0.0], [1.0], **people | {"frame": {"id": ["x"]}})
    for a, b in (([1.0, 1.0, 1.0], [1.0, nan, nan]), ([1.0, 1.0, 1.0], [2.0, 2.0, nan])):
        other = table([0.0, *a], [1.0, *b], **people)
        moved = other.in_all - without.in_all, *(other.records_of(name) - other.in_all for name in "ab")
        assert moved[0] + moved[1] + moved[2] == 2, "each step costs the rate: two columns share nothing here"


@pytest.mark.parametrize(
    ("rule", "in_all"),
    [
        ({}, 2),
        ({"missing": 0}, 5),
        ({"missing": {"b": 0}}, 4),
        ({"person": "id", "take": "max"}, 2),
        ({"person": "id", "take": "share"}, 2),
        ({"person": "id", "take": "max", "missing": {"b": 0}}, 3),
        ({"person": "id", "take": "max", "missing": 0}, 3),
        ({"person": "id", "most_rows": 1}, 2),
        ({"person": "id", "most_rows": 2}, 3),
        ({"person": "id", "most_rows": 2, "missing": 0}, 4),
    ],
    ids=str,
)
def test_what_all_columns_have_is_counted_by_persons_and_no_column_has_less(rule, in_all):
    frame = {"id": ["x", "x", "x", "y", "z", None] if "person" in rule else [""] * 6}
    a, b = [0.0, 1.0, nan, 1.0, 2.0, nan], [nan, 1.0, 1.0, nan, 2.0, nan]
    if "person" not in rule:
        a, b, frame = a[:5], b[:5], {}
    found = table(a, b, frame=frame, **rule)
    assert found.in_all == in_all
    assert min(found.records_of(name) for name in found) >= in_all


@pytest.mark.parametrize(
    "budget", kept([PureDP(40.0), ApproxDP(40.0, 0.01), ZCDP(40.0)], ApproxDP(40.0, 0.01)), ids=str
)
def test_the_whole_release_never_loses_more_than_it_says(budget: Privacy, monkeypatch: pytest.MonkeyPatch) -> None:
    """A third record joins in both columns, in one, or in the other, of the shipped release of both."""
    plan = Plan(["1/2"], "indexp", budget, intervals=0.9, about_n="noisy")
    tables = [exact([0.0, *a], [1.0, *b]) for a, b in (([], []), ([1.0], [1.0]), ([1.0], [nan]), ([nan], [1.0]))]
    calibrated = calibrate_columns(tables[0], columns_plan(tables[0], plan))
    assert calibrated.counting is not None
    assert calibrated.guarantee.covers(budget)
    spent = calibrated.counting.rate
    assert spent == Fraction(2) if isinstance(budget, PureDP) else spent > 0

    def law(of: ColumnsOfOne) -> Distribution:
        def program(entropy):
            for module in MODULES:
                monkeypatch.setattr(module, "ExactEntropy", lambda: entropy)
            found = draw_columns(of, calibrated)
            return tuple((each.values, each.notes[-1]) for each in found.releases.values())

        return enumerate_law(program, Fraction(1, 300))

    first, *others = map(law, tables)
    for other in others:
        cut = float(first.cut + other.cut)
        assert cut < 0.15
        likely = [each for each in first.chances if min(first.at_least(each), other.at_least(each)) > 1e-4]
        worst = max(abs(log(first.at_least(each) / other.at_least(each))) for each in likely)
        assert float(spent) * (1 - 1e-6) < worst <= calibrated.guarantee.epsilon, (
            "the count loses all that it is charged"
        )
        loss = loss_of_laws(first, other, min(calibrated.guarantee.epsilon, 60.0))
        assert loss.delta <= calibrated.guarantee.delta + cut


def frame(missing: int) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    values = {name: rng.integers(0, 100, 1000).astype(float) for name in "abcd"}
    values["b"][:missing] = nan
    return values


COLUMNS = {"a": (0, 100, 1), "b": (0, 100, 1), "c": (0, 100, 1), "d": FindBounds(step=1, largest=1000)}
NOISY = Plan(["1/2"], "aq", PureDP(1.0), intervals=0.9, about_n="noisy")


def test_one_number_for_four_columns_is_nearer_than_one_for_each_and_intervals_hold():
    together = Table.from_frame(frame(300), COLUMNS).columns
    counting = present(calibrate_columns(together, columns_plan(together, NOISY)).counting)
    apart = calibrate_columns(dict(together), columns_plan(dict(together), NOISY)).columns["a"]
    asked = present(NOISY.intervals)
    assert counting.of_all(asked).margin < 0.3 * only(CountedSteps, apart).number.margin
    two = Table.from_frame({name: frame(300)[name] for name in "ab"}, {name: COLUMNS[name] for name in "ab"})
    study = simulate(two, NOISY, 10, seed=1)
    assert study.guarantee.epsilon == pytest.approx(1, rel=1e-9)
    for own in study.studies.values():
        assert own.coverage[0] >= 0.9
        assert own.values.shape == (10, 1)


def test_the_number_is_stated_once_and_paid_once_whatever_the_weights():
    answers = release(Table.from_frame(frame(0), COLUMNS), NOISY, {"a": 2, "b": 1, "c": 1, "d": 1})
    told = {each.notes[-1].partition(", and")[0] for each in answers.releases.values()}
    assert len(told) == 1, "one number"
    parts = [each.guarantee.epsilon for each in answers.releases.values()]
    assert parts == pytest.approx([0.38, 0.19, 0.19, 0.19])
    assert sum(parts) + 0.05 == pytest.approx(answers.guarantee.epsilon)
    assert all(each.plan.about_n == "noisy" for each in answers.releases.values())
    assert "once for 4 columns" in present(answers.releases["a"].basis).sentences[2]


def test_a_column_that_is_not_counted_pays_nothing_for_the_number():
    plans = dict.fromkeys("abc", NOISY) | {"d": Plan(["1/2"], "aq", PureDP(1.0))}
    answers = release(Table.from_frame(frame(0), COLUMNS), plans)
    assert answers.releases["d"].guarantee.epsilon == pytest.approx(0.25)
    assert answers.releases["a"].guarantee.epsilon == pytest.approx(0.25 * 0.95)


def test_columns_that_are_no_table_have_numbers_of_their_own():
    apart = {name: Sample.from_values(own, Domain(0, 100, 1)) for name, own in frame(0).items()}
    assert calibrate_columns(apart, columns_plan(apart, NOISY)).counting is None
    one = Table.from_frame({"a": [1.0]}, {"a": GRID}).columns
    assert calibrate_columns(one, columns_plan(one, NOISY)).counting is None


def drawn_by(number: NoisyCount, entropy: Entropy) -> int:
    return int(number.draw(np.array([0]), entropy)[0])


def test_a_number_is_seldom_too_large():
    """Each of two margins has half of the chance that is kept for a number that is too large."""
    counting, asked = CountedOnce.of(("a", "b", "c"), Fraction(1, 2), 3), present(NOISY.intervals)
    for number in (counting.of_all(asked), counting.of_more(asked)):
        law = enumerate_law(partial(drawn_by, number), Fraction(1, 10**9))
        too_large = sum(float(chance) for noisy, chance in law.chances.items() if noisy > number.margin)
        assert too_large <= (1 - asked.chance) / 10 / 2
