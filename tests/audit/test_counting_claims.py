"""Noisy numbers of records, and answers that rest on them: their laws on tiny tables against the guarantee.

Of a column, between bounds that are found, and of a table that is counted once for several columns.
"""

from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from math import exp, inf, nan
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, FindBounds, Intervals, Plan, PureDP, Table, release, simulate
from tests import harness
from tests.harness import answers, calibrated, column, counted_once, law, law_of_release, loss_of_laws, worst_ratio
from tests.narrowing import present

GRID = harness.grid(3)
LITTLE, TINY = Fraction(1, 10**6), Fraction(1, 10**9)
CUT = Fraction(1, 10**4)


def plan_of(budget: Any, mechanism: str = "indexp", adjacency: Adjacency = Adjacency.ADD_REMOVE) -> Plan:
    return Plan(["1/2"], mechanism, budget, adjacency, intervals=0.9, about_n="noisy")


def law_of_number(steps, counted, cut=LITTLE):
    return law(lambda entropy: int(steps.noisy(counted, entropy)[0, 0]), cut)


def told(cells):
    return cells.notes[-1], cells.values, cells.intervals


def whole_law(values, steps, monkeypatch):
    """Of the shipped release: the number, the answer and its interval."""
    return law_of_release(lambda: told(answers(column(values, GRID), steps)), monkeypatch, CUT)


# ── of a column ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("budget", [PureDP(20.0), ApproxDP(20.0, 0.01), ZCDP(10.0)], ids=str)
def test_the_number_alone_loses_what_it_is_charged_and_is_seldom_too_large(budget):
    steps = calibrated(plan_of(budget), column([1, 2], GRID))
    laws = [law_of_number(steps, column([1] * n, GRID), TINY) for n in range(3)]
    for first, second in pairwise(laws):
        common = [each for each in first.chances if second.at_least(each) > LITTLE]
        ratios = [abs(np.log(float(first.at_least(each) / second.at_least(each)))) for each in common]
        assert ratios == pytest.approx([float(steps.count.number.rate)] * len(common), rel=1e-3)
        assert len(common) > 5
    too_large = sum(float(chance) for noisy, chance in laws[2].chances.items() if noisy - steps.count.number.margin > 2)
    assert too_large <= steps.count.number.failing == pytest.approx(0.01)
    assert too_large > steps.count.number.failing * exp(-2 * float(steps.count.number.rate))


@pytest.mark.parametrize("adjacency", Adjacency)
def test_the_number_of_several_rows_of_a_person_loses_what_it_is_charged(adjacency):
    """Three rows at most: where one is replaced three leave, or three come, or some of both."""

    def rows(count: int) -> Any:
        return column([1.0] * (count + 1), GRID, persons=[0, *[1] * count], max_rows_per_person=3, bits=None)

    steps = calibrated(plan_of(PureDP(60.0), adjacency=adjacency), rows(1))

    def worst(by: Any) -> float:
        laws = [law_of_number(by, rows(count)) for count in range(6)]
        return max(worst_ratio(one, other, LITTLE) for one, other in product(laws, laws) if one is not other)

    assert worst(steps) == pytest.approx(float(steps.finding), rel=1e-2)
    assert worst(harness.with_less_noise(steps)) > 1.9 * float(steps.finding), "half the noise is caught"


@pytest.mark.slow
def test_the_whole_release_never_loses_more_than_it_says(monkeypatch):
    steps, worst = calibrated(plan_of(PureDP(8.0)), column([1, 2], GRID)), 0.0
    for values in ((0,), (1, 2), ()):
        first, second = (whole_law(each, steps, monkeypatch) for each in (values, (*values, 2)))
        missing = float(first.cut + second.cut)
        assert missing < 0.01
        assert loss_of_laws(first, second, steps.guarantee.epsilon).delta <= missing
        worst = max(worst, worst_ratio(first, second, 1e-5))
    alone = steps.second(column([1], GRID), 1).guarantee.epsilon
    assert steps.guarantee.epsilon == pytest.approx(float(steps.finding) + alone)
    assert 0.5 * steps.guarantee.epsilon < worst <= steps.guarantee.epsilon * (1 + 1e-9), "the pairs have power"


