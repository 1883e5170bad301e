"""README says how to add a mechanism; here that is done, for the length of a test, with the code as it stands there."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import ModuleType

import pytest

from dpq_core import MECHANISMS, ZCDP, Adjacency, Domain, Plan, PureDP, privacy_loss, unsupported
from dpq_core.studies import engine
from dpq_core.studies.grid import Grid
from dpq_core.ui.settings.table import PREFIX
from tests import test_contract as contract
from tests.pages.driving import figures, open_page, run
from tests.test_readme import blocks

KEY = "plain"


@pytest.fixture
def plain(monkeypatch):
    (code,) = blocks("## How to add a mechanism")
    module = ModuleType("dpq_core.mechanisms.plain.mechanism")
    module.__package__ = "dpq_core.mechanisms.plain"
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(code, "README.md", "exec"), vars(module))
    monkeypatch.setitem(MECHANISMS, module.KEY, module)
    monkeypatch.setitem(contract.ROWS, module.KEY, contract.Row())
    return module


def test_it_keeps_what_every_mechanism_promises(plain):
    contract.test_every_mechanism_has_a_row()
    for check in (
        contract.test_a_module_introduces_itself,
        contract.test_both_lanes_agree,
        contract.test_no_quantiles_spend_nothing,
        contract.test_levels_in_any_order_keep_their_answers,
        contract.test_unknown_options_and_bad_values_are_refused_by_name,
        contract.test_a_huge_budget_gives_the_truth,
    ):
        check(KEY)
    for adjacency in Adjacency:
        for check in (
            contract.test_answers_lie_on_the_grid_in_order_and_within_the_guarantee,
            contract.test_a_simulation_is_repeatable_and_not_a_release,
            contract.test_the_exact_loss_stays_within_the_guarantee,
        ):
            check(KEY, "pure", adjacency)
        contract.test_a_trace_is_the_first_simulated_run(KEY, "pure", adjacency, 2)
    contract.test_tiny_and_tied_data_are_answered(KEY, [])
    assert unsupported(Plan(["1/2"], KEY, ZCDP(0.1)))


def test_its_claim_is_checked_by_the_audit(plain, monkeypatch):
    """The exact loss stays within the claim; a quarter of the noise under the same claim is found out."""
    domain, pair = Domain(0, 6, 1), ([0] * 4, [0] * 3 + [6])
    plan = Plan(["1/2"], KEY, PureDP(1.0), Adjacency.SUBSTITUTE)
    assert 0.4 < privacy_loss(plan, *pair, domain).epsilon <= 1
    honest = plain.log_law

    def loud(outputs, cells, parameters, grid):
        aims = tuple(replace(aim, rate=4 * aim.rate) for aim in parameters.aims)
        return honest(outputs, cells, replace(parameters, aims=aims), grid)

    monkeypatch.setattr(plain, "log_law", loud)
    assert privacy_loss(plan, *pair, domain).epsilon > 1


def test_studies_and_pages_know_it(plain):
    (row,) = [row for _, row in engine.steps(Grid(mechanisms=[KEY], quantiles=[3], n=[50], trials=10))]
    assert row.supported
    assert row.label == plain.LABEL
    visit = open_page("inside")
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value(KEY))
    run(visit.button(key=f"{PREFIX}_run_inside").click())
    assert visit.session_state[f"{PREFIX}:inside:run"].plan.mechanism == KEY
    assert figures(visit)
