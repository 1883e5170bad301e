"""Significant digits in the form: a column without bounds, on every page that has it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpq_core import MECHANISMS, Domain
from dpq_core.calibrations import calibrations_of
from dpq_core.plan import Plan
from dpq_core.results import outcomes, trace
from dpq_core.sample import Sample
from pages.keys import PREFIX
from tests.pages.driving import bring, csv_of, figures, link_of, open_page, press, run, said, turn_to
from tests.ui.test_subjects import OWN

SIMULATION, RUN = f"{PREFIX}:outcome:explore", f"{PREFIX}:inside:run"
WIDE = np.random.default_rng(8).lognormal(8, 3, 400)


def test_a_column_over_many_decades_needs_no_bounds() -> None:
    visit = bring(open_page(quantiles="deciles"), csv_of(WIDE), public=True)
    run(visit.button_group(key=f"{PREFIX}_bounds").set_value("digits"))
    run(visit.button_group(key=f"{PREFIX}_negative").set_value("no"))
    assert "1,891 numbers of 2 digits" in said(visit)
    outcome = press(visit).session_state[SIMULATION]
    assert outcome.domain == Domain.significant(2, negative=False)
    assert all(float(f"{value:.2g}") == value for value in outcome.values)
    distribution = figures(visit)[0]["layout"]["xaxis"]
    assert "ticktext" in distribution
    run(visit.text_input(key=f"{PREFIX}_largest").set_value("0.001"))
    run(visit.text_input(key=f"{PREFIX}_smallest").set_value("5"))
    assert "“Largest” must be > “Smallest above 0”" in said(visit)
    assert visit.button(key=f"{PREFIX}_run").disabled


def test_a_link_carries_the_digits_of_an_example_to_inside() -> None:
    visit = open_page(bounds="digits", digits="3", quantiles="quartiles")
    assert visit.session_state[SIMULATION].domain == Domain.significant(3)
    assert link_of(visit) == {"bounds": "digits", "digits": "3", "quantiles": "quartiles"}
    inside = turn_to(visit, "inside")
    assert inside.session_state[RUN].domain == Domain.significant(3)


@pytest.mark.parametrize("mechanism", [key for key in MECHANISMS if key not in {"normal", "slice"}])
def test_a_trace_on_significant_digits_counts_every_record_once(mechanism: str) -> None:
    data = replace(OWN, values=WIDE)
    sample = Sample.from_values(WIDE, Domain.significant(2), seed=outcomes.EXPLORE_SEED)
    options = {"n_max": 1000} if mechanism == "gkexp" else {}
    plan = Plan(["1/4", "3/4"], mechanism, options=options)
    found = trace.explain_once(data, sample, calibrations_of(plan), seed=1)
    widths = np.diff(found.edges)
    assert widths == pytest.approx(np.full(widths.size, widths[0]))
    inside = (sample.values_of(sample.cells) >= found.edges[0]) & (sample.values_of(sample.cells) <= found.edges[-1])
    assert sum(found.counts) == np.count_nonzero(inside) >= 390
    assert found.spread >= 1