def test_released_numbers_and_answers_are_independent_draws(monkeypatch):
    found = whole_law((1, 2), calibrated(plan_of(PureDP(8.0)), column([1, 2], GRID)), monkeypatch)
    numbers: dict[str, float] = {}
    values: dict[Any, float] = {}
    for (number, value, _), chance in found.chances.items():
        numbers[number] = numbers.get(number, 0.0) + float(chance)
        values[value] = values.get(value, 0.0) + float(chance)
    for (number, value, _), chance in found.chances.items():
        assert float(chance) == pytest.approx(numbers[number] * values[value], abs=2 * float(found.cut) + 1e-9)
    assert np.argmax([values[each] for each in sorted(values)]) in {1, 2}


def test_bounds_counts_and_answers_never_lose_more_than_they_say(monkeypatch):
    """Three steps: every pair of bounds, every number and every answer with its interval, and their guarantee."""
    laws: list[dict[Any, float]] = []
    for values in ((0.0,), (0.0, 2.0)):
        raw, found = harness.unbounded(values, harness.tiny_bounds(negative=False)), dict[Any, float]()
        steps = calibrated(plan_of(PureDP(40.0)), raw)
        assert (steps.finding, steps.second.finding, steps.guarantee.epsilon) == (20, 1, 40)
        for (down, up), chance in np.ndenumerate(harness.law_of_bounds(steps, raw)):
            if chance > 1e-6:
                answer = partial(
                    lambda column, second: told(answers(column, second)), harness.between(raw, down, up), steps.second
                )
                for outcome, own in law_of_release(answer, monkeypatch, CUT).chances.items():
                    found[down, up, outcome] = float(chance) * float(own)
        assert sum(found.values()) > 0.95
        laws.append(found)
    likely = [each for each in laws[0].keys() & laws[1].keys() if min(law[each] for law in laws) > 1e-5]
    assert 2 < max(abs(np.log(laws[0][each] / laws[1][each])) for each in likely) <= 40


# ── of a table ───────────────────────────────────────────────────────────────────────────────────────────────────────

RATE = Fraction(3)
"""Of all numbers of a table for one record."""


def table(a: list[float], b: list[float], frame: Any = None, **rule: Any) -> Any:
    return Table.from_frame({"a": a, "b": b, **(frame or {})}, {"a": GRID, "b": GRID}, **rule).columns


def exact(a: list[float], b: list[float]) -> Any:
    """The same without bits that break ties, which nobody could follow."""
    return harness.of_one_table({"a": column(a, GRID), "b": column(b, GRID)}, table(a, b).in_all)


def law_of_numbers(counting: Any, of: Any) -> Any:
    return law(lambda entropy: tuple(tuple(own[0].tolist()) for own in counting.noisy(of, entropy).values()), LITTLE)


def worst_of(counting: Any, before: Any, after: Any) -> float:
    return worst_ratio(law_of_numbers(counting, before), law_of_numbers(counting, after), 1e-4)


@pytest.mark.parametrize(
    ("joins", "times"), [((1.0, 1.0), 1), ((1.0, nan), 1), ((nan, 1.0), 1), ((nan, nan), 0), ((inf, 1.0), 1)], ids=str
)
def test_all_numbers_together_cost_one_number_whatever_values_a_record_has(joins, times):
    """Who has a value everywhere moves the number of all; who has not, those of what columns have besides."""
    before, after = table([0.0, nan], [1.0, 2.0]), table([0.0, nan, joins[0]], [1.0, 2.0, joins[1]])
    assert worst_of(counted_once("ab", RATE, 2), before, after) == pytest.approx(times * float(RATE), rel=1e-2)


def test_a_person_without_a_value_in_a_column_that_is_not_counted_moves_both_others():
    """The number of all stays, and what each of two counted columns has besides changes: together the rate at most."""
    before, after = (
        Table.from_frame({"a": a, "b": a, "c": c}, dict.fromkeys("abc", GRID)).columns
        for a, c in (([0.0, 1.0], [1.0, nan]), ([0.0, 1.0, 1.0], [1.0, nan, nan]))
    )
    plans = {"a": NOISY, "b": NOISY, "c": Plan(["1/2"], "aq", PureDP(1.0))}
    assert calibrated(plans, before).counting.besides == 2
    assert worst_of(counted_once("ab", RATE, 3), before, after) == pytest.approx(float(RATE), rel=1e-2)
    naive = worst_of(counted_once("ab", RATE, 2), before, after)
    assert naive > 1.9 * float(RATE), "a rate as if the third column were counted, too"


