"""Answers at a bound say so, wherever they are told: from the answers alone, as what one release gives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.domain import at_bound, warnings_at_bounds, warnings_of_groups
from dpq_core.ledger.answers import answer_as_json, answer_from_json
from dpq_core.results import Codebook

NARROW = dpq.Domain(0, 1000, 1)
DECILES = dpq.Plan([f"{k}/10" for k in range(1, 10)], "aq", dpq.PureDP(1.0))
INCOMES = np.full(4000, 28_000.0)
TOO_LOW = (
    "All 9 answers lie at the highest possible value: the bound is probably too low, unless nearly all values are "
)


@pytest.mark.parametrize(
    ("values", "domain", "said"),
    [
        ((1000,) * 9, NARROW, ["All 9 answers lie at the highest possible value: the bound is probably too low, un"]),
        ((0,) * 9, NARROW, ["All 9 answers lie at the lowest possible value: the bound is probably too high, unless"]),
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
    assert len(found) == len(said)
    assert all(sentence.startswith(start) for sentence, start in zip(found, said, strict=True))


def test_a_release_says_it_from_its_answers_alone() -> None:
    released = dpq.release(dpq.Sample.from_values(INCOMES, NARROW), DECILES)
    assert set(released.values) == {1000}
    assert [warning for warning in released.warnings if warning.startswith(TOO_LOW)]
    wide = dpq.release(dpq.Sample.from_values(INCOMES, dpq.Domain(0, 100_000, 1)), DECILES)
    assert wide.warnings == ()
    stored = json.loads(answer_as_json(released)) | {"warnings": []}  # as version 1.0.0 kept it
    for kept in (stored, json.loads(answer_as_json(released))):
        assert answer_from_json(json.dumps(kept), DECILES).warnings == released.warnings


def test_groups_and_columns_say_it_with_their_names() -> None:
    groups = dpq.Groups.from_values(
        np.append(INCOMES, np.full(4000, 500.0)), ["a"] * 4000 + ["b"] * 4000, NARROW, names=["a", "b"]
    )
    released = dpq.release(groups, DECILES)
    assert released.warnings[0].startswith("All answers of 1 of 2 groups lie at the highest possible value (a): the bo")
    kept = replace(released, warnings=())
    assert answer_from_json(answer_as_json(kept), DECILES).warnings == released.warnings
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
