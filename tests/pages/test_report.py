"""The Report page: what it tells of, by which numbers of people, and that it never tells the truth."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from dpq_core import Adjacency, ApproxDP, Domain, Groups, People, Plan, PureDP, Sample
from dpq_core.ledger.accounts import LONGEST_TEXT, Ledger
from dpq_core.ledger.charging import charged_release
from dpq_core.ledger.history.entries import stored_releases
from dpq_core.release import ColumnWords, Description
from dpq_core.results.error_bound import TRIALS
from dpq_core.studies.engine import steps
from dpq_core.studies.grid import Grid
from pages.frame import state
from pages.keys import PREFIX
from pages.report.view import TYPED
from pages.server import downloads
from tests.pages.driving import bring, csv_of, field, open_page, own, press, run, set_bounds, sheet, turn_to

FIRST, SECOND, SURER = ("a" * 31 + digit for digit in "123")
SAMPLE = Sample.from_values(np.random.default_rng(3).integers(18, 90, 4321), Domain(0, 120, 1))
PLAN = Plan([f"{k}/10" for k in range(1, 10)], "aq", PureDP(1.0))
SIMULATION, RELEASE = f"{PREFIX}:outcome:explore", f"{PREFIX}:outcome:release"
NO_RELEASE = "It is no release"
open_report = partial(open_page, "report")


def newest() -> str:
    """The id of the last release that the ledger of this test has answered."""
    ledger = Ledger.from_environment()
    found = stored_releases(ledger)[0].release.id
    ledger.engine.dispose()
    return found


@pytest.fixture
def kept(own_ledger: Path) -> dict[str, tuple[float, ...]]:
    """Two released answers of the same plan and one at twice the budget, by their ids."""
    ledger = Ledger.from_environment()
    account = ledger.open_account(
        "patients", budget=ApproxDP(5.0, 1e-5), adjacency=Adjacency.ADD_REMOVE, one_row_is="patient"
    )
    plans = {FIRST: PLAN, SECOND: PLAN, SURER: replace(PLAN, privacy=PureDP(2.0))}
    found = {
        name: charged_release(SAMPLE, plan, account, release_id=name).cells[0].values[0] for name, plan in plans.items()
    }
    ledger.engine.dispose()
    return found


@pytest.mark.slow
def test_opens_with_a_simulation_that_says_so_and_shows_no_truth(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The same simulation beside another truth: the page is the same, letter by letter."""
    monkeypatch.delenv("DPQ_LEDGER_URL")
    monkeypatch.setenv("HOME", str(tmp_path))
    visit = open_report()
    assert list(tmp_path.rglob("*.sqlite")) == [], "no ledger is made for looking"
    simulation = visit.session_state[SIMULATION]
    assert NO_RELEASE in sheet(visit)
    shown = re.findall(r"\d+ %(?:\s+· median)?\s+(\d+)\s", sheet(visit).partition("Private answer")[2])
    assert tuple(map(float, shown[:9])) == simulation.only.values
    assert "seed 1" in sheet(visit)
    before = [element.proto.body for element in visit.get("html")]
    offers = visit.session_state[downloads._OFFERS].values()
    day = datetime.now(UTC).date().isoformat()
    names = sorted(offer.name for offer in offers if offer.name.startswith("report"))
    assert names == [f"report-simulation-Age-{day}.html"]
    other = replace(simulation.only, true_values=(1.0,) * 9, errors=(99.0,) * 9, lows=(-99.0,) * 9, highs=(99.0,) * 9)
    visit.session_state[SIMULATION] = replace(simulation, answers=(other,), runs=None)
    assert [element.proto.body for element in run(visit).get("html")] == before


