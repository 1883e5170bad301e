"""Random questions against an account: answered, refused before a charge, or refused after a count that is stored.

Never another error, and never a spent budget without an answer or a stored refusal.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from dpq_core import BudgetError, DataError, Infeasible, ParameterError
from dpq_core.ledger import upkeep
from dpq_core.ledger.accounts import Account, Ledger
from dpq_core.ledger.history.entries import standing
from tests.ledger.questions import Question, question

QUESTIONS, TOGETHER = 300, 30
PARTS = [
    pytest.param(range(first, first + TOGETHER), id=f"{first} to {first + TOGETHER - 1}")
    for first in range(0, QUESTIONS, TOGETHER)
]


def asked_of(asked: Question, account: Account) -> object:
    """Return the answers, or the refusal; any other error is raised."""
    try:
        return asked.ask(account)
    except (ParameterError, DataError) as refused:
        return refused


def tried(asked: Question, ledger: Ledger, name: str) -> str:
    """Ask twice with one id, and return how it ended; fail where a spent budget has no answer and no refusal."""
    account = ledger.open_account(name, budget=asked.privacy, adjacency=asked.adjacency, one_row_is="person")
    found, entries = asked_of(asked, account), standing(account).entries
    assert not isinstance(found, BudgetError), "the account has what the question asks for"
    if not entries:
        assert isinstance(found, ParameterError | DataError)
        return "refused"
    again = asked_of(asked, account)
    assert standing(account).entries == entries, "it is paid once"
    if isinstance(found, Exception):
        assert isinstance(found, Infeasible), "of what only a count can refuse"
        assert isinstance(again, Infeasible)
        assert [entry.state for entry in entries] == ["infeasible"]
        assert (str(again), vars(again)) == (str(found), vars(found))
        return "refused after a count"
    assert [entry.state for entry in entries] == ["answered"]
    assert getattr(again, "values", None) == found.values  # type: ignore[attr-defined]
    return "answered"


@pytest.mark.slow(keep="0 to 29")
@pytest.mark.parametrize("numbers", PARTS)
def test_every_question_is_answered_or_refused_in_a_way_that_is_said(tmp_path: Path, numbers: range) -> None:
    ledger = Ledger.at(tmp_path / "ledger.sqlite", key="a key for the tests")
    ended = []
    for number in numbers:
        asked = question(number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                ended.append(tried(asked, ledger, f"question {number}"))
            except Exception as error:
                error.add_note(f"question {number}: {asked}")
                raise
    assert {each.problem for each in upkeep.verify(ledger)} == {""}
    ledger.engine.dispose()
    assert {"answered", "refused"} <= set(ended)
