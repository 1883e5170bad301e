"""A form calibrates its plan once; a press, a rerun and the next page draw with what the form has found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dpq_core import Adjacency
from dpq_core.advice import expected_error
from dpq_core.results import REFERENCE_SIZE
from dpq_core.studies import USUAL_SIZE
from pages.budget.counts import FEWEST, MOST
from pages.settings.table import PREFIX, TABS
from tests.pages.driving import bring, csv_of, open_page, press, run, set_bounds, turn_to
from tests.results.test_calibrations import Calls, calls

__all__ = ["calls"]
AGES = np.random.default_rng(4).integers(18, 91, size=321)


def test_of_an_example_a_plan_is_calibrated_once_for_two_pages_and_a_column(calls: Calls) -> None:
    visit = press(run(open_page(mechanism="aq")))
    assert len(calls) == 1, "for the first picture, a rerun and a press"
    turn_to(visit, "inside").button(key=f"{PREFIX}_run_inside").click().run()
    assert len(calls) == 1, "the form there has the same plan"
    visit.session_state[f"{PREFIX}_show"] = TABS[1]
    visit.session_state[f"{PREFIX}_size"] = "40"
    run(run(visit).button(key=f"{PREFIX}_run_column").click())
    assert [len(plan.quantiles) for plan, _ in calls] == [9, 40], "checked, and simulated"
    visit.session_state[f"{PREFIX}_epsilon"] = "2"
    run(visit)
    visit.session_state[f"{PREFIX}_epsilon"] = "1"
    run(visit)
    assert len(calls) == 4, "two for the other budget, none for the one before"


@pytest.mark.parametrize(
    ("adjacency", "counts"),
    [
        (Adjacency.ADD_REMOVE, [None, None]),
        (Adjacency.SUBSTITUTE, [FEWEST, MOST, AGES.size, REFERENCE_SIZE, USUAL_SIZE]),
    ],
)
def test_a_release_draws_and_charges_with_what_the_form_has_found(
    calls: Calls, own_ledger: Path, adjacency: Adjacency, counts: list[int | None]
) -> None:
    """Where one is replaced the press learns the number; then the next form is judged with it, as it may be known.

    Once more it is calibrated for the forecast, among as many records as are guessed.
    """
    expected_error.cache_clear()  # as if no other test had asked for this forecast
    visit = open_page(mechanism="aq", adjacency=adjacency)
    calls.clear()  # of the example that the page opens with
    press(run(set_bounds(bring(visit, csv_of(AGES)), "0", "120", "1")))
    assert f"{PREFIX}:outcome:release" in visit.session_state
    found = [count for _, count in calls]
    assert sorted(found[: len(counts)], key=str) == sorted(counts, key=str)
    assert found[len(counts) :] == [AGES.size] * (adjacency is Adjacency.SUBSTITUTE)


def test_what_a_refused_plan_needs_is_worked_out_once(calls: Calls) -> None:
    """Of both needs the way out is calibrated as well; a rerun repeats nothing."""
    visit = open_page(mechanism="normal")
    assert f"{PREFIX}:outcome:explore" not in visit.session_state
    before = len(calls)
    run(run(visit))
    assert len(calls) == before > 0
