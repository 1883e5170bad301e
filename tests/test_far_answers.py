"""Answers at a bound, and far beyond all others, are called that wherever they are told, from the answers alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.columns.plan import ColumnsPlan
from dpq_core.columns.release import ColumnsRelease
from dpq_core.domain.at_bounds import at_bound, warnings_at_bounds, warnings_of_groups
from dpq_core.far_answers import far_answers, warnings_of_far
from dpq_core.ledger.answers import answer_as_json, answer_from_json
from dpq_core.results.tables.codebook import Codebook
from tests.narrowing import only

NARROW = dpq.Domain(0, 1000, 1)
DECILES = dpq.Plan([f"{k}/10" for k in range(1, 10)], "aq", dpq.PureDP(1.0))
INCOMES = np.full(4000, 28_000.0)
TOO_LOW = "All 9 answers lie at the highest possible value"
FIVE = tuple(Fraction(share, 100) for share in (5, 25, 50, 75, 95))


@pytest.mark.parametrize(
    ("values", "domain", "said"),
    [
        ((1000,) * 9, NARROW, [TOO_LOW]),
        ((0,) * 9, NARROW, ["All 9 answers lie at the lowest possible value"]),
        ((1000,), NARROW, ["The answer lies at the highest possible value"]),
        ((0, 5, 1000), NARROW, ["1 of 3 answers lies at the highest", "1 of 3 answers lies at the lowest possible"]),
        ((5, 6, 999), NARROW, []),
        ((98,), dpq.Domain(0, 100, 7), ["The answer lies at the highest possible value"]),
        ((9, 9), dpq.Domain.significant(1, 1, 9), ["All 2 answers lie at the highest"]),
        ((*range(1, 99), 1000), NARROW, []),
        ((), NARROW, []),
    ],
)
def test_each_bound_at_which_answers_lie_is_called_that(
    values: Sequence[float], domain: dpq.Domain, said: list[str]
) -> None:
    found = warnings_at_bounds(values, domain)
    assert [sentence[: len(start)] for sentence, start in zip(found, said, strict=True)] == said


def test_a_release_and_its_stored_answer_tell_bounds_from_the_answers_alone() -> None:
    released = dpq.release(dpq.Sample.from_values(INCOMES, NARROW), DECILES)
    assert set(released.values) == {1000}
    assert [warning for warning in released.warnings if warning.startswith(TOO_LOW)]
    assert dpq.release(dpq.Sample.from_values(INCOMES, dpq.Domain(0, 100_000, 1)), DECILES).warnings == ()
    assert answer_from_json(answer_as_json(released), DECILES).warnings == released.warnings


def test_groups_and_columns_tell_bounds_with_their_names() -> None:
    values, labels = np.append(INCOMES, np.full(4000, 500.0)), ["a"] * 4000 + ["b"] * 4000
    released = dpq.release(dpq.Groups.from_values(values, labels, NARROW, names=["a", "b"]), DECILES)
    assert released.warnings[0].startswith("All answers of 1 of 2 groups lie at the highest possible value (a): the bo")
    assert answer_from_json(answer_as_json(released), DECILES).warnings == released.warnings
    table = dpq.release({"income": dpq.Sample.from_values(INCOMES, NARROW)}, DECILES)
    assert table.warnings[0].startswith(f"income: {TOO_LOW}")
    book = Codebook.of(table)
    assert TOO_LOW in book.as_html()
    assert TOO_LOW in json.loads(book.as_json())["columns"][0]["warnings"][0]
    assert ",highest," in book.as_csv()


def test_an_answer_is_at_a_bound_of_the_grid_and_nowhere_else() -> None:
    assert [at_bound(value, NARROW) for value in (0.0, 1.0, 999.0, 1000.0)] == ["lowest", "", "", "highest"]
    many = {str(at): (1000.0,) for at in range(9)}
    assert "(0, 1, 2, 3, 4 and 4 more)" in warnings_of_groups(many, NARROW)[0]


@pytest.mark.parametrize(
    ("values", "far"),
    [
        ((-5.6e13, 27, 41, 55, 74), [0]),
        ((20, 27, 41, 55, 7.4e6), [4]),
        ((-1e9, 27, 41, 55, 1e9), [0, 4]),
        ((18, 27, 41, 55, 74), []),
        ((1.05, 1.33, 2, 4, 20), []),  # a Pareto tail of index 1
        ((0, 0, 0, 0, 40), []),  # most are 0, and nothing is a measure
        ((20, 40, 40, 40, 60), []),
        ((20, 40, 40, 40, 6e8), [4]),
        ((39, 39.9, 40, 40.1, 80), []),  # two humps
        ((-0.015, 36, 55, 4.1e9, 5.1e10), [3, 4]),
        ((0, 0, 5, 40_000, 200_000), []),  # half gave nothing or little
        ((-1e12, -1e10, 5, 1e12, 2e12), []),  # the quartiles themselves are noise: that is the forecast's to say
    ],
)
def test_outer_answers_are_compared_with_those_between_the_quartiles(values: Sequence[float], far: list[int]) -> None:
    assert [at for at, is_far in enumerate(far_answers(FIVE, values)) if is_far] == far
    assert bool(warnings_of_far(FIVE, values)) is bool(far)


def test_a_tail_farther_out_may_reach_farther_and_a_lone_level_is_never_judged() -> None:
    levels = [*FIVE, Fraction(999, 1000)]
    assert not any(far_answers(levels, (1.05, 1.33, 2, 4, 20, 1000)))
    assert far_answers(levels, (1.05, 1.33, 2, 4, 20, 1e5))[-1]
    assert far_answers([Fraction(19, 20)], (1e13,)) == (False,)
    assert far_answers([], ()) == ()
    assert far_answers([Fraction(0), *FIVE, Fraction(1)], (-1e15, 18, 27, 41, 55, 74, 1e15)) == (False,) * 7


def test_a_release_its_stored_answer_and_its_codebook_tell_a_far_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """-5.6e13 was printed as an age."""
    plan, values = dpq.Plan(FIVE, "aq", dpq.PureDP(0.125)), np.array([[-5.6e13, 27.0, 41.0, 55.0, 74.0]])
    monkeypatch.setattr(import_module("dpq_core.release"), "draw", lambda *_: (values, None))
    sample = dpq.Sample.from_values(np.arange(18, 90.0), dpq.Domain.significant(2))
    released = dpq.release(sample, plan)
    read = only(dpq.QuantileRelease, answer_from_json(answer_as_json(released), plan))
    for each in (released, read):
        assert each.warnings[0].startswith("The answer at 5 % is not usable")
    book = Codebook.of(
        ColumnsRelease(releases={"age": read}, guarantee=read.guarantee, plan=ColumnsPlan.of({"age": None}, plan))
    )
    assert book.as_csv().count("not usable at this budget") == 1
    assert "not usable at this budget" in book.as_html()
    remarks = [each["remark"] for each in json.loads(book.as_json())["columns"][0]["quantiles"]]
    assert remarks == ["not usable at this budget", "", "", "", ""]


def test_the_work_grows_with_the_number_of_answers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A synthetic column has up to 100,000 answers, and a page asks for each level of a report."""
    looked, counts = list[Fraction](), list[int]()

    def is_inner(level: Fraction) -> bool:
        looked.append(level)
        return Fraction(1, 4) <= level <= Fraction(3, 4)

    monkeypatch.setattr("dpq_core.far_answers._is_inner", is_inner)
    for levels in (99, 999):
        looked.clear()
        far_answers([Fraction(at, levels + 1) for at in range(1, levels + 1)], [float(at) for at in range(levels)])
        counts.append(len(looked))
    assert counts[1] <= 11 * counts[0]
