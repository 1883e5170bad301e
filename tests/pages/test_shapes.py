"""Each shape of an answer in both modes: asked, drawn and charged once; nothing exact of a private file anywhere."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import standing
from dpq_core.question import Question
from dpq_core.results.kinds import Released
from pages.form.table import key
from pages.keys import PREFIX
from pages.release import questions
from pages.server import sessions
from pages.shell import pieces, presses, state
from tests.pages import driving
from tests.pages.driving import CONFIRM, asks, charged, metrics, press, run, said, turn_to, unfinished, words
from tests.pages.shapes import HIDDEN, SHAPES, TRUTH, Shape, answers


def opened(files: dict[str, str]) -> dict[str, Any]:
    """Every file that a page offers, as a program opens it."""
    found: dict[str, Any] = {}
    for name, content in files.items():
        if name.endswith(".csv"):
            found[name] = list(csv.DictReader(io.StringIO(content.removeprefix("\ufeff"))))
        elif name.endswith((".json", ".ipynb")):
            found[name] = json.loads(content)
        elif name.endswith(".py"):
            found[name] = compile(content, name, "exec")
        else:
            found[name] = content
        assert found[name], name
    return found


@pytest.mark.slow(keep="column")
@pytest.mark.parametrize("shape", SHAPES)
def test_a_release_is_charged_once_and_holds_nothing_exact(shape: str, own_ledger: Path, files: dict[str, str]) -> None:
    kind = SHAPES[shape]
    visit = kind.ready()
    assert (pieces.PRIVATE_ONLY in words(visit), pieces.NOT_PRIVATE in words(visit)) == (True, False)
    assert not visit.metric
    run(visit.button(key=f"{PREFIX}_run").click())
    assert asks(visit)
    assert charged(own_ledger) == 0
    files.clear()
    run(visit.button(key=CONFIRM).click())
    found = kind.found(visit)
    assert isinstance(found, Released)
    for each in (found, *answers(found)):
        assert not [name for name in TRUTH if getattr(each, name, None) not in (None, (), 0)]
    assert metrics(visit)["Spent of the budget by now"] == "ε = 1 of 3"
    run(visit)
    (account,) = Ledger.at(own_ledger, key="a key for the tests").accounts()
    (entry,) = standing(account).entries
    assert (entry.release_id, entry.state, entry.guarantee) == (found.release.id, "answered", found.guarantee)
    assert len(opened(files)) >= 4
    ids = [found.release.id in content for name, content in files.items() if not name.endswith((".py", "plan.json"))]
    assert all(ids), "every file but the question names its release"
    (plan,) = [content for name, content in files.items() if name.endswith("plan.json")]
    assert Question.from_json(plan) == found.question
    written = own_ledger.read_bytes().decode("latin-1")
    told = [*(words(each) for each in (visit, turn_to(visit, "releases"))), written, *files.values()]
    assert [HIDDEN.search(text) for text in told] == [None] * len(told)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_what_was_explored_goes_with_the_declaration(shape: str, own_ledger: Path, files: dict[str, str]) -> None:
    kind = SHAPES[shape]
    visit = kind.ready(public=True)
    run(visit.button(key=f"{PREFIX}_run").click())
    assert not asks(visit), "a simulation spends nothing"
    assert pieces.NOT_PRIVATE in words(visit)
    assert HIDDEN.search(words(visit)) or "true" in visit.dataframe[-1].value, "the truth is on this screen"
    assert len(opened(files)) >= 4
    assert not own_ledger.exists(), "exploring opens no ledger"
    assert kind.found(visit, "explore") is not None
    run(visit.checkbox[0].uncheck())
    assert kind.found(visit, "explore") is None
    assert not visit.metric
    assert not visit.file_uploader, "another declaration, another file"
    assert HIDDEN.search(words(visit)) is None


@pytest.mark.slow
def test_nothing_is_declared_public_on_release() -> None:
    """Not even by a box of Explore, which has its own data; and what Release has is on no other page."""
    visit = SHAPES["column"].ready()
    assert not visit.checkbox
    held = [name for name in visit.session_state._state.filtered_state if name.startswith(f"{PREFIX}:upload:brought:")]
    assert held == [f"{PREFIX}:upload:brought:sealed"], "in the place of what is released"
    assert pieces.PRIVATE_ONLY in words(visit)
    for number in range(3):
        visit.session_state[f"{PREFIX}_public_{number}"] = True
    run(visit)
    assert HIDDEN.search(words(visit)) is None
    assert visit.button(key=f"{PREFIX}_run").label == "Release"
    other = turn_to(visit, "explore")
    assert other.selectbox(key=key("data")).value == "adult-age"
    run(other.selectbox(key=key("data")).set_value("file"))
    assert "staff.csv" not in words(driving.declare(other))
    back = turn_to(other, "release")
    assert "staff.csv" in said(back)
    assert not driving.is_disabled(back)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_an_interrupted_press_is_fetched_and_one_that_is_cancelled_costs_nothing(
    shape: str, own_ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = SHAPES[shape]
    visit = kind.ready()
    with monkeypatch.context() as patch:
        patch.setattr(sessions, "is_gone", lambda: True)  # ends the run where a click before the charge would
        press(visit)
    run(visit.button(key=f"{PREFIX}_cancel_press").click())
    assert (charged(own_ledger), unfinished(visit)) == (0, None)
    assert said(visit).count(presses.CANCELLED.rstrip(".")) == 1
    assert presses.CANCELLED.rstrip(".") not in said(run(visit)), "it is said once"
    with monkeypatch.context() as patch:
        patch.setattr(state, "keep", lambda *_: st.stop())  # ends it behind the charge
        press(visit)
    begun = unfinished(visit)
    assert begun is not None
    assert charged(own_ledger) == 1
    if shape == "column":
        run(visit.button(key=f"{PREFIX}_cancel_press").click())
        assert presses.CANCELLED.rstrip(".") not in said(visit)
        assert presses.TOO_LATE.rstrip(".") in said(visit)
    run(visit)
    assert kind.found(visit).release.id == begun.release_id
    assert (charged(own_ledger), unfinished(visit)) == (1, None)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["column", "columns"])
def test_a_yes_holds_for_what_was_asked_and_once(shape: str, own_ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answered: list[tuple[object, ...]] = []
    say = questions._say

    def heard(number: int, wanted: tuple[object, ...]) -> None:
        answered.append((number, wanted))
        say(number, wanted)

    monkeypatch.setattr(questions, "_say", heard)
    kind: Shape = SHAPES[shape]
    visit, button = kind.ready(), f"{PREFIX}_run"
    run(visit.button(key=button).click())
    run(visit.text_input(key=f"{PREFIX}_epsilon").set_value("0.5"))
    assert not asks(visit), "a changed setting takes the question back"
    run(visit.button(key=button).click())
    visit.session_state[f"{PREFIX}_epsilon"] = "0.75"
    run(visit.button(key=CONFIRM).click())
    assert charged(own_ledger) == 0, "the budget was another one when it was asked"
    press(visit)
    assert charged(own_ledger) == 1
    assert metrics(visit)["Spent of the budget by now"] == "ε = 0.75 of 3"
    visit.session_state[f"{PREFIX}:confirmed"] = answered[-1]
    run(run(visit))
    assert charged(own_ledger) == 1, "a second click on the same question"