@pytest.mark.slow(keep="add_remove")
@pytest.mark.parametrize("adjacency", Adjacency)
def test_a_person_with_several_rows_costs_all_numbers_their_part_of_the_budget(adjacency):
    """Two rows in both columns or in one: the number of both moves by 2; replaced, that of one does, too."""
    rule: dict[str, Any] = {"frame": {"id": ["x", "y", "y"]}, "person": "id", "max_rows_per_person": 2}
    both, one = table([0.0, 1.0, 1.0], [1.0, 1.0, 1.0], **rule), table([0.0, 1.0, 1.0], [1.0, nan, nan], **rule)
    nobody = table([0.0], [1.0], **rule | {"frame": {"id": ["x"]}})
    counting = calibrated(plan_of(PureDP(80.0), "aq", adjacency), both).counting
    reached = worst_of(counting, both, one if adjacency is Adjacency.REPLACE_ONE else nobody)
    assert reached == pytest.approx(80 / 20, rel=1e-2), "a twentieth of the budget, and all of it"


def test_the_margin_of_further_records_is_taken_off_them():
    numbers, asked = counted_once("ab", RATE, 2), Intervals(0.9)
    of_all, more = numbers.of_all(asked).margin, numbers.of_more(asked).margin
    assert more > 0
    own = numbers.of_column(asked, shares=False)
    found = [own.at_least(np.array([of_all + 10, besides])) for besides in (-5, 0, more, more + 7)]
    assert found == [10, 10, 10, 17]


def test_rows_of_a_person_cost_as_many_times_as_there_may_be():
    people: dict[str, Any] = {"frame": {"id": ["x", "y", "y", "y"]}, "person": "id", "max_rows_per_person": 2}
    without = table([0.0], [1.0], **people | {"frame": {"id": ["x"]}})
    for a, b in (([1.0, 1.0, 1.0], [1.0, nan, nan]), ([1.0, 1.0, 1.0], [2.0, 2.0, nan])):
        other = table([0.0, *a], [1.0, *b], **people)
        moved = other.in_all - without.in_all, *(other[name].n - other.in_all for name in "ab")
        assert moved[0] + moved[1] + moved[2] == 2, "each step costs the rate: two columns share nothing here"


@pytest.mark.parametrize(("rule", "in_all"), [
    ({}, 2), ({"missing": 0}, 5), ({"missing": {"b": 0}}, 4), ({"person": "id", "per_person": "max"}, 2),
    ({"person": "id", "per_person": "weight"}, 2), ({"person": "id", "per_person": "max", "missing": {"b": 0}}, 3),
    ({"person": "id", "per_person": "max", "missing": 0}, 3), ({"person": "id", "max_rows_per_person": 1}, 2),
    ({"person": "id", "max_rows_per_person": 2}, 3), ({"person": "id", "max_rows_per_person": 2, "missing": 0}, 4),
], ids=str)  # fmt: skip
def test_what_all_columns_have_is_counted_by_persons_and_no_column_has_less(rule, in_all):
    rows = 6 if "person" in rule else 5
    frame = {"id": ["x", "x", "x", "y", "z", None]} if "person" in rule else {}
    found = table([0.0, 1.0, nan, 1.0, 2.0, nan][:rows], [nan, 1.0, 1.0, nan, 2.0, nan][:rows], frame, **rule)
    assert found.in_all == in_all
    assert min(found[name].n for name in found) >= in_all


