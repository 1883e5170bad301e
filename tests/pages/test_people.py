"""A person, not a row: asked of a file, kept in links and files, told in the report; and never an id or a count."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from streamlit.testing.v1 import AppTest

from dpq_core import Domain, Plan, Sample, simulate, true_quantiles
from dpq_core.ledger import Ledger
from dpq_core.results import EXPLORE_SEED, Released, Simulation, exports, scripts
from dpq_core.sources.examples import load_example, load_people
from pages.keys import PREFIX
from tests.pages.driving import (
    bring,
    cells,
    field,
    forget,
    link_of,
    open_page,
    press,
    run,
    said,
    set_bounds,
    state_of,
    turn_to,
    words,
)

RNG = np.random.default_rng(5)
PATIENTS = [f"QX{number:05d}" for number in RNG.integers(0, 99_999, size=83)]
WHOSE = [*PATIENTS, *RNG.choice(PATIENTS[:40], size=389)]
MINUTES = RNG.integers(0, 121, size=len(WHOSE))
TABLE = "visit_id,patient_id,minutes\n" + "".join(
    f"{7_000_000 + at},{one},{minutes}\n" for at, (one, minutes) in enumerate(zip(WHOSE, MINUTES, strict=True))
)
HIDDEN = re.compile(rf"QX\d{{5}}|70000\d\d|(?<![\da-f.])({len(PATIENTS)}(?![\da-f.])|{len(WHOSE)}(?![\da-f]))")
"""Ids, the number of persons and that of rows, but not inside of a random id such as a472f0."""


def read_with_people(visit: AppTest) -> AppTest:
    """Say by the one button whose rows they are, and read both columns."""
    visit = bring(visit, TABLE.encode(), "practice.csv", column="minutes", ids=True)
    run(field(visit, "one").set_value("patient"))
    return set_bounds(visit, "0", "120", "0.5")


def test_a_file_asks_by_the_name_of_a_column_and_a_release_protects_people(own_ledger: Path) -> None:
    visit = open_page(quantiles="quartiles", take="mean", data="file")
    assert visit.selectbox(key=f"{PREFIX}_adjacency").options[0] == "one person joins or leaves", "before it is read"
    visit = read_with_people(visit)
    assert "one patient with all rows joins or leaves" in said(visit)
    press(visit)
    released = state_of(visit, "release")
    assert isinstance(released, Released)
    assert released.person is not None
    assert released.guarantee.protects == "person"
    assert (released.person.column, released.person.settings) == ("patient_id", {"take": "mean"})
    assert '"person": {\n    "column": "patient_id"' in exports.as_plan(released)
    link = link_of(visit)
    assert (link["person"], link["take"]) == ("same", "mean")
    report = turn_to(visit, "report")
    assert "any one patient, with all their rows" in said(report)
    assert "each patient counts once, by the mean of their rows" in said(report)
    for page in (visit, report):
        assert HIDDEN.search(words(page)) is None
    ledger = Ledger.at(own_ledger)
    assert [account.one_row_is for account in ledger.accounts()] == ["patient with all rows"]
    ledger.engine.dispose()
    assert HIDDEN.search(own_ledger.read_bytes().decode("latin-1")) is None


def test_rows_and_people_are_never_added_up_in_one_budget() -> None:
    visit = read_with_people(open_page(quantiles="median"))
    press(visit)
    set_bounds(bring(forget(visit), TABLE.encode(), "practice.csv", column="minutes"), "0", "120", "0.5")
    assert visit.button(key=f"{PREFIX}_run").disabled
    assert "protects one patient with all rows, and this would be released for one person" in said(visit)


def test_a_link_to_an_example_keeps_the_choice_and_its_script_repeats_it() -> None:
    visit = open_page(data="visits", person="same", take="mean", quantiles="quartiles", mechanism="aq")
    shown = state_of(visit, "explore")
    assert isinstance(shown, Simulation)
    people, values = load_people("visits"), load_example("visits").values
    sample = Sample.from_values(values, Domain(0, 180, "0.1"), seed=EXPLORE_SEED, people=people, take="mean")
    plan = Plan(["1/4", "1/2", "3/4"], "aq")
    assert shown.n == people.count == 1000
    assert shown.true_values == tuple(true_quantiles(sample, plan.quantiles))
    assert shown.values == tuple(simulate(sample, plan, trials=shown.draws, seed=shown.seed).values[0])
    told: dict[str, object] = {}
    exec(scripts.as_script(shown).replace("print(level, value)", "pass"), told)
    answer = told["answer"]
    assert isinstance(answer, np.ndarray)
    assert tuple(answer.tolist()) == shown.values
    assert {"person", "take"} <= link_of(visit).keys()
    run(visit.button(key=f"{PREFIX}_which_take").click())
    table = next(cells(each) for each in visit.dataframe if "what counts" in each.value.columns)
    at = table["what counts"].index("Their mean")
    assert [float(table[level][at]) for level in ("25 %", "50 %", "75 %")] == list(shown.true_values)
    assert table["rows left out"][-1] == "53 %"


def test_every_row_by_itself_stays_the_usual_way() -> None:
    visit = open_page(data="visits", quantiles="median")
    shown = state_of(visit, "explore")
    assert isinstance(shown, Simulation)
    assert (shown.n, shown.guarantee.protects, shown.person) == (5670, "record", None)
    assert "person" not in link_of(visit)


def test_shares_are_offered_where_the_core_has_them_and_refused_with_a_way_out() -> None:
    visit = open_page(data="visits", person="same", take="share", quantiles="median", mechanism="slice")
    assert visit.button(key=f"{PREFIX}_run").disabled
    assert "“How to combine a person’s rows” must make one record of each person" in said(visit)
    keys = [str(button.key) for button in visit.button]
    run(visit.button(key=next(key for key in keys if "_way_" in key and "mechanism" in key)).click())
    shown = state_of(visit, "explore")
    assert isinstance(shown, Simulation)
    assert (shown.plan.mechanism, shown.n, shown.guarantee.protects) == ("aq", 1000, "person")


def test_shares_have_intervals() -> None:
    visit = open_page(data="visits", person="same", take="share", quantiles="median", intervals="0.95")
    shown = state_of(visit, "explore")
    assert isinstance(shown, Simulation)
    assert shown.plan.intervals is not None
    ((low, high),) = shown.intervals
    assert low < shown.values[0] < high
    assert "all rows of a person weigh 1 together" in said(visit)
