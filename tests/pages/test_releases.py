"""The page Releases: totals, history, and the report of each release from what the ledger stored."""

import json
import re
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.asked_of import question_of
from dpq_core.calibrations import calibrate
from dpq_core.columns_plan import ColumnsPlan
from dpq_core.frame import COLUMN
from dpq_core.ledger.accounts import LONGEST_TEXT, Ledger
from dpq_core.ledger.charging import Request, charged_answer, charged_release
from dpq_core.ledger.history.amounts import shown
from dpq_core.ledger.history.entries import standing, stored_releases
from dpq_core.ledger.history.statement import history_as_json
from dpq_core.release import ColumnWords, Description
from dpq_core.report.facts import Report
from dpq_core.report.html import as_html
from pages.keys import PREFIX
from pages.releases import choice, history
from pages.releases.choice import WORDS
from pages.server import downloads
from tests.pages.driving import csv_of, field, metrics, open_page, own, press, run, said, sheet, turn_to, words

FIRST, SECOND, SURER = ("a" * 31 + digit for digit in "123")
SAMPLE = dpq.Column.from_values(np.random.default_rng(3).integers(18, 90, 4321), dpq.Domain(0, 120, 1))
HALF = dpq.Plan(["1/4", "1/2"], "aq", dpq.PureDP(0.5))
PLAN = dpq.Plan([f"{k}/10" for k in range(1, 10)], "aq", dpq.PureDP(1.0))
SIMULATION, RELEASE = f"{PREFIX}:outcome:explore", f"{PREFIX}:outcome:release"
open_releases = partial(open_page, "releases")


def newest() -> str:
    """The id of the last release that the ledger of this test has answered."""
    ledger = Ledger.from_environment()
    found = stored_releases(ledger)[0].release.id
    ledger.engine.dispose()
    return found


@pytest.fixture
def kept(own_ledger: Path) -> dict[str, tuple[float, ...]]:
    """Two released answers of the same plan and one at twice the budget, by their ids."""
    account = dpq.account("patients", epsilon=5, delta=1e-5, one_row_is="patient")
    plans = {FIRST: PLAN, SECOND: PLAN, SURER: replace(PLAN, privacy=dpq.PureDP(2.0))}
    found = {
        name: charged_release(SAMPLE, plan, account, release_id=name).cells[0].values[0] for name, plan in plans.items()
    }
    account.ledger.engine.dispose()
    return found


