"""What pays for a release: the step before it, what does not fit, what protects hardly anyone, hidden counts."""

import gc
import re
import weakref
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpq_core import ZCDP, Adjacency, ApproxDP, Column, Domain, Plan, PureDP
from dpq_core.ledger import files
from dpq_core.ledger.accounts import Account, Ledger
from dpq_core.ledger.files import NOT_COMPARED
from dpq_core.ledger.history.entries import standing
from dpq_core.results import sealed
from pages.form.plan import DECIDED_BY_PRESS
from pages.keys import PREFIX
from pages.payment import account as paying
from pages.payment import counts
from pages.payment.account import BACK, mismatch
from pages.release import drawing
from pages.release.questions import protects_hardly
from pages.server import sessions, signin
from pages.shell import state
from tests.narrowing import present
from tests.pages import driving
from tests.pages.driving import bring, charged, csv_of, field, is_disabled, open_page, own, press, run, said, words

SAMPLE = Column.from_values(np.random.default_rng(3).integers(18, 91, size=7321), Domain(0, 120, 1))
PLAN = Plan(["1/4", "1/2"], "aq", PureDP(0.5))


AGES = np.random.default_rng(8).integers(18, 91, size=7321)
OUTCOME = f"{PREFIX}:outcome:release"
KNOWN = "known_accounts"
"""The list of data sets of this server."""


def ready(file: bytes = csv_of(AGES), name: str = "patients 2026.csv", **link: Any) -> AppTest:
    """An uploaded column with bounds: one press away from its first release."""
    return own(file, name, **{"mechanism": "aq"} | link)


def accounts(file: Path) -> dict[str, Account]:
    return {account.name: account for account in Ledger.at(file).accounts()}


def captions(visit: AppTest) -> str:
    return " ".join(caption.value for caption in visit.caption).replace("\\", "")


@pytest.mark.slow
def test_two_fields_with_sensible_starts_and_an_account_at_the_first_press(own_ledger: Path) -> None:
    visit = ready()
    assert field(visit, "account").value == "patients 2026"
    assert (field(visit, "total_epsilon").value, field(visit, "total_delta").value) == ("3", "1e-5")
    for name, typed in WRONG_FIELDS:
        before = field(visit, name).value
        run(field(visit, name).set_value(typed))
        assert [each for each in visit.markdown if ":material/error:" in each.value], name
        assert is_disabled(visit)
        run(field(visit, name).set_value(before))
    assert accounts(own_ledger) == {}, "looking opens nothing"
    press(visit)
    account = accounts(own_ledger)["patients 2026"]
    assert (account.one_row_is, account.adjacency) == ("person", Adjacency.ADD_REMOVE)
    (entry,) = standing(account).entries
    assert entry.state == "answered"
    assert "ε = 2 left of ε = 3, δ = 0.00001" in captions(visit)
    assert visit.session_state[OUTCOME].release.id == entry.release_id


WRONG_FIELDS = [
    ("account", ""), ("account", "=cmd()"), ("total_epsilon", "much"), ("total_epsilon", "nan"), ("total_delta", "-1"),
]  # fmt: skip


@pytest.mark.slow
def test_all_columns_and_sessions_of_a_data_set_share_its_budget(own_ledger: Path) -> None:
    press(run(field(ready(), "total_delta").set_value("0")))
    later = ready(b"income,age\n" + b"\n".join(b"%d,%d" % (age, age) for age in AGES))
    assert not driving.all_named(later.text_input, "total_epsilon")
    assert "ε = 2 left of ε = 3" in captions(later)
    press(press(later))
    assert float(standing(accounts(own_ledger)["patients 2026"]).balance.spent) == 3
    assert is_disabled(later)
    assert "the release needs ε = 1, and ε = 0 is left" in captions(later)
    run(later.text_input(key=f"{PREFIX}_epsilon").set_value("0.5"))
    assert is_disabled(later)


