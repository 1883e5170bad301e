"""In Release a data set pays: its name, its total, what is left, and what is refused before the press."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpq_core import Adjacency, PureDP
from dpq_core.errors import Infeasible
from dpq_core.ledger import NOT_COMPARED, Account, Ledger, files, standing
from dpq_core.results import sealed
from pages.frame import presses, state
from pages.keys import PREFIX
from pages.quantiles import attempts
from pages.server import sessions, signin
from tests.every_run import kept
from tests.pages.driving import (
    RANDOM,
    all_named,
    bring,
    charged,
    column_key,
    csv_of,
    field,
    named,
    new_people,
    open_page,
    press,
    read,
    run,
    said,
    set_bounds,
    turn_to,
    unfinished,
    words,
)

AGES = np.random.default_rng(8).integers(18, 91, size=7321)
OUTCOME = f"{PREFIX}:outcome:release"
KNOWN = "known_accounts"
"""The list of data sets of this server."""


def ready(file: bytes = csv_of(AGES), name: str = "patients 2026.csv", **link: str) -> AppTest:
    """An uploaded column with bounds: one press away from its first release."""
    return set_bounds(bring(open_page(data="file", **link), file, name), "0", "120", "1")


def accounts(file: Path) -> dict[str, Account]:
    return {account.name: account for account in Ledger.at(file).accounts()}


def captions(visit: AppTest) -> str:
    return " ".join(caption.value for caption in visit.caption).replace("\\", "")


def said_in(place: Any) -> str:
    return " ".join(element.value for element in place.markdown).replace("\\", "")


def is_disabled(visit: AppTest) -> bool:
    return bool(visit.button(key=f"{PREFIX}_run").disabled)


def test_two_fields_with_sensible_starts_and_an_account_at_the_first_press(own_ledger: Path) -> None:
    visit = ready()
    assert field(visit, "account").value == "patients 2026"
    assert (field(visit, "total_epsilon").value, field(visit, "total_delta").value) == ("3", "1e-5")
    assert accounts(own_ledger) == {}, "looking opens nothing"
    press(visit)
    account = accounts(own_ledger)["patients 2026"]
    assert (account.one_row_is, account.adjacency) == ("person", Adjacency.ADD_REMOVE)
    (entry,) = standing(account).entries
    assert entry.state == "answered"
    assert "ε = 2 left of ε = 3, δ = 0.00001" in captions(visit)
    assert visit.session_state[OUTCOME].release_id == entry.release_id


def test_explore_opens_no_ledger(own_ledger: Path) -> None:
    press(open_page())
    press(set_bounds(bring(open_page(data="file"), csv_of(AGES), public=True), "0", "120", "1"))
    assert not own_ledger.exists()


def test_all_columns_and_sessions_of_a_data_set_share_its_budget(own_ledger: Path) -> None:
    press(run(field(ready(), "total_delta").set_value("0")))
    later = ready(b"income,age\n" + b"\n".join(b"%d,%d" % (age, age) for age in AGES))
    assert not all_named(later.text_input, "total_epsilon")
    assert "ε = 2 left of ε = 3" in captions(later)
    press(later)
    press(later)
    assert is_disabled(later)
    assert "The budget of patients 2026 does not allow this: the release needs ε = 1, and ε = 0 is left" in captions(
        later
    )
    assert standing(accounts(own_ledger)["patients 2026"]).spent == 3
    run(later.text_input(key=f"{PREFIX}_epsilon").set_value("0.5"))
    assert is_disabled(later)


def test_a_total_that_is_too_small_is_said_before_the_press(own_ledger: Path) -> None:
    visit = run(field(ready(), "total_epsilon").set_value("0.5"))
    assert is_disabled(visit)
    assert "needs ε = 1, and ε = 0.5" in captions(visit)
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.25"))
    assert not is_disabled(visit)
    assert accounts(own_ledger) == {}


def test_the_step_that_finds_bounds_is_counted_before_the_press(own_ledger: Path) -> None:
    """At rho = 0.5 AQ alone fits into epsilon = 3 as a pure loss; with the walks that find its bounds it does not."""
    link = {"mechanism": "aq", "budget": "concentrated", "quantiles": "quartiles"}
    visit = bring(open_page(data="file", **link), csv_of(AGES))
    run(visit.button_group(key=f"{PREFIX}_bounds").set_value("find"))
    run(visit.text_input(key=f"{PREFIX}_rho").set_value("0.5"))
    assert is_disabled(visit)
    assert "needs ε = 3.03158, and ε = 3 is left" in captions(visit)
    assert accounts(own_ledger) == {}
    run(visit.text_input(key=f"{PREFIX}_rho").set_value("0.45"))
    press(visit)
    (account,) = accounts(own_ledger).values()
    assert [entry.state for entry in standing(account).entries] == ["answered"]


@pytest.mark.parametrize(
    ("name", "typed", "sentence"),
    [
        ("account", "", "must be one line of 1 to 200 characters"),
        ("account", "=cmd()", "begins with a letter or a digit"),
        ("total_epsilon", "much", "The totals must be numbers"),
        ("total_epsilon", "nan", "must be finite and > 0"),
        ("total_delta", "-1", "must be"),
    ],
)
def test_a_wrong_field_is_named_and_stops_the_button(name: str, typed: str, sentence: str) -> None:
    visit = run(field(ready(), name).set_value(typed))
    assert sentence in " ".join(element.value for element in visit.markdown).replace("\\", "")
    assert is_disabled(visit)


def test_a_budget_counts_one_relation_one_unit_and_while_it_is_open(own_ledger: Path) -> None:
    ledger = Ledger.at(own_ledger, key="a key for the tests")
    patients = ledger.open_account("p", budget=PureDP(3.0), adjacency=Adjacency.SUBSTITUTE, one_row_is="patient")
    visit = ready(name="p.csv")
    assert "counted where one person is replaced" in captions(visit)
    run(visit.selectbox(key=f"{PREFIX}_adjacency").set_value("substitute"))
    assert "protects one patient" in captions(visit)
    run(visit.text_input(key=f"{PREFIX}_one").set_value("patient"))
    assert not is_disabled(visit)
    patients.close()
    assert "was closed on" in captions(run(visit))
    assert is_disabled(visit)


def test_after_a_charge_the_curator_is_told_of_the_same_file_elsewhere_and_of_another_one_here() -> None:
    press(ready())
    same, other = ready(name="copy.csv"), ready(csv_of(AGES[1:]))
    assert not said_about_files(same) + said_about_files(other)
    press(new_people(same))
    assert "looks the same as one charged to patients 2026" in said_about_files(same)
    press(other)
    assert "patients 2026 was charged for other files before" in said_about_files(other)
    assert not said_about_files(run(field(other, "account").set_value("elsewhere"))), "of another account"


def said_about_files(visit: AppTest) -> str:
    return " ".join(alert.value for alert in visit.warning if alert.value.startswith("This f")).replace("\\", "")


def test_the_alert_is_open_above_the_answer_and_on_the_page_budget_before_and_after() -> None:
    press(ready())
    same = ready(name="copy.csv")
    assert [alert.value.replace("\\", "") for alert in same.warning] == [
        "A column called age was released before, for patients 2026. If the people are the same, choose that data set: "
        "they have one budget."
    ]
    press(new_people(same))
    assert "looks the same as one charged to patients 2026" in said_about_files(same)
    assert not any(said_about(place) for place in same.expander), "it is not folded away"
    assert "looks the same as one charged to patients 2026" in said(turn_to(same, "budget"))
    for name, other in (("copy", "patients 2026"), ("patients 2026", "copy")):
        later = open_page("budget")
        run(later.selectbox[0].set_value(name))
        told = f"{name} was charged for a file that looks the same as one of {other}."
        assert told in later.warning[0].value.replace("\\", "")
        assert told in ready(name=f"{name}.csv").warning[0].value.replace("\\", ""), "before the next release"


def said_about(place: Any) -> list[str]:
    return [alert.value for alert in place.warning]


def test_that_a_file_can_no_longer_be_compared_is_said_and_a_later_release_compares_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    press(ready())
    same = ready(name="copy.csv")
    with monkeypatch.context() as patch:
        patch.setattr(files, "MOST_COMPARED", 1)
        press(new_people(same))
        assert said_about_files(same) == NOT_COMPARED.replace("\\", "")
    press(same)
    assert "looks the same as one charged to patients 2026" in said_about_files(same)


def test_the_data_sets_of_the_server_are_offered_first_and_a_new_one_waits_for_a_tick(own_ledger: Path) -> None:
    visit = ready()
    assert not all_named(visit.selectbox, KNOWN)
    press(visit)
    renamed = ready(name="renamed.csv")
    offered = named(renamed.selectbox, KNOWN)
    assert (offered.options, offered.value) == (["patients 2026"], None)
    assert is_disabled(renamed)
    assert "Confirm the sentence above the button first" in captions(renamed)
    assert not is_disabled(new_people(renamed))
    run(named(renamed.selectbox, KNOWN).set_value("patients 2026"))
    assert field(renamed, "account").value == "patients 2026"
    assert "ε = 2 left of ε = 3" in captions(renamed)
    press(renamed)
    assert list(accounts(own_ledger)) == ["patients 2026"]


def test_what_does_not_fit_a_budget_has_a_button_that_puts_it_right(own_ledger: Path) -> None:
    Ledger.at(own_ledger).open_account("p", budget=PureDP(3.0), adjacency=Adjacency.SUBSTITUTE, one_row_is="patient")
    visit = ready(name="p.csv")
    for label in ("Protect against replacement", "Call it “patient”"):
        assert is_disabled(visit)
        assert remedy(visit).label == label
        run(remedy(visit).click())
    assert remedy(visit) is None
    assert not is_disabled(visit)


def remedy(visit: AppTest) -> Any:
    return next((button for button in visit.button if button.key == f"{PREFIX}_remedy"), None)


def test_there_is_a_way_back_to_who_is_one_person_that_keeps_what_was_typed(own_ledger: Path) -> None:
    """On the second day every row is a different person by a slip: never a new name, and nothing typed twice."""
    people = b"id,age\n" + b"\n".join(b"%d,%d" % (k // 2, 20 + k % 50) for k in range(400))
    visit = bring(open_page(data="file"), people, "visits.csv", column="age", ids=True)
    press(set_bounds(visit, "0", "120", "1"))
    later = open_page(data="file")
    later.file_uploader[0].upload("visits.csv", people)
    run(later)
    run(later.selectbox(key=column_key(later)).set_value("age"))
    assert "Choose the column whose value is the same in all rows of one person" in said(later), "before it is read"
    set_bounds(read(later), "0", "120", "1")
    assert is_disabled(later)
    assert "another data set" not in said(later)
    run(remedy(later).click())
    run(later.button(key=f"{PREFIX}_same_person").click())
    later = read(later)
    assert later.text_input(key=f"{PREFIX}_upper").value == "120"
    press(later)
    assert len(standing(accounts(own_ledger)["visits"]).entries) == 2
    run(later.button(key=f"{PREFIX}_change").click())
    bring(later, people, "visits.csv", column="age")
    assert "one person with all rows" in said(later), "rows of one person still count together"
    assert not later.text_input(key=f"{PREFIX}_upper").value, "who forgets a column forgets what was said of it"


NAMES = {"the open account": "patients 2026.csv", "a new name": "guess.csv"}


@pytest.mark.parametrize("name", kept(NAMES, "a new name"))
def test_five_uploads_cannot_find_the_one_unknown_record(name: str) -> None:
    """Who knows all people but the last tries five values, the true one among them: every screen is the same."""
    press(ready())
    guesses = [np.append(AGES[:-1], AGES[-1] + more) for more in (-2, -1, 0, 1, 2)]
    screens = [RANDOM.sub("", words(ready(csv_of(guess), NAMES[name]))) for guess in guesses]
    assert len(set(screens)) == 1
    assert "looks the same" not in screens[0]


def test_viewers_are_told_nothing_of_files(monkeypatch: pytest.MonkeyPatch) -> None:
    press(ready())
    visit = press(new_people(ready(name="copy.csv")))
    assert said_about_files(visit)
    with monkeypatch.context() as patch:
        patch.setattr(signin, "role", lambda: signin.Role.VIEWER)
        patch.setattr("pages.frame.header.guard", lambda **_: None)
        assert not said_about_files(run(visit))


def test_a_release_server_says_how_to_set_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(state.SERVER_MODE, "release")
    monkeypatch.delenv("DPQ_LEDGER_KEY")
    visit = ready()
    assert "sets DPQ_LEDGER_KEY to a secret text" in said(visit)
    assert is_disabled(visit)


def test_a_laptop_makes_its_own_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DPQ_LEDGER_KEY", "DPQ_LEDGER_URL"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    press(ready())
    assert (tmp_path / ".dpq" / "key").stat().st_mode & 0o777 == 0o600
    assert len((tmp_path / ".dpq" / "key").read_text()) == 64
    assert standing(accounts(tmp_path / ".dpq" / "ledger.sqlite")["patients 2026"]).spent > 0


def test_an_answer_whose_run_was_ended_by_another_click_is_fetched_and_not_paid_twice(
    own_ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit = ready()
    with monkeypatch.context() as patch:
        patch.setattr(state, "keep", lambda *_: st.stop())  # ends the run as another click would
        press(visit)
    assert OUTCOME not in visit.session_state
    assert unfinished(visit) is not None
    run(visit)
    (entry,) = standing(accounts(own_ledger)["patients 2026"]).entries
    assert visit.session_state[OUTCOME].release_id == entry.release_id
    assert unfinished(visit) is None


def test_a_press_whose_visitor_is_gone_before_the_charge_waits_uncharged(
    own_ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit = ready()
    with monkeypatch.context() as patch:
        patch.setattr(sessions, "is_gone", lambda: True)
        press(visit)
    assert charged(own_ledger) == 0
    assert OUTCOME not in visit.session_state
    run(visit)  # who comes back to the same session finds the answer that was asked for
    assert charged(own_ledger) == 1
    assert OUTCOME in visit.session_state


def test_cancel_works_until_the_charge_and_says_so(own_ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    visit = ready()
    with monkeypatch.context() as patch:
        patch.setattr(sessions, "is_gone", lambda: True)  # ends the run where a click would
        press(visit)
    run(visit.button(key=f"{PREFIX}_cancel_press").click())
    assert presses.CANCELLED.rstrip(".") in said(visit)
    assert charged(own_ledger) == 0
    with monkeypatch.context() as patch:
        patch.setattr(state, "keep", lambda *_: st.stop())
        press(visit)
    assert charged(own_ledger) == 1
    run(visit.button(key=f"{PREFIX}_cancel_press").click())
    assert presses.CANCELLED.rstrip(".") not in said(visit)
    assert presses.TOO_LATE.rstrip(".") in said(visit)
    assert OUTCOME in visit.session_state, "what was charged is fetched"
    assert charged(own_ledger) == 1


def test_budget_says_what_is_in_progress_from_the_press_on(own_ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def look(*_: object) -> bool:
        seen.append(said(open_page("budget")))
        return False

    visit = ready()
    with monkeypatch.context() as patch:
        patch.setattr(sessions, "is_gone", look)
        patch.setattr(state, "keep", lambda *_: look() or st.stop())
        press(visit)
    assert ["In progress: patients 2026 since" in each for each in seen] == [True, True]
    assert "In progress" not in said(open_page("budget"))


def test_what_ends_without_an_answer_is_paid_and_one_sentence(
    own_ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("cell 42 of the data")

    monkeypatch.setattr("dpq_core.ledger.charging.draw", fail)
    visit = press(ready())
    assert attempts.UNEXPECTED_RELEASE.rstrip(".") in words(visit).replace("\\\\", "")
    assert "cell 42" not in words(visit)
    (entry,) = standing(accounts(own_ledger)["patients 2026"]).entries
    assert entry.state == "failed"
    assert "ε = 2 left of ε = 3" in captions(visit), "the line knows what the failure has cost"
    assert attempts.UNEXPECTED_RELEASE[:20] not in words(run(visit)), "and the reason is said once"


@pytest.mark.very_slow
def test_what_fails_in_the_second_tab_is_said_there(own_ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise Infeasible("quantiles", "must be further apart.", noisy_count=100, charged=0.25)

    visit = ready(show="Synthetic column")
    monkeypatch.setattr("dpq_core.ledger.charging.draw", fail)
    press(visit, "run_column")
    said = [place for place in visit.tabs if "Finding this out has spent ε = 0.25" in said_in(place)]
    assert [tab.label for tab in said] == ["Synthetic column"]
    assert standing(accounts(own_ledger)["patients 2026"]).spent == 0.25
    assert "ε = 2.75 left of ε = 3" in captions(visit)


def test_a_tab_that_still_shows_an_older_budget_spends_no_more_than_there_is(own_ledger: Path) -> None:
    tabs = [run(field(ready(), "total_epsilon").set_value("1")) for _ in range(3)]
    assert not any(map(is_disabled, tabs))
    for tab in tabs:
        press(tab)
    assert [OUTCOME in tab.session_state for tab in tabs] == [True, False, False]
    assert standing(accounts(own_ledger)["patients 2026"]).spent == 1


def test_forget_my_data_leaves_nothing_of_it_in_the_session() -> None:
    visit = press(ready())
    values = weakref.ref(sealed._CONTENTS[visit.session_state[f"{PREFIX}:brought"].column][0])
    assert f"{PREFIX}:sample" not in visit.session_state, "a release keeps no sample"
    run(visit.button(key=f"{PREFIX}_change").click())
    assert OUTCOME not in visit.session_state
    assert visit.file_uploader[0].value is None
    gc.collect()
    assert values() is None