def test_looking_makes_no_ledger(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DPQ_LEDGER_URL")
    monkeypatch.setenv("HOME", str(tmp_path))
    (link,) = open_releases().get("link_button")
    assert link.proto.url == "release"
    assert list(tmp_path.rglob("*.sqlite")) == []


def test_a_simulation_has_a_report_in_a_file_which_knows_no_truth() -> None:
    """The same simulation beside another truth: the file is the same, letter by letter."""
    visit = open_page()
    offers = visit.session_state[downloads._OFFERS].values()
    (offer,) = [each for each in offers if each.name.endswith(".report.html")]
    simulation, before = visit.session_state[SIMULATION], str(offer.make())
    assert "It is no release" in before
    assert all(f">{value:g}<" in before for value in simulation.only.values)
    other = replace(simulation.only, true_values=(1.0,) * 9, errors=(99.0,) * 9, lows=(-99.0,) * 9, highs=(99.0,) * 9)
    assert as_html(Report.of_simulation(replace(simulation, answers=(other,), runs=None))) == before


def test_a_release_is_called_by_its_place_columns_day_and_budget() -> None:
    account = dpq.account("patients", epsilon=9, one_row_is="patient")
    for columns in ({COLUMN: SAMPLE}, {"age": SAMPLE}, {"age": SAMPLE, "years": SAMPLE}):
        dpq.release(columns, HALF, account=account)
    found = stored_releases(account.ledger)
    account.ledger.engine.dispose()
    day = f"{found[0].release.made[:10]} · ε = 0.5"
    called = [f"no. 3 · 2 columns · {day}", f"no. 2 · age · {day}", f"no. 1 · {day}"]
    assert [choice._in_words(each) for each in found] == called


@pytest.mark.slow
def test_a_kept_answer_from_its_link(kept: dict[str, tuple[float, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    newest = "dpq_core.ledger.history.entries.stored_releases"
    monkeypatch.setattr(newest, lambda ledger, most=1, **of: stored_releases(ledger, 1, **of))
    visit = open_releases(answer=FIRST, title="age at 18", unit="years", records="4000")
    assert not visit.info, "it is behind the last ones, and found by its link"
    assert all(f" {value:g} " in sheet(visit) for value in kept[FIRST])
    assert FIRST in sheet(visit)
    assert SECOND not in sheet(visit)
    assert "any one patient" in sheet(visit)
    assert "ε = 1 left of ε = 5" in sheet(visit)
    assert visit.query_params["answer"] == f"1/{FIRST}"
    assert "4321" not in sheet(visit).replace(",", "")
    assert "Released before this page was loaded again" not in said(turn_to(visit, "release")), "another one's answer"
    unknown = open_releases(answer="b" * 32)
    assert "not in the ledger" in unknown.info[0].value
    assert SURER in sheet(unknown), "the newest"


@pytest.mark.slow
def test_an_id_belongs_to_one_account_alone() -> None:
    """Nightly scripts give each data set the same id. A link with the id alone shows none of two answers by chance."""
    ledger, night = Ledger.from_environment(), "income-2026-11"
    alone = ["2026/11", "a" * LONGEST_TEXT, "june ", "a/ ü & b=?#%2F"]
    for name, ids in {"patient": [night], "nurse": [night, *alone]}.items():
        account = ledger.open_account(name, budget=dpq.PureDP(9.0), adjacency=dpq.Adjacency.ADD_REMOVE, one_row_is=name)
        for each in ids:
            charged_release(SAMPLE, PLAN, account, release_id=each)
    ledger.engine.dispose()
    visit = open_releases(answer=night)
    assert "Several data sets have a release with the id in this link" in visit.info[0].value
    for number, one in ((1, "patient"), (2, "nurse")):
        run(visit.selectbox(key=f"{PREFIX}_data_set").set_value(one))
        run(visit.selectbox(key=f"{PREFIX}_answer").set_value(f"{number}/{night}"))
        assert visit.query_params["answer"] == f"{number}/{night}"
        assert not visit.info
        for page in (visit, open_releases(answer=f"{number}/{night}")):
            assert f"any one {one}" in sheet(page)
    for each in (*alone, *(f"2/{each}" for each in alone)):
        assert "any one nurse" in sheet(open_releases(answer=each)), each


@pytest.mark.slow
def test_a_day_later_the_report_says_the_words_of_the_release() -> None:
    """In another session, which knows nothing but the ledger, and where another column has a unit of its own."""
    file = "body_height\n" + "".join(f"{30 + at % 90}\n" for at in range(300))
    first = own(file.encode(), "heights.csv", mechanism="aq")
    for name, told in {"column_unit": "cm", "one": "patient"}.items():
        run(field(first, name).set_value(told))
    press(first)
    visit = open_releases(answer=newest())
    for name, value in {"unit": "€", "column_unit": "€", "one": "trip"}.items():
        visit.session_state[f"{PREFIX}_{name}"] = value
    asked = {field.key for field in run(visit).text_input}
    assert asked & {f"{PREFIX}_{name}" for name in WORDS} == {f"{PREFIX}_records", f"{PREFIX}_title"}
    for told, there in {"Body height": 1, "Private answer (cm)": 1, "any one patient": 1, "€": 0, "trip": 0}.items():
        assert (told in sheet(visit)) is bool(there), told
    called = visit.text_input(key=f"{PREFIX}_title")
    assert called.placeholder == "body height"
    told = sheet(run(called.set_value("Height at 18")))
    assert "Height at 18" in told
    assert "body height" not in told.lower()
    assert "Height at 18" in visit.query_params["title"], "a link shows the same sheet"


@pytest.mark.slow
def test_where_the_number_of_people_is_public_the_report_knows_it() -> None:
    press(own(csv_of(np.arange(7319) % 90), adjacency="replace_one", quantiles="quartiles", mechanism="aq"))
    visit = open_releases(answer=newest(), records="500")
    assert "7,319 " in sheet(visit)
    assert f"{PREFIX}_records" not in {widget.key for widget in visit.text_input}


@pytest.mark.slow
def test_what_was_said_of_one_answer_is_forgotten_with_it(kept: dict[str, tuple[float, ...]]) -> None:
    """Whether somebody has said the number of people behind an error or nobody: the report says "if"."""
    visit = open_releases(answer=FIRST, title="income", unit="years")
    assert "If there are about 1,000 patients ranked" in sheet(visit)
    assert sheet(run(visit.text_input(key=f"{PREFIX}_records").set_value("many"))) == ""
    assert "“How many people” must be a whole number" in said(visit)
    visit.session_state[f"{PREFIX}_column_unit"] = "€"
    run(visit.text_input(key=f"{PREFIX}_records").set_value("4,000"))
    assert "If there are about 4,000 patients ranked" in sheet(visit)
    assert "ranks of 1,000" not in sheet(visit)
    assert "Private answer (years)" in sheet(visit)
    run(visit.selectbox(key=f"{PREFIX}_answer").set_value(f"1/{SECOND}"))
    for told in ("€", "income", "Private answer (", "4,000"):
        assert told not in sheet(visit)
    assert "If there are about 1,000 patients ranked" in sheet(visit)


@pytest.mark.slow
def test_the_report_of_a_release_begins_with_the_people_that_were_guessed_before_it() -> None:
    guessed = own(csv_of(np.arange(90)), mechanism="aq")
    press(run(field(guessed, "shape_size").set_value("90")))
    assert "If there are about 90 people ranked" in sheet(turn_to(guessed, "releases"))
    assert "about 500 people" in sheet(turn_to(guessed, "releases", records="500")), "a link says another number"


@pytest.mark.slow
def test_all_groups_and_several_columns_from_their_links() -> None:
    """A release of groups is in no order; of columns each has its sentence and its unit."""
    account = dpq.account("towns", epsilon=8, delta=1e-5)
    words = Description(columns={"age": ColumnWords(unit="years")}, one="person", many="people")
    ages, towns = [20.0, 70.0] * 2000, ["North", "<b>South"] * 2000
    groups = dpq.Column.from_values(ages, SAMPLE.domain, groups=towns, names=["North", "<b>South"])
    charged_release(groups, PLAN, account, release_id=FIRST, words=replace(words, group_size=2000))
    columns = replace(words, columns={"age": ColumnWords(unit="years"), "hours": ColumnWords(unit="h")})
    charged_release({"age": SAMPLE, "hours": SAMPLE}, PLAN, account, release_id=SECOND, words=columns)
    charged_release(groups, PLAN, account, release_id=SURER)
    account.ledger.engine.dispose()
    visit = open_releases(answer=FIRST)
    assert re.search("The median of age is about [67]. years in &lt;b&gt;South, and about ", sheet(visit))
    (label,) = [field for field in visit.text_input if field.key == f"{PREFIX}_title"]
    assert (label.label, label.placeholder) == ("Label of the column", "age")
    assert "The median of length of life is about" in sheet(run(label.set_value("length of life")))
    unknown = sheet(open_releases(answer=SURER))
    assert "in each of 2 groups" in unknown, "who is in how many groups? So no group is named"
    visit = open_releases(answer=SECOND, records="4000")
    for told in ("age is ", "hours is "):
        assert f"For half of the people, {told}" in sheet(visit)
    assert "These answers have no intervals" in sheet(visit)
    labels = visit.text_input(key=f"{PREFIX}_title")
    assert labels.placeholder == "age, hours"
    run(labels.set_value("age, working <time>"))
    assert "For half of the people, working &lt;time&gt; is " in sheet(visit)
    assert "hours is " not in sheet(visit)
    for wrong in ("age", "age, age", "age, "):
        assert sheet(run(labels.set_value(wrong))) == "", "two columns of one name could not be told apart"


@pytest.fixture
def from_a_shell(own_ledger: Path) -> str:
    """The id of a release for persons that was charged without words, as a script does."""
    account = dpq.account("stays", epsilon=5, one_row_is="patient")
    people = dpq.People.of(np.arange(4321) // 3)
    column = dpq.Column.from_values(np.arange(4321) % 90, dpq.Domain(0, 120, 1), people=people, max_rows_per_person=3)
    charged_release(column, PLAN, account, release_id=FIRST)
    account.ledger.engine.dispose()
    return FIRST


@pytest.mark.slow
def test_a_release_without_words_is_of_persons_and_its_errors_are_those_of_their_rows(from_a_shell: str) -> None:
    said = sheet(open_releases(answer=from_a_shell, title="stay", unit="days"))
    assert "any one patient, with all their rows" in said
    assert "What counts: at most 3 rows of each patient count" in said
    assert re.findall("ranks|Errors worked out for", said)


def test_totals_history_and_files_of_each_data_set(own_ledger: Path) -> None:
    ledger = Ledger.at(own_ledger)
    open_account = partial(ledger.open_account, adjacency=dpq.Adjacency.ADD_REMOVE, one_row_is="patient")
    visits = open_account("visits", budget=dpq.ZCDP(2.0))
    charged_release(SAMPLE, dpq.Plan(["1/2"], "aq", dpq.ZCDP(0.5)), visits)
    patients = open_account("patients", budget=dpq.ApproxDP(3.0, 1e-6))
    stated = Description(columns={"age": ColumnWords(unit="years")}, one="patient", many="patients")
    charged_release(SAMPLE, HALF, patients, words=stated)
    charged_release(SAMPLE, size=40, plan=HALF, account=patients, words=stated)
    asked = ColumnsPlan.of(["column"], HALF)
    with pytest.raises(dpq.Infeasible):
        charged_answer(
            patients,
            Request(
                question=question_of(SAMPLE, HALF), plan=asked, guarantee=calibrate(HALF).guarantee, release_id="x"
            ),
            refuse,
        )

    visit = open_releases()
    assert visit.selectbox[0].value == "patients", "the newest first"
    front = metrics(visit)
    assert front["Releases"] == "3"
    assert [front[name] for name in ("Total", "Spent", "Left")] == ["ε = 3", "ε = 1", "ε = 2"]
    table = visit.dataframe[0].value
    assert list(table["no."]) == ["3", "2", "1"], "within the data set, of which another was released from before"
    assert list(table["requested"]) == ["25 %, 50 %", "a synthetic column of 40", "25 %, 50 %"]
    assert list(table["of"]) == ["–", "age", "age"]
    assert table["outcome"].iloc[0] == history.STATES["cancelled"]
    assert list(table["price (ε)"]) == list(table["counted (ε)"]) == ["0", "0.5", "0.5"]
    assert list(table["left (ε)"]) == ["2", "2", "2.5"]
    assert "4321" not in words(visit)
    assert "one patient joins or leaves" in said(visit)
    told = json.loads(history_as_json(standing(patients)))
    assert len(told["releases"]) == 3
    assert "answer" not in told["releases"][0]

    run(visit.selectbox[0].set_value("visits"))
    assert metrics(visit)["Spent"] == "ρ = 0.5"
    assert metrics(visit)["Left"] == "ρ = 1.5"
    assert not visit.expander, "nothing is counted together in one sum"


@pytest.mark.slow
def test_the_history_says_which_columns_levels_and_groups_were_released(own_ledger: Path) -> None:
    account = dpq.account("staff", epsilon=9, delta=1e-5)
    domain, pay = dpq.Domain(0, 120, 1), dpq.Domain(0, 10**5, 100)
    charged_release(SAMPLE, HALF, account)
    whole = {"age": dpq.Plan(["1/2"], "aq", dpq.PureDP(0.5)), "pay": dpq.Plan(["1/4", "3/4"], "aq", dpq.PureDP(0.5))}
    charged_release({"age": SAMPLE, "pay": dpq.Column.from_values([5], pay)}, whole, account)
    frame = {"age": [30] * 500, "pay": [100] * 500, "office": ["north"] * 500}
    possible = {"age": domain, "pay": pay}
    for by in (
        {"office": ["north", "south"]},
        {"office": [str(name) for name in range(7)]},
        {"office": dpq.FindGroups()},
    ):
        grouped = dpq.Table.from_frame(frame, possible, by=by).columns
        charged_release(grouped, dpq.Plan(["1/2"], "aq", dpq.ApproxDP(0.5, 1e-6)), account)
    table = open_releases().dataframe[0].value
    assert list(table["no."]) == ["5", "4", "3", "2", "1"]
    both = "50 %"
    assert list(table["requested"]) == [both, both, both, "age: 50 %; pay: 25 %, 75 %", "25 %, 50 %"]
    assert list(table["of"]) == ["age, pay"] * 4 + ["–"]
    assert list(table["groups"]) == ["found by the release", "7 groups", "north, south", "–", "–"]


def test_what_stands_under_details_is_what_the_file_says(own_ledger: Path) -> None:
    account = dpq.account("patients", epsilon=3, delta=1e-5, one_row_is="patient")
    for _ in range(8):
        charged_release(SAMPLE, dpq.Plan([f"{i}/10" for i in range(1, 10)], "indexp", dpq.PureDP(0.5)), account)
    told = standing(account)
    visit, details = open_releases(), json.loads(history_as_json(standing(account)))["details"]
    (said,) = [" ".join(caption.value for caption in place.caption) for place in visit.expander]
    for name in history.DETAILS:
        assert f"**{history.in_capitals(name)}** ε = {details[name]}. " in said
    delta = details["delta"]
    assert f"**δ** {delta['spent']} spent + {delta['kept_for_counting_together']} kept" in said
    assert metrics(visit)["Spent"] == f"ε = {shown(told.balance.spent)}" != "ε = 4"
    table = visit.dataframe[0].value
    assert sum(map(Decimal, table["counted (ε)"])) == told.balance.spent
    assert sum(map(Decimal, table["price (ε)"])) == Decimal(details["sum_of_prices"]) == 4
    assert table["left (ε)"].iloc[0] == metrics(visit)["Left"].removeprefix("ε = ")


def refuse() -> NoReturn:
    raise dpq.Infeasible("half_width", "must be smaller.")


def test_names_are_shown_as_text(own_ledger: Path) -> None:
    name = "a<b> **bold** [link](https://example.org)"
    ledger = Ledger.at(own_ledger)
    ledger.open_account(name, budget=dpq.PureDP(1.0), adjacency=dpq.Adjacency.ADD_REMOVE, one_row_is="person")
    (told,) = [element.value for element in open_releases().markdown if "bold" in element.value]
    assert r"\*\*bold\*\* \[link\]" in told
