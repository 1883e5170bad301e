"""An answer far beyond all others is not usable, by the released answers alone; heavy tails and two humps are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.columns import ColumnsPlan, ColumnsRelease
from dpq_core.far_answers import far_answers, warnings_of_far
from dpq_core.ledger.answers import answer_as_json, answer_from_json
from dpq_core.results import Codebook

FIVE = tuple(Fraction(share, 100) for share in (5, 25, 50, 75, 95))


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


def released() -> dpq.QuantileRelease:
    plan = dpq.Plan(FIVE, "aq", dpq.PureDP(0.125))
    values = (-5.6e13, 27.0, 41.0, 55.0, 74.0)
    guarantee = dpq.release(dpq.Sample.from_values([1.0], dpq.Domain(0, 9, 1)), plan).guarantee
    return dpq.QuantileRelease(values=values, guarantee=guarantee, plan=plan, domain=dpq.Domain.significant(2))


def test_a_stored_release_and_its_codebook_say_it() -> None:
    """-5.6e13 was printed as an age."""
    stored, plan = answer_as_json(released()), released().plan
    assert json.loads(stored)["warnings"] == []
    read = answer_from_json(stored, plan)
    assert isinstance(read, dpq.QuantileRelease)
    assert read.warnings[0].startswith("The answer at 5 % is not usable at this budget: far beyond all others.")
    table = ColumnsRelease[Any](
        releases={"age": read}, guarantee=read.guarantee, plan=ColumnsPlan.of({"age": None}, plan)
    )
    book = Codebook.of(table)
    assert book.as_csv().count("not usable at this budget") == 1
    assert "not usable at this budget" in book.as_html()
    remarks = [each["remark"] for each in json.loads(book.as_json())["columns"][0]["quantiles"]]
    assert remarks == ["not usable at this budget", "", "", "", ""]


def test_a_release_says_it_as_it_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    module, example = import_module("dpq_core.release"), released()
    monkeypatch.setattr(module, "draw", lambda *_: (np.array([example.values]), None))
    sample = dpq.Sample.from_values(np.arange(18, 90.0), dpq.Domain.significant(2))
    assert dpq.release(sample, example.plan).warnings[0].startswith("The answer at 5 % is not usable")


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