@pytest.mark.slow
def test_a_kept_answer_from_its_link(kept: dict[str, tuple[float, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpq_core.ledger.history.entries.stored_releases", partial(stored_releases, most=1))
    visit = open_report(answer=FIRST, second=SECOND, title="age", unit="years", records="4000")
    assert "second" in visit.info[0].value, "up to 1.1 the report averaged two releases"
    assert NO_RELEASE not in sheet(visit), "it is behind the last ones, and found by its link"
    assert all(f" {value:g} " in sheet(visit) for value in kept[FIRST])
    assert FIRST in sheet(visit)
    assert SECOND not in sheet(visit)
    assert "any one patient" in sheet(visit)
    assert "ε = 1 left of ε = 5" in sheet(visit)
    assert visit.query_params["answer"] == f"1/{FIRST}"
    assert "4321" not in sheet(visit).replace(",", "")
    unknown = open_report(answer="b" * 32)
    assert "not in the ledger" in unknown.info[0].value
    assert NO_RELEASE in sheet(unknown)


@pytest.mark.slow
def test_an_id_belongs_to_one_account_alone(own_ledger: Path) -> None:
    """Nightly scripts give each data set the same id. A link with the id alone shows none of two answers by chance."""
    ledger, night = Ledger.from_environment(), "income-2026-11"
    alone = ["2026/11", "a" * LONGEST_TEXT, "june ", "a/ ü & b=?#%2F"]
    for name, ids in {"patient": [night], "nurse": [night, *alone]}.items():
        account = ledger.open_account(name, budget=PureDP(9.0), adjacency=Adjacency.ADD_REMOVE, one_row_is=name)
        for each in ids:
            charged_release(SAMPLE, PLAN, account, release_id=each)
    ledger.engine.dispose()
    visit = open_report(answer=night)
    assert "Several data sets have a release with the id in this link" in visit.info[0].value
    assert NO_RELEASE in sheet(visit)
    for number, one in ((1, "patient"), (2, "nurse")):
        run(visit.selectbox(key=f"{PREFIX}_answer").set_value(f"{number}/{night}"))
        assert visit.query_params["answer"] == f"{number}/{night}"
        assert not visit.info
        for shown in (visit, open_report(answer=f"{number}/{night}")):
            assert f"any one {one}" in sheet(shown)
    for each in (*alone, *(f"2/{each}" for each in alone)):
        assert "any one nurse" in sheet(open_report(answer=each)), each


def test_a_declaration_taken_back_takes_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulation of an upload is told only while the upload is declared public, on a server that allows it."""
    visit = open_report()
    visit.session_state[SIMULATION] = replace(visit.session_state[SIMULATION], identity="upload:0", of_example=False)
    assert sheet(run(visit)) == ""
    visit.session_state[f"{PREFIX}_public_0"] = True
    assert NO_RELEASE in sheet(run(visit))
    monkeypatch.setenv(state.SERVER_MODE, "release")
    assert sheet(run(visit)) == ""


@pytest.mark.slow
def test_a_day_later_the_report_says_the_words_of_the_release(own_ledger: Path) -> None:
    """In another session, which knows nothing but the ledger, and where another column has a unit of its own."""
    file = "body_height\n" + "".join(f"{30 + at % 90}\n" for at in range(300))
    first = own(file.encode(), "heights.csv", mechanism="aq")
    for name, told in {"column_unit": "cm", "one": "patient"}.items():
        run(field(first, name).set_value(told))
    press(first)
    visit = open_report(answer=newest())
    for name, value in {"unit": "€", "column_unit": "€", "one": "trip"}.items():
        visit.session_state[f"{PREFIX}_{name}"] = value
    asked = {field.key for field in run(visit).text_input}
    assert asked & {f"{PREFIX}_{name}" for name in TYPED} == {f"{PREFIX}_records", f"{PREFIX}_title"}
    for told, there in {"Body height": 1, "Private answer (cm)": 1, "any one patient": 1, "€": 0, "trip": 0}.items():
        assert (told in sheet(visit)) is bool(there), told
    called = visit.text_input(key=f"{PREFIX}_title")
    assert called.placeholder == "body height"
    told = sheet(run(called.set_value("Height at 18")))
    assert "Height at 18" in told
    assert "body height" not in told.lower()
    assert "Height at 18" in visit.query_params["title"], "a link shows the same sheet"


@pytest.mark.slow
def test_where_the_number_of_people_is_public_the_report_knows_it(own_ledger: Path) -> None:
    press(own(csv_of(np.arange(7319) % 90), adjacency="substitute", quantiles="quartiles", mechanism="aq"))
    visit = open_report(answer=newest(), records="500")
    assert "7,319 " in sheet(visit)
    assert f"{PREFIX}_records" not in {widget.key for widget in visit.text_input}


def test_what_was_said_of_one_answer_is_forgotten_with_it(kept: dict[str, tuple[float, ...]]) -> None:
    """Whether somebody has said the number of people behind an error or nobody: the report says "if"."""
    visit = open_report(answer=FIRST, title="income", unit="years")
    assert "If there are about 1,000 patients ranked" in sheet(visit)
    visit.session_state[f"{PREFIX}_column_unit"] = "€"
    run(visit.text_input(key=f"{PREFIX}_records").set_value("4,000"))
    assert "If there are about 4,000 patients ranked" in sheet(visit)
    assert "ranks of 1,000" not in sheet(visit)
    assert "Private answer (years)" in sheet(visit)
    run(visit.selectbox(key=f"{PREFIX}_answer").set_value(f"1/{SECOND}"))
    for said in ("€", "income", "Private answer (", "4,000"):
        assert said not in sheet(visit)
    assert "If there are about 1,000 patients ranked" in sheet(visit)


@pytest.mark.slow
def test_people_of_an_example_are_not_those_of_a_release(own_ledger: Path) -> None:
    """The income example has 20,000 people; a release of an own file after it has a number that nobody knows."""
    visit = turn_to(press(open_page(data="income", mechanism="aq")), "report")
    assert visit.text_input(key=f"{PREFIX}_records").value == "20000"
    assert "With the 20,000 people ranked" in sheet(visit), "of an example everybody knows"
    quantiles = bring(turn_to(visit, "quantiles"), b"age\n" + b"30\n40\n50\n" * 90)
    visit = turn_to(press(set_bounds(quantiles, "0", "120", "1")), "report")
    assert NO_RELEASE not in sheet(visit)
    assert "20,000" not in sheet(visit)
    assert "If there are about 1,000 people ranked" in sheet(visit)
    guessed = own(csv_of(np.arange(90)), mechanism="aq")
    press(run(field(guessed, "shape_size").set_value("90")))
    assert "If there are about 90 people ranked" in sheet(turn_to(guessed, "report")), "as was guessed before it"
    assert "about 500 people" in sheet(turn_to(guessed, "report", records="500")), "a link says another number"


@pytest.mark.slow
def test_the_mean_rank_error_is_the_one_that_compare_finds() -> None:
    """On the same public shape at the same setting, by the same name: within four standard errors of both."""
    visit, name = open_report(), f"{PREFIX}:outcome:explore"
    visit.session_state[name] = open_page(mechanism="indexp").session_state[name]
    run(visit)
    told = re.search(r"Mean rank error, over all answers and runs: ([\d.]+) ranks", unescape(sheet(visit)))
    assert told
    simulation = visit.session_state[name]
    grid = Grid(
        mechanisms=["indexp"], budgets=[PureDP(1.0)], quantiles=[simulation.plan.quantiles], data=["reference"],
        n=[1000], domains=[simulation.only.domain], trials=1024,
    )  # fmt: skip
    ((_, row),) = steps(grid)
    error = row.mean_error_se * (1 + row.trials / TRIALS) ** 0.5
    assert abs(float(told[1]) - row.mean_error) < 4 * error + 0.05, "the report has two digits"


@pytest.mark.slow
def test_all_groups_and_several_columns_from_their_links(own_ledger: Path) -> None:
    """A release of groups is in no order; of columns each has its sentence and its unit."""
    ledger = Ledger.from_environment()
    joins = Adjacency.ADD_REMOVE
    account = ledger.open_account("towns", budget=ApproxDP(8.0, 1e-5), adjacency=joins, one_row_is="person")
    words = Description(columns={"age": ColumnWords(unit="years")}, one="person", many="people")
    ages, towns = [20.0, 70.0] * 2000, ["North", "<b>South"] * 2000
    groups = Groups.from_values(ages, towns, SAMPLE.domain, names=["North", "<b>South"])
    charged_release(groups, PLAN, account, release_id=FIRST, words=replace(words, group_size=2000))
    columns = replace(words, columns={"age": ColumnWords(unit="years"), "hours": ColumnWords(unit="h")})
    charged_release({"age": SAMPLE, "hours": SAMPLE}, PLAN, account, release_id=SECOND, words=columns)
    charged_release(groups, PLAN, account, release_id=SURER)
    ledger.engine.dispose()
    visit = open_report(answer=FIRST)
    assert re.search("The median of age is about [67]. years in &lt;b&gt;South, and about ", sheet(visit))
    (label,) = [field for field in visit.text_input if field.key == f"{PREFIX}_title"]
    assert (label.label, label.placeholder) == ("Label of the column", "age")
    assert "The median of length of life is about" in sheet(run(label.set_value("length of life")))
    unknown = sheet(open_report(answer=SURER))
    assert "in each of 2 groups" in unknown, "who is in how many groups? So no group is named"
    visit = open_report(answer=SECOND, records="4000")
    for said in ("age is ", "hours is "):
        assert f"For half of the people, {said}" in sheet(visit)
    assert "These answers have no intervals" in sheet(visit)
    labels = [each for each in visit.text_input if str(each.key).startswith(f"{PREFIX}_label_")]
    assert [(each.label, each.placeholder) for each in labels] == [("age", "age"), ("hours", "hours")]
    run(labels[1].set_value("working <time>"))
    assert "For half of the people, working &lt;time&gt; is " in sheet(visit)
    assert "hours is " not in sheet(visit)
    run(labels[1].set_value("age"))
    assert "For half of the people, hours is " in sheet(visit), "two columns of one name could not be told apart"


@pytest.fixture
def from_a_shell(own_ledger: Path) -> str:
    """The id of a release for persons that was charged without words, as a script does."""
    ledger = Ledger.from_environment()
    account = ledger.open_account(
        "stays", budget=PureDP(5.0), adjacency=Adjacency.ADD_REMOVE, one_row_is="patient with all rows"
    )
    people = People.of(np.arange(4321) // 3)
    sample = Sample.from_values(np.arange(4321) % 90, Domain(0, 120, 1), people=people, most_rows=3)
    charged_release(sample, PLAN, account, release_id=FIRST)
    ledger.engine.dispose()
    return FIRST


def test_persons_without_kept_words_are_persons_and_their_errors_unknown(from_a_shell: str) -> None:
    """How many rows of one person count is not kept, and errors for one row each would be too small."""
    said = sheet(open_report(answer=from_a_shell, title="stay", unit="days"))
    assert "any one patient, with all their rows" in said
    assert "This release does not record what counts of the rows of one patient" in said
    assert not re.findall("ranks|Errors worked out for", said)