@pytest.mark.slow
def test_a_total_that_is_too_small_is_said_before_the_press(own_ledger: Path) -> None:
    """With the step that finds bounds: at rho = 0.5 AQ alone fits into epsilon = 3, with the walks it does not."""
    visit = run(field(ready(), "total_epsilon").set_value("0.5"))
    assert is_disabled(visit)
    assert "needs ε = 1, and ε = 0.5" in captions(visit)
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.25"))
    assert not is_disabled(visit)
    assert accounts(own_ledger) == {}
    visit = bring(open_page(data="file", mechanism="aq", budget="concentrated", quantiles="quartiles"), csv_of(AGES))
    run(visit.button_group(key=f"{PREFIX}_bounds").set_value("find"))
    for rho, refused in (("0.5", True), ("0.45", False)):
        run(visit.text_input(key=f"{PREFIX}_rho").set_value(rho))
        assert is_disabled(visit) is refused
    press(visit)
    (account,) = accounts(own_ledger).values()
    assert [entry.state for entry in standing(account).entries] == ["answered"]


@pytest.mark.slow
def test_a_budget_counts_one_relation_one_unit_and_while_it_is_open(own_ledger: Path) -> None:
    """What does not fit has a button that puts it right."""
    ledger = Ledger.at(own_ledger, key="a key for the tests")
    patients = ledger.open_account("p", budget=PureDP(3.0), adjacency=Adjacency.REPLACE_ONE, one_row_is="patient")
    visit = ready(name="p.csv")
    for label in ("Protect against replacement", "Call it “patient”"):
        assert is_disabled(visit)
        assert remedy(visit).label == label
        run(remedy(visit).click())
    assert remedy(visit) is None
    assert not is_disabled(visit)
    patients.close()
    assert is_disabled(run(visit))
    assert "was closed on" in captions(visit)


def test_a_budget_of_people_pays_for_no_rows(own_ledger: Path) -> None:
    opened = Ledger.at(own_ledger).open_account("p", budget=PureDP(3.0), adjacency="joins", one_row_is="patient")
    paid = replace(opened, protects="person")
    assert mismatch(paid, Adjacency.ADD_REMOVE, "patient", "person") is None
    found = mismatch(paid, Adjacency.ADD_REMOVE, "patient", "record")
    assert present(found).remedy == BACK


def said_about_files(visit: AppTest) -> str:
    return " ".join(alert.value for alert in visit.warning if alert.value.startswith("This f")).replace("\\", "")


@pytest.mark.slow
def test_a_charge_tells_the_curator_of_the_same_file_elsewhere_and_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    press(ready())
    same, other = ready(name="copy.csv"), ready(csv_of(AGES[1:]))
    assert [alert.value.partition(" was ")[0] for alert in same.warning] == ["A column called age"]
    assert not said_about_files(same) + said_about_files(other)
    press(driving.new_people(same))
    assert "looks the same as one charged to patients 2026" in said_about_files(same)
    assert not any(place.warning for place in same.expander), "it is not folded away"
    press(other)
    assert "patients 2026 was charged for other files before" in said_about_files(other)
    assert not said_about_files(run(field(other, "account").set_value("elsewhere"))), "of another account"
    monkeypatch.setattr(signin, "role", lambda: signin.Role.VIEWER)
    monkeypatch.setattr("pages.shell.header.guard", lambda **_: None)
    assert not said_about_files(run(same)), "viewers are told nothing of files"


@pytest.mark.slow
def test_that_a_file_cannot_be_compared_is_said_and_a_later_release_compares(monkeypatch: pytest.MonkeyPatch) -> None:
    press(ready())
    same = ready(name="copy.csv")
    with monkeypatch.context() as patch:
        patch.setattr(files, "MOST_COMPARED", 1)
        press(driving.new_people(same))
        assert said_about_files(same) == NOT_COMPARED.replace("\\", "")
    press(same)
    assert "looks the same as one charged to patients 2026" in said_about_files(same)


@pytest.mark.slow
def test_the_data_sets_of_the_server_are_offered_first_and_a_new_one_waits_for_a_tick(own_ledger: Path) -> None:
    visit = ready()
    assert not driving.all_named(visit.selectbox, KNOWN)
    press(visit)
    renamed = ready(name="renamed.csv")
    offered = driving.named(renamed.selectbox, KNOWN)
    assert (offered.options, offered.value) == (["patients 2026"], None)
    assert is_disabled(renamed)
    assert not is_disabled(driving.new_people(renamed))
    run(driving.named(renamed.selectbox, KNOWN).set_value("patients 2026"))
    assert field(renamed, "account").value == "patients 2026"
    press(renamed)
    assert list(accounts(own_ledger)) == ["patients 2026"]


