"""A person, not a row; bounds found from a part of the budget; significant digits: on pages, in scripts, in reports."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpq_core import MECHANISMS, Column, Domain, FindBounds, Plan, simulate, true_quantiles
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import stored_releases
from dpq_core.question import Question
from dpq_core.results import exports, trace
from dpq_core.results.data_set import EXPLORE_SEED
from dpq_core.results.exports import as_plan
from dpq_core.results.kinds import Released, Simulated
from dpq_core.sources.examples import load_example, load_people
from dpq_core.studies import engine
from dpq_core.studies.design import StudyDesign
from pages.keys import PREFIX
from pages.shell import waiting
from tests.pages import driving
from tests.pages.driving import all_named, bring, csv_of, link_of, open_page, press, run, said, set_bounds, state_of
from tests.ui.test_subjects import OWN

RNG = np.random.default_rng(5)
PATIENTS = [f"QX{number:05d}" for number in RNG.integers(0, 99_999, size=183)]
WHOSE = [*PATIENTS, *RNG.choice(PATIENTS[:40], size=389)]
MINUTES = RNG.integers(0, 121, size=len(WHOSE))
TABLE = "visit_id,patient_id,minutes\n" + "".join(
    f"{7_000_000 + at},{one},{minutes}\n" for at, (one, minutes) in enumerate(zip(WHOSE, MINUTES, strict=True))
)
HIDDEN = re.compile(rf"QX\d{{5}}|70000\d\d|(?<![\da-f.])({len(PATIENTS)}(?![\da-f.])|{len(WHOSE)}(?![\da-f]))")
"""Ids, the number of persons and that of rows (above all values), but not inside of a random id such as a472f0."""


@pytest.mark.slow
def test_a_file_asks_by_the_name_of_a_column_and_a_release_protects_people(own_ledger: Path) -> None:
    visit = open_page(quantiles="quartiles", per_person="mean", data="file", mechanism="aq")
    assert visit.selectbox(key=f"{PREFIX}_adjacency").options[0] == "one person joins or leaves", "before it is read"
    visit = bring(visit, TABLE.encode(), "practice.csv", column="minutes", ids=True)
    run(driving.field(visit, "one").set_value("patient"))
    set_bounds(visit, "0", "120", "0.5")
    assert "one patient with all rows joins or leaves" in said(visit)
    press(visit)
    released = state_of(visit, "release")
    assert isinstance(released, Released)
    assert released.question.persons is not None
    assert released.guarantee.protects == "person"
    assert (released.question.persons.column, released.question.persons.settings) == (
        "patient_id",
        {"per_person": "mean"},
    )
    assert Question.from_json(exports.as_plan(released)) == released.question
    assert link_of(visit).items() >= {"person": "same", "per_person": "mean"}.items()
    report = driving.turn_to(visit, "releases")
    assert "any one patient, with all their rows" in said(report)
    for page in (visit, report):
        assert HIDDEN.search(driving.words(page)) is None
    ledger = Ledger.at(own_ledger)
    assert [account.one_row_is for account in ledger.accounts()] == ["patient"]
    ledger.engine.dispose()
    assert HIDDEN.search(own_ledger.read_bytes().decode("latin-1")) is None
    set_bounds(bring(driving.forget(visit), TABLE.encode(), "practice.csv", column="minutes"), "0", "120", "0.5")
    assert "one patient with all rows" in said(visit)
    assert visit.button(key=f"{PREFIX}_run").disabled, "rows and persons are never added up in one budget"


def repeated(outcome: Simulated) -> tuple[float, ...]:
    """What the script of a simulation answers."""
    told: dict[str, Any] = {}
    exec(exports.as_script(outcome).replace("print(*", "len("), told)
    return tuple(told["runs"][0].tolist())


@pytest.mark.slow
def test_a_link_to_an_example_keeps_the_choice_and_its_script_repeats_it() -> None:
    rows = state_of(open_page(data="visits", quantiles="median"), "explore")
    assert isinstance(rows, Simulated)
    assert (rows.n, rows.guarantee.protects, rows.question.persons) == (5670, "record", None), "every row by itself"
    visit = open_page(data="visits", person="same", per_person="mean", quantiles="quartiles", mechanism="aq")
    shown = state_of(visit, "explore")
    assert isinstance(shown, Simulated)
    people, values = load_people("visits"), load_example("visits").values
    column = Column.from_values(values, Domain(0, 180, "0.1"), seed=EXPLORE_SEED, people=people, per_person="mean")
    plan = Plan(["1/4", "1/2", "3/4"], "aq")
    assert shown.n == people.count == 1000
    assert shown.only.true_values == tuple(true_quantiles(column, plan.quantiles))
    assert shown.only.values == tuple(simulate(column, plan, trials=shown.draws, seed=shown.seed).values["column"][0])
    assert repeated(shown) == shown.only.values
    assert {"person", "per_person"} <= link_of(visit).keys()
    run(visit.button(key=f"{PREFIX}_which_take").click())
    table = next(driving.cells(each) for each in visit.dataframe if "what counts" in each.value.columns)
    at = table["what counts"].index("Their mean")
    assert [float(table[level][at]) for level in ("25 %", "50 %", "75 %")] == list(shown.only.true_values)
    assert table["rows left out"][-1] == "53 %"


@pytest.mark.slow
def test_shares_are_offered_with_intervals_and_refused_with_a_way_out() -> None:
    link = {"data": "visits", "person": "same", "per_person": "weight", "quantiles": "median"}
    visit = open_page(**link, mechanism="slice")
    assert visit.button(key=f"{PREFIX}_run").disabled
    run(visit.button(key=next(key for key in driving.keys(visit) if "_way_" in key and "mechanism" in key)).click())
    shown = state_of(visit, "explore")
    assert isinstance(shown, Simulated)
    assert (shown.plan.mechanism, shown.n, shown.guarantee.protects) == ("aq", 1000, "person")
    between = state_of(open_page(**link, mechanism="aq", intervals="0.95"), "explore")
    assert isinstance(between, Simulated)
    ((low, high),) = between.only.intervals
    assert low < between.only.values[0] < high


def test_a_budget_that_is_too_small_for_so_many_rows_is_said() -> None:
    """The fault that was there: nothing could be chosen, and the page broke."""
    visit = open_page(data="visits", person="same", per_person="rows", max_rows_per_person="3", epsilon="1e-9")
    assert "leave each record a budget of at least" in said(visit)


SIMULATION, RELEASE = f"{PREFIX}:outcome:explore", f"{PREFIX}:outcome:release"
INCOMES = np.random.default_rng(9).lognormal(9, 1, 4321).round(2)
CANARIES = ("4,321", "4321", f"{INCOMES.max():.2f}", f"{INCOMES.min():.2f}")


@pytest.mark.slow
def test_a_simulation_finds_its_bounds_and_its_script_repeats_it() -> None:
    visit = open_page(bounds="find", share="20 %", quantiles="quartiles", mechanism="aq", step="1")
    outcome = visit.session_state[SIMULATION]
    assert outcome.only.domain.lower <= 0 < outcome.only.domain.upper
    assert link_of(visit)["bounds"] == "find"
    assert "Settings changed" not in said(run(visit))
    assert repeated(outcome) == outcome.only.values
    assert Question.from_json(as_plan(outcome)).possible == {outcome.wording.name: FindBounds(Fraction(1, 5), step=1)}
    other = open_page("tradeoff", bounds="find")
    assert other.session_state[f"{PREFIX}_bounds"] == "digits", "a page that cannot find bounds"


@pytest.mark.slow
def test_inside_shows_the_run_of_quantiles_between_the_bounds_that_it_found() -> None:
    chosen = {"bounds": "find", "quantiles": "quartiles", "mechanism": "aq", "step": "1", "data": "income"}
    outcome = open_page(**chosen).session_state[SIMULATION]
    inside = open_page("inside", splits="drawn", **chosen).session_state[RUN]
    assert sorted(step.value for step in inside.steps) == list(outcome.only.values)
    assert (inside.domain, inside.guarantee) == (outcome.only.domain, outcome.guarantee)
    assert dict(zip([step.level for step in inside.steps], inside.errors, strict=True)) == dict(
        zip(outcome.plan.quantiles, outcome.only.errors, strict=True)
    )


@pytest.mark.slow
def test_compare_finds_the_bounds_of_every_run_and_its_grid_file_repeats_it() -> None:
    visit = open_page("compare", bounds="find", share="20 %", quantiles="quartiles", data="income")
    request, job = visit.session_state[f"{PREFIX}:study:compare"], visit.session_state[waiting._key("compare")]
    assert request.grid.find_bounds == FindBounds(Fraction(1, 5), step=100)
    aq = next(row for row in job.parts if row.mechanism == "aq")
    (row,) = [row for _, row in engine.steps(StudyDesign.from_json(request.grid.to_json())) if row.mechanism == "aq"]
    assert (aq.mean_error, aq.bound_source) == (row.mean_error, "")
    known = StudyDesign.from_dict(request.grid.as_dict() | {"find_bounds": None, "mechanisms": ["aq"]})
    ((_, best),) = engine.steps(StudyDesign.from_dict(known.as_dict() | {"domains": [Domain(0, 1_000_000, 100)]}))
    assert aq.mean_error != best.mean_error
    shares = open_page("compare", data="visits", person="same", per_person="weight", bounds="find", quantiles="median")
    rows = shares.session_state[waiting._key("compare")].parts
    assert {"aq", "indexp"} <= {row.mechanism for row in rows if not row.refused and row.mean_error < 300}


@pytest.mark.slow
def test_a_missing_value_counts_as_0_where_nobody_said_bounds_and_decides_none() -> None:
    visit = bring(open_page(adjacency="replace_one", mechanism="aq"), b"age\n" + b"30\nNA\n50\n" * 60, public=True)
    for way in ("find", "digits"):
        run(visit.button_group(key=f"{PREFIX}_bounds").set_value(way))
        outcome = press(visit).session_state[SIMULATION]
        assert outcome.question.missing == {outcome.wording.name: 0}
        assert way == "digits" or -10 < outcome.only.domain.lower < outcome.only.domain.upper < 1000


@pytest.mark.slow
def test_a_release_finds_its_bounds_once_and_tells_nothing_of_the_data() -> None:
    visit = bring(open_page(quantiles="quartiles", mechanism="aq", data="file"), csv_of(INCOMES))
    run(visit.button_group(key=f"{PREFIX}_bounds").set_value("find"))
    run(visit.text_input(key=f"{PREFIX}_step").set_value("100"))
    outcome = press(visit).session_state[RELEASE]
    assert outcome.guarantee.epsilon <= 1
    assert outcome.only.domain.step == 100
    assert outcome.release.description.records is None
    assert "Settings changed" not in said(visit)
    assert not [canary for canary in CANARIES if canary in driving.words(visit)]
    assert all(0 <= value % 100 == 0 for value in outcome.only.values)
    ledger = Ledger.from_environment()
    (stored,) = stored_releases(ledger)
    assert outcome.release == stored.release
    ledger.engine.dispose()
    report = driving.sheet(open_page("releases", answer=stored.release.id))
    assert "The bounds were found in the data" in report
    assert "which were set before" not in report, "nothing is said of what may lie beyond found bounds"


@pytest.mark.slow(keep="mean")
@pytest.mark.parametrize("per_person", ["mean", "weight"])
def test_bounds_are_found_among_people_and_among_shares_of_them(per_person: str) -> None:
    visit = open_page(
        data="visits", person="same", per_person=per_person, bounds="find", quantiles="median", mechanism="aq"
    )
    outcome = visit.session_state[SIMULATION]
    assert (outcome.n, outcome.guarantee.protects) == (1000, "person")
    assert "Settings changed" not in said(run(visit))
    assert repeated(outcome) == outcome.only.values


@pytest.mark.slow
def test_intervals_may_rest_on_a_noisy_count_and_the_script_repeats_it() -> None:
    visit = open_page(quantiles="median", mechanism="aq", intervals="0.9", counted="noisy", data="income")
    outcome = visit.session_state[SIMULATION]
    assert outcome.plan.about_n == "noisy"
    assert min(outcome.only.held) >= 0.9
    assert not all_named(visit.text_input, "shape_size")
    assert link_of(visit)["counted"] == "noisy"
    assert repeated(outcome) == outcome.only.values
    run(visit.selectbox(key=f"{PREFIX}_adjacency").set_value("replace_one"))
    assert not all_named(visit.button_group, "counted"), "the number is public"


SIMULATION, RUN = f"{PREFIX}:outcome:explore", f"{PREFIX}:inside:run"
WIDE = np.random.default_rng(8).lognormal(8, 3, 400)


@pytest.mark.slow
def test_a_column_over_many_decades_needs_no_bounds() -> None:
    visit = bring(open_page("explore", quantiles="deciles", mechanism="aq", data="file"), csv_of(WIDE), public=True)
    run(visit.button_group(key=f"{PREFIX}_bounds").set_value("digits"))
    run(visit.button_group(key=f"{PREFIX}_negative").set_value("no"))
    outcome = press(visit).session_state[SIMULATION]
    assert outcome.only.domain == Domain.significant(2, negative=False)
    assert all(float(f"{value:.2g}") == value for value in outcome.only.values)
    assert "ticktext" in driving.figures(visit)[0]["layout"]["xaxis"]


def test_a_link_carries_the_digits_of_an_example_to_inside() -> None:
    link = {"bounds": "digits", "digits": "3", "quantiles": "quartiles"}
    visit = open_page(**link)
    assert visit.session_state[SIMULATION].only.domain == Domain.significant(3)
    assert link_of(visit) == link
    assert driving.turn_to(visit, "inside").session_state[RUN].domain == Domain.significant(3)


@pytest.mark.parametrize("mechanism", [key for key in MECHANISMS if key not in {"normal", "slice"}])
def test_a_trace_on_significant_digits_counts_every_record_once(mechanism: str) -> None:
    data = replace(OWN, values=WIDE)
    column = Column.from_values(WIDE, Domain.significant(2), seed=EXPLORE_SEED)
    options = {"n_max": 1000} if mechanism == "gkexp" else {}
    plan = Plan(["1/4", "3/4"], mechanism, options=options)
    found = trace.explain_once(data, column, plan, seed=1)
    widths = np.diff(found.edges)
    assert widths == pytest.approx(np.full(widths.size, widths[0]))
    inside = (column.values_of(column.cells) >= found.edges[0]) & (column.values_of(column.cells) <= found.edges[-1])
    assert sum(found.counts) == np.count_nonzero(inside) >= 390
    assert found.spread >= 1
