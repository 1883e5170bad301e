"""CONTRIBUTING says how to add a mechanism; here that is done, for a test, with the code as it stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from dpq_core import MECHANISMS, ZCDP, Adjacency, ApproxDP, Plan, PureDP
from dpq_core.studies import engine
from dpq_core.studies.design import StudyDesign
from pages.form.table import MECHANISM_LABELS
from pages.keys import PREFIX
from tests import test_contract as contract
from tests.advice.test_needs import test_after_the_best_way_out_the_plan_is_served as has_ways_out
from tests.audit.test_significant_digits_claims import (
    test_the_law_of_the_shipped_run_keeps_the_claim as keeps_its_claim,
)
from tests.documents import blocks
from tests.harness import unsupported
from tests.pages.driving import figures, open_page, run
from tests.test_group_privacy import test_every_mechanism_has_a_part_and_states_the_whole as is_divided

KEY = "plain"
ROOT = Path(__file__).parents[2]
MORE_IMPORTS = """\
from dpq_core.mechanisms.gk.mechanism import GKParameters
from dpq_core.sketches.greenwald_khanna import GKSketch
"""
"""For what is broken."""


@pytest.fixture
def plain(monkeypatch):
    (code,) = blocks("CONTRIBUTING.md")
    module = ModuleType("dpq_core.mechanisms.plain.mechanism")
    module.__package__ = "dpq_core.mechanisms.plain"
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(code, "CONTRIBUTING.md", "exec"), vars(module))
    monkeypatch.setitem(MECHANISMS, module.KEY, module)
    monkeypatch.setitem(MECHANISM_LABELS, module.KEY, module.LABEL)
    monkeypatch.setitem(contract.ROWS, module.KEY, contract.Row())
    return module


def test_it_keeps_what_every_mechanism_promises(plain):
    contract.test_every_mechanism_has_a_row()
    for check in (
        contract.test_a_module_introduces_itself,
        contract.test_no_quantiles_spend_nothing,
        contract.test_levels_in_any_order_keep_their_answers,
        contract.test_unknown_options_and_bad_values_are_refused_by_name,
        contract.test_a_huge_budget_gives_the_truth,
    ):
        check(KEY)
    contract.test_both_samplers_have_one_law(KEY, ("1/2",))
    for adjacency in Adjacency:
        for domain in (contract.DOMAIN, contract.SIGNIFICANT):
            contract.test_answers_lie_on_the_grid_in_order_and_within_the_guarantee(KEY, "pure", adjacency, domain)
            contract.test_the_exact_loss_stays_within_the_guarantee(KEY, "pure", adjacency, domain)
            contract.test_a_trace_is_a_simulated_run(KEY, "pure", adjacency, domain, 2, (0, 1))
        contract.test_a_simulation_is_repeatable_and_not_a_release(KEY, "pure", adjacency)
        keeps_its_claim(KEY, adjacency)
        for privacy in (PureDP(1.0), ApproxDP(1.0, 1e-6), ZCDP(0.5)):
            has_ways_out(KEY, adjacency, privacy)
            is_divided(KEY, privacy, adjacency, 1)
    contract.test_tiny_and_tied_data_are_answered(KEY, [], contract.DOMAIN)
    assert unsupported(Plan(["1/2"], KEY, ZCDP(0.1)))


BREAKS = {
    "run": ("def run(column: Column, parameters:", "def run(column: Column, *, parameters:"),
    "parameters": (
        "def run(column: Column, parameters: PlainParameters",
        "def run(column: Column, parameters: GKParameters",
    ),
    "law": ("cells: Integers, parameters: PlainParameters", "cells: Integers, parameters: GKParameters"),
    "trace": ("-> list[TraceStep]:", "-> list[Fraction]:"),
    "reads": ("READS = Column ", "READS = GKSketch "),
    "name": ("PROFILE = Profile()", "PROFILES = Profile()"),
    "options": ("OPTIONS: tuple[Option, ...] = ()", "OPTIONS: tuple[str, ...] = ()"),
}
"""By what is broken: a text of the example, and what stands for it."""


@pytest.mark.slow
def test_mypy_compares_it_with_what_a_mechanism_is(tmp_path):
    """In one table with the example as it stands, which fits, are copies that do not: each line of theirs is found."""
    (code,) = blocks("CONTRIBUTING.md")
    whole = code.replace("from ...", "from dpq_core.").replace("from ..", "from dpq_core.mechanisms.")
    whole = whole.replace("import numpy as np\n", f"import numpy as np\n{MORE_IMPORTS}")
    names = ["whole", *BREAKS]
    for name, (old, new) in {"whole": ("", ""), **BREAKS}.items():
        assert not old or whole.count(old) == 1, name
        (tmp_path / f"plain_{name}.py").write_text(whole.replace(old, new) if old else whole)
    imports = ["from dpq_core import Column", "from dpq_core.mechanisms.registry import checked"]
    imports += [f"import plain_{name}" for name in names]
    lines = [f"checked(plain_{name}, plain_{name}.PlainParameters, Column)" for name in names]
    (tmp_path / "table.py").write_text("\n".join([*imports, *lines]))
    command = [sys.executable, "-m", "mypy", "--hide-error-context", str(tmp_path / "table.py")]
    environment = {**os.environ, "MYPYPATH": str(tmp_path)}
    said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False).stdout
    found = {names[int(number) - len(imports) - 1] for number in re.findall(r"table\.py:(\d+): error:", said)}
    assert (found, "plain_whole.py" in said) == (set(BREAKS), False), said


@pytest.mark.slow
def test_studies_and_pages_know_it(plain):
    (row,) = [row for _, row in engine.steps(StudyDesign(mechanisms=[KEY], quantiles=[3], n=[50], trials=10))]
    assert row.supported
    assert row.label == plain.LABEL
    visit = open_page("inside")
    run(visit.selectbox(key=f"{PREFIX}_mechanism").set_value(KEY))
    run(visit.button(key=f"{PREFIX}_run_inside").click())
    assert visit.session_state[f"{PREFIX}:inside:run"].plan.mechanism == KEY
    assert figures(visit)