@pytest.mark.slow
@pytest.mark.parametrize(
    "budget", [PureDP(40.0), ApproxDP(40.0, 0.01), ZCDP(40.0)], ids=["pure", "approximate", "concentrated"]
)
def test_the_whole_release_of_a_table_never_loses_more_than_it_says(budget, monkeypatch):
    """A third record joins in both columns, in one, or in the other, of the shipped release of both."""
    tables = [exact([0.0, *a], [1.0, *b]) for a, b in (([], []), ([1.0], [1.0]), ([1.0], [nan]), ([nan], [1.0]))]
    steps = calibrated(plan_of(budget), tables[0])
    assert steps.guarantee.covers(budget)
    assert steps.counting.rate == Fraction(2) if isinstance(budget, PureDP) else steps.counting.rate > 0

    def answer(of: Any) -> Any:
        return tuple((each.values, each.notes[-1]) for each in answers(of, steps))

    first, *others = (law_of_release(partial(answer, of), monkeypatch, Fraction(1, 300)) for of in tables)
    for other in others:
        cut, worst = float(first.cut + other.cut), worst_ratio(first, other, 1e-4)
        assert cut < 0.15
        assert float(steps.counting.rate) * (1 - 1e-6) < worst <= steps.guarantee.epsilon, (
            "the count loses all of its own"
        )
        loss = loss_of_laws(first, other, min(steps.guarantee.epsilon, 60.0))
        assert loss.delta <= steps.guarantee.delta + cut


def frame(missing: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    values = {name: rng.integers(0, 100, 1000).astype(float) for name in "abcd"}
    values["b"][:missing] = nan
    return values


COLUMNS: dict[str, Any] = {name: (0, 100, 1) for name in "abc"} | {"d": FindBounds(step=1, largest=1000)}
NOISY = plan_of(PureDP(1.0), "aq")


@pytest.mark.slow
def test_one_number_for_four_columns_is_nearer_than_one_for_each_and_intervals_hold():
    together = Table.from_frame(frame(300), COLUMNS).columns
    number = calibrated(NOISY, together).counting.of_all(present(NOISY.intervals))
    assert number.margin < 0.3 * calibrated(NOISY, dict(together)).columns["a"].count.number.margin
    two = Table.from_frame({name: frame(300)[name] for name in "ab"}, {name: COLUMNS[name] for name in "ab"})
    study = simulate(two, NOISY, 10, seed=1)
    assert study.guarantee.epsilon == pytest.approx(1, rel=1e-9)
    assert list(study) == ["a", "b"]
    for name in study:
        assert study.coverage[name][0] >= 0.9
        assert study.values[name].shape == (10, 1)


def test_the_number_is_stated_once_and_paid_once_whatever_the_weights():
    found = release(Table.from_frame(frame(), COLUMNS), NOISY, {"a": 2, "b": 1, "c": 1, "d": 1})
    assert len({each.notes[-1].partition(", and")[0] for each in found.cells}) == 1, "one number"
    parts = [each.guarantee.epsilon for each in found.cells]
    assert parts == pytest.approx([0.38, 0.19, 0.19, 0.19])
    assert sum(parts) + 0.05 == pytest.approx(found.guarantee.epsilon)
    assert all(each.plan.about_n == "noisy" for each in found.cells)
    assert "once for 4 columns" in present(found["a"].basis).sentences[2]


def test_a_column_that_is_not_counted_pays_nothing_for_the_number():
    plans = dict.fromkeys("abc", NOISY) | {"d": Plan(["1/2"], "aq", PureDP(1.0))}
    found = release(Table.from_frame(frame(), COLUMNS), plans)
    assert found["d"].guarantee.epsilon == pytest.approx(0.25)
    assert found["a"].guarantee.epsilon == pytest.approx(0.25 * 0.95)


def test_columns_that_are_no_table_have_numbers_of_their_own():
    apart = {name: column(own, Domain(0, 100, 1), bits=None) for name, own in frame().items()}
    for columns in (apart, Table.from_frame({"a": [1.0]}, {"a": GRID}).columns):
        assert calibrated(NOISY, columns).counting is None


def drawn_by(number: Any, entropy: Any) -> int:
    return int(number.noisy(np.array([0]), entropy)[0])


def test_a_number_is_seldom_too_large():
    """Each of two margins has half of the chance that is kept for a number that is too large."""
    counting, asked = counted_once("abc", Fraction(1, 2), 3), present(NOISY.intervals)
    for number in (counting.of_all(asked), counting.of_more(asked)):
        found = law(partial(drawn_by, number), TINY)
        too_large = sum(float(chance) for noisy, chance in found.chances.items() if noisy > number.margin)
        assert too_large <= (1 - asked.chance) / 10 / 2
