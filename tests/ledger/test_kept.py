"""Kept answers for a report: those of quantiles only, of all accounts, the newest first."""

import pytest

from dpq_core import PureDP
from dpq_core.ledger import charged_release, charged_synthesis
from dpq_core.ledger.kept import kept_answers
from tests.ledger.clients import JOINS, plan, sample


def test_the_newest_answers_of_quantiles_come_back_whole(ledger, monkeypatch):
    patients, visits = (
        ledger.open_account(name, budget=PureDP(1.0), adjacency=JOINS, one_row_is="person")
        for name in ("patients", "visits")
    )
    assert kept_answers(ledger) == ()
    first = charged_release(sample(), plan(0.25), patients, release_id="first")
    charged_synthesis(sample(), 5, plan(0.25), patients)
    monkeypatch.setattr("dpq_core.ledger.charging.release", failing)
    with pytest.raises(MemoryError):
        charged_release(sample(), plan(0.25), patients)
    monkeypatch.undo()
    second = charged_release(sample(), plan(0.5), visits, release_id="second")
    found = kept_answers(ledger)
    assert [(kept.release_id, kept.account, kept.answer) for kept in found] == [
        ("second", visits, second),
        ("first", patients, first),
    ]
    assert [kept.number for kept in found] == [4, 1]
    assert all(kept.finished.endswith("+00:00") for kept in found)
    assert kept_answers(ledger, most=1) == found[:1]


def failing(*_):
    raise MemoryError