def remedy(visit: AppTest) -> Any:
    return next((button for button in visit.button if button.key == f"{PREFIX}_remedy"), None)


@pytest.mark.slow
def test_there_is_a_way_back_to_who_is_one_person_that_keeps_what_was_typed(own_ledger: Path) -> None:
    """On the second day every row is a different person by a slip: never a new name, and nothing typed twice."""
    people = b"id,age\n" + b"\n".join(b"%d,%d" % (k // 2, 20 + k % 50) for k in range(400))
    visit = bring(open_page(data="file"), people, "visits.csv", column="age", ids=True)
    press(driving.set_bounds(visit, "0", "120", "1"))
    later = open_page(data="file")
    later.file_uploader[0].upload("visits.csv", people)
    run(later)
    run(later.selectbox(key=driving.column_key(later)).set_value("age"))
    assert "Choose the column whose value is the same in all rows of one person" in said(later), "before it is read"
    driving.set_bounds(driving.read(later), "0", "120", "1")
    assert is_disabled(later)
    assert "another data set" not in said(later)
    run(remedy(later).click())
    run(later.button(key=f"{PREFIX}_same_person").click())
    later = driving.read(later)
    assert later.text_input(key=f"{PREFIX}_upper").value == "120"
    press(later)
    assert len(standing(accounts(own_ledger)["visits"]).entries) == 2
    run(later.button(key=f"{PREFIX}_change").click())
    bring(later, people, "visits.csv", column="age")
    assert "one person with all rows" in said(later), "rows of one person still count together"
    assert not later.text_input(key=f"{PREFIX}_upper").value, "who forgets a column forgets what was said of it"


NAMES = {"the open account": "patients 2026.csv", "a new name": "guess.csv"}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_five_uploads_cannot_find_the_one_unknown_record(name: str) -> None:
    """Who knows all people but the last tries five values, the true one among them: every screen is the same."""
    press(ready())
    guesses = [np.append(AGES[:-1], AGES[-1] + more) for more in (-2, -1, 0, 1, 2)]
    screens = [driving.RANDOM.sub("", words(ready(csv_of(guess), NAMES[name]))) for guess in guesses]
    assert len(set(screens)) == 1
    assert "looks the same" not in screens[0]


@pytest.mark.slow
def test_a_laptop_makes_its_own_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DPQ_LEDGER_KEY", "DPQ_LEDGER_URL"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    press(ready())
    assert (tmp_path / ".dpq" / "key").stat().st_mode & 0o777 == 0o600
    assert len((tmp_path / ".dpq" / "key").read_text()) == 64
    assert float(standing(accounts(tmp_path / ".dpq" / "ledger.sqlite")["patients 2026"]).balance.spent) > 0


@pytest.mark.slow
def test_a_press_whose_visitor_is_gone_waits_uncharged(own_ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    visit, seen = ready(), list[bool]()

    def look(*_: object) -> bool:
        seen.append("In progress: patients 2026 since" in said(open_page("releases")))
        return True

    with monkeypatch.context() as patch:
        patch.setattr(sessions, "is_gone", look)
        press(visit)
    assert charged(own_ledger) == 0
    assert OUTCOME not in visit.session_state
    with monkeypatch.context() as patch:
        patch.setattr(state, "keep", lambda *_: look() and st.stop())
        run(visit)  # who comes back to the same session finds the answer that was asked for
    assert charged(own_ledger) == 1
    assert OUTCOME in run(visit).session_state
    assert seen == [True, True]
    assert "In progress" not in said(open_page("releases"))


def test_what_ends_without_an_answer_is_paid_and_a_sentence(own_ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("cell 42 of the data")

    monkeypatch.setattr("dpq_core.ledger.charging.draw", fail)
    visit = press(ready())
    assert drawing.UNEXPECTED.rstrip(".") in words(visit).replace("\\\\", "")
    assert "cell 42" not in words(visit)
    (entry,) = standing(accounts(own_ledger)["patients 2026"]).entries
    assert entry.state == "failed"
    assert "ε = 2 left of ε = 3" in captions(visit), "the line knows what the failure has cost"
    assert drawing.UNEXPECTED[:20] not in words(run(visit)), "and the reason is said once"


@pytest.mark.slow
def test_a_tab_that_still_shows_an_older_budget_spends_no_more_than_there_is(own_ledger: Path) -> None:
    tabs = [run(field(ready(), "total_epsilon").set_value("1")) for _ in range(3)]
    assert not any(map(is_disabled, tabs))
    for tab in tabs:
        press(tab)
    assert [OUTCOME in tab.session_state for tab in tabs] == [True, False, False]
    assert float(standing(accounts(own_ledger)["patients 2026"]).balance.spent) == 1


@pytest.mark.slow
def test_forget_my_data_leaves_nothing_of_it_in_the_session() -> None:
    visit = press(ready())
    values = weakref.ref(sealed._CONTENTS[visit.session_state[f"{PREFIX}:upload:brought:sealed"].columns[0].column][0])
    assert f"{PREFIX}:sample" not in visit.session_state, "a release keeps no sample"
    run(visit.button(key=f"{PREFIX}_change").click())
    assert OUTCOME not in visit.session_state
    assert visit.file_uploader[0].value is None
    gc.collect()
    assert values() is None


FEW = np.random.default_rng(8).integers(18, 91, size=400)


def total(visit: AppTest, epsilon: str, delta: str = "0") -> AppTest:
    field(visit, "total_delta").set_value(delta)
    return run(field(visit, "total_epsilon").set_value(epsilon))


def doubts(visit: AppTest) -> list[str]:
    return [box.label.replace("\\", "") for box in visit.checkbox if "release anyway" in box.label]


@pytest.mark.slow
@pytest.mark.parametrize(("link", "totals", "next_total"), [
    ({"epsilon": "100"}, ("200", "0"), "epsilon"),
    ({"budget": "approximate", "delta": "0.001"}, ("3", "0.002"), "delta"),
], ids=["epsilon", "delta"])  # fmt: skip
def test_what_protects_almost_no_one_is_asked_about_with_the_total_and_spent_after_both_answers(
    own_ledger: Path, link: dict[str, str], totals: tuple[str, str], next_total: str
) -> None:
    visit = total(ready(csv_of(FEW), "own.csv", **link), *totals)
    assert len(doubts(visit)) == 2
    for _ in range(2):
        assert is_disabled(visit)
        run(next(box for box in visit.checkbox if "release anyway" in box.label and not box.value).check())
    assert not is_disabled(visit)
    assert charged(own_ledger) == 0
    press(visit)
    assert charged(own_ledger) == 1
    assert len(doubts(visit)) == 1, "the total is fixed by now"
    assert is_disabled(visit), "the next release spends as much again, and asks again"
    run(visit.text_input(key=f"{PREFIX}_{next_total}").set_value({"epsilon": "30", "delta": "0.0011"}[next_total]))
    assert len(doubts(visit)) == 1
    assert not any(box.value for box in visit.checkbox), "of another budget"
    assert not doubts(run(visit.text_input(key=f"{PREFIX}_{next_total}").set_value("1e-7")))
    assert not doubts(open_page(**link)), "a simulation spends nothing"


def test_from_which_budget_on() -> None:
    few = PureDP(9.9), ApproxDP(3.0, 1e-6), ZCDP(5.0)
    many = PureDP(10.0), ApproxDP(10.0, 1e-6), ZCDP(10.0)
    assert [protects_hardly(each) for each in (*few, *many)] == [False] * 3 + [True] * 3


LARGE_DELTA = {"budget": "approximate", "delta": "0.3"}
"""Questioned beside one in the number of records, where that may be said."""


def near(count: int, visit: AppTest) -> list[str]:
    """Numbers on the screen within two of the number of records."""
    numbers = [text.replace(",", "") for text in re.findall(r"\d[\d,]*", words(visit))]
    return [text for text in numbers if text.isdecimal() and abs(int(text) - count) <= 2]


def counted(name: str = "patients.csv", **link: Any) -> AppTest:
    return own(csv_of(AGES), name, **link)


def choose(visit: AppTest, **settings: str) -> AppTest:
    for name, value in settings.items():
        run(driving.widget(visit, f"{PREFIX}_{name}").set_value(value))
    return visit


@pytest.mark.slow
@pytest.mark.parametrize("opened", [None, *Adjacency], ids=["new", *Adjacency])
def test_choosing_replaced_on_the_page_tells_nobody_the_number(opened: Adjacency | None, own_ledger: Path) -> None:
    """Neither beside an account that hides it, nor before one is opened, nor for the name of one that does not."""
    if opened is not None:
        ledger = Ledger.at(own_ledger, key="a key for the tests")
        ledger.open_account("patients", budget=PureDP(3.0), adjacency=opened, one_row_is="person")
    visit = counted(**LARGE_DELTA)
    assert near(AGES.size, visit) == []
    for settings in (
        {"adjacency": "replace_one"}, {"budget": "pure", "adjacency": "add_remove"}, {"adjacency": "replace_one"},
    ):  # fmt: skip
        assert near(AGES.size, choose(visit, **settings)) == []
    for mechanism in ("slice", "gkexp", "binhist", "normal"):
        assert near(AGES.size, choose(visit, mechanism=mechanism)) == []
    run(visit.button(key=f"{PREFIX}_which").click())
    assert near(AGES.size, visit) == []


@pytest.mark.slow
def test_a_first_release_tells_the_number_and_another_name_takes_it_back() -> None:
    visit = counted(adjacency="replace_one", **LARGE_DELTA)
    run(field(visit, "total_delta").set_value("0.5"))
    while sure := [box for box in visit.checkbox if not box.value and "_sure_" in (box.key or "")]:
        run(sure[0].check())
    press(visit)
    assert f"{PREFIX}:outcome:release" in visit.session_state
    assert str(AGES.size) in near(AGES.size, visit)
    run(field(visit, "account").set_value("visitors"))
    assert near(AGES.size, visit) == []
    run(field(visit, "account").set_value("patients"))
    assert str(AGES.size) in near(AGES.size, visit)
    assert near(AGES.size, counted(adjacency="replace_one", **LARGE_DELTA)) == [], "another session knows nothing of it"


@pytest.mark.slow
def test_what_depends_on_the_number_is_settled_by_the_press(own_ledger: Path) -> None:
    """Slices for 19 quantiles need many records: the page says that the press decides, and the press says no number."""
    visit = counted(adjacency="replace_one", mechanism="slice", quantiles="even", even="19")
    assert DECIDED_BY_PRESS in words(visit)
    assert not visit.button(key=f"{PREFIX}_run").disabled
    press(visit)
    assert drawing.NOT_WITH_THIS_NUMBER[20:60] in words(visit)
    assert near(AGES.size, visit) == []
    (opened,) = Ledger.at(own_ledger).accounts()
    assert opened.adjacency is Adjacency.REPLACE_ONE
    assert float(standing(opened).balance.spent) == 0
    choose(visit, adjacency="add_remove", quantiles="median")
    assert visit.button(key=f"{PREFIX}_run").disabled, "under this name the number is no secret any more"
    choose(visit, adjacency="replace_one")
    press(choose(visit, quantiles="median"))
    assert f"{PREFIX}:outcome:release" in visit.session_state
    choose(visit, quantiles="even")
    assert visit.button(key=f"{PREFIX}_run").disabled
    assert "must be further apart" in said(visit), "now the number is public, and so is what would do"


@pytest.mark.slow
def test_a_refusal_on_the_screen_names_no_number_that_stands_for_all() -> None:
    """Slices as close as this have no room among any number of records: it is judged with one, and never says it."""
    settings = {"mechanism": "slice", "adjacency": "replace_one", "quantiles": "own"}
    visit = counted(**settings, own="1/2, 1000000000001/2000000000000")
    told = words(visit).replace("\\", "")
    assert counts.HOWEVER_MANY in told
    assert "Merge close quantiles" in [button.label for button in visit.button]
    assert "people: two are" not in told


def test_a_file_is_compared_again_only_where_it_could_not_be(monkeypatch: pytest.MonkeyPatch) -> None:
    told = iter([(NOT_COMPARED,), ("the same",), ("of nurses",)])
    monkeypatch.setattr("dpq_core.ledger.files.compare_files", lambda *_: next(told))
    monkeypatch.setattr(paying, "fingerprint_of", lambda *_: "")
    monkeypatch.setattr("streamlit.session_state", {})
    data: Any = SimpleNamespace(identity="upload:1", column=None)
    for name in ("patients", "patients", "patients", "nurses"):
        account: Any = SimpleNamespace(name=name, ledger=None)
        paying.compare_files(account, data)
    assert paying._stored() == (("upload:1", "patients", ("the same",)), ("upload:1", "nurses", ("of nurses",)))
