"""A backup goes back as it was, into either database; where it lacks charges it is refused until it is accepted."""

import sqlite3
from contextlib import closing
from decimal import Decimal

import pytest

from dpq_core import ApproxDP, BudgetError, LedgerError, ParameterError, PureDP
from dpq_core.ledger import Ledger, charged_release, fingerprint_of, history_as_json, standing, upkeep
from dpq_core.ledger.files import compare_files
from tests.ledger.clients import JOINS, plan, sample
from tests.ledger.conftest import fresh_database

KEY = "a key for the tests"


@pytest.fixture
def elsewhere(where, tmp_path, request):
    """Another place of the same kind, for the ledger that is restored."""
    if "://" in where:
        return fresh_database(request.getfixturevalue("postgres"))
    return str(tmp_path / "restored.sqlite")


def histories(ledger):
    """All that an auditor reads of every account, but for the time of writing."""
    return [history_as_json(standing(account)).split('"written"')[0] for account in ledger.accounts()] + [
        standing(account).entries for account in ledger.accounts()
    ]


def filled(ledger):
    """Two accounts, one of them closed, with files that were compared; three charges."""
    people = ledger.open_account("people", budget=PureDP(1.0), adjacency=JOINS, one_row_is="person")
    visits = ledger.open_account("visits", budget=ApproxDP(1.0, 1e-6), adjacency=JOINS, one_row_is="visit")
    mark = fingerprint_of(people, b"a file")
    answer = charged_release(sample(), plan(0.25), people, release_id="first", who="grace", file=mark)
    assert compare_files(people, mark) == ()
    charged_release(sample(), plan(0.25), people)
    charged_release(sample(), plan(0.5), visits)
    visits.close()
    return answer


def test_a_backup_goes_back_with_every_account_and_answer(ledger, where, elsewhere, tmp_path):
    answer = filled(ledger)
    before = histories(ledger)
    upkeep.backup(ledger, tmp_path / "copy")
    copy, restored = Ledger.at(tmp_path / "copy", key=KEY), Ledger.at(elsewhere, key=KEY)
    upkeep.restore(copy, restored)
    again = Ledger.at(elsewhere, key=KEY, heads=tmp_path / "heads")
    assert histories(again) == histories(copy) == before
    assert upkeep.verify(again) == upkeep.verify(ledger)
    assert upkeep.heads_as_json(again) == upkeep.heads_as_json(ledger)
    people = again.account("people")
    assert charged_release(sample(), plan(0.25), people, release_id="first") == answer
    charged_release(sample(), plan(0.5), people)
    with pytest.raises(BudgetError):
        charged_release(sample(), plan(0.25), people)
    assert again.open_account("more", budget=PureDP(1.0), adjacency=JOINS, one_row_is="person").number == 3
    assert [each.charges for each in upkeep.verify(again)] == [3, 1, 0]
    with pytest.raises(ParameterError, match="must have no account yet"):
        upkeep.restore(copy, again)
    for each in (copy, restored, again):
        each.engine.dispose()


def test_a_backup_that_was_restored_and_lacks_charges_answers_nothing_before_it_is_accepted(where, tmp_path, request):
    heads = tmp_path / "heads"
    ledger = Ledger.at(where, key=KEY, heads=heads)
    filled(ledger)
    upkeep.backup(ledger, tmp_path / "copy")
    charged_release(sample(), plan(0.5), ledger.account("people"))
    kept = upkeep.heads_as_json(ledger)
    emptied(ledger)
    copy, older = Ledger.at(tmp_path / "copy", key=KEY), Ledger.at(where, key=KEY, heads=heads, checked=False)
    upkeep.restore(copy, older)
    older.engine.dispose()
    with pytest.raises(LedgerError, match="older than what was charged"):
        Ledger.at(where, key=KEY, heads=heads)
    older = Ledger.at(where, key=KEY, heads=heads, checked=False)
    with pytest.raises(LedgerError, match="nothing was charged"):
        charged_release(sample(), plan(0.25), older.account("people"))
    assert (upkeep.entries_lost(older), upkeep.entries_lost_since(older, kept)) == (1, 2)
    upkeep.accept(older, 1)
    accepted = Ledger.at(where, key=KEY, heads=heads)
    charged_release(sample(), plan(0.25), accepted.account("people"))
    assert standing(accepted.account("people")).total.epsilon == Decimal("0.75")
    for each in (ledger, copy, older, accepted):
        each.engine.dispose()


def emptied(ledger):
    """The same place with a ledger that nobody has used, as on a new server."""
    with ledger.engine.begin() as connection:
        for table in ("comparisons", "files", "releases", "accounts"):
            connection.exec_driver_sql(f"DELETE FROM dpq_{table}")
        connection.exec_driver_sql("UPDATE dpq_version SET ledger = 'a new one', key_check = NULL")


def test_heads_that_were_kept_elsewhere_tell_what_is_missing(tmp_path):
    """Where the whole machine was rolled back its own heads were, too."""
    ledger = Ledger.at(tmp_path / "ledger.sqlite", key=KEY)
    filled(ledger)
    kept = upkeep.heads_as_json(ledger)
    assert upkeep.entries_lost_since(ledger, kept) == 0
    charged_release(sample(), plan(0.25), ledger.account("people"))
    assert upkeep.entries_lost_since(ledger, kept) == 0
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as connection:
        connection.execute("DELETE FROM dpq_releases WHERE place > 1")
        connection.commit()
    assert upkeep.entries_lost_since(ledger, kept) == 2, "the second charge, and how it ended"
    other = Ledger.at(tmp_path / "other.sqlite", key=KEY)
    assert upkeep.entries_lost_since(other, kept) == 7, "another ledger lacks all"
    for wrong in ("", "[]", "{}", '{"ledger": 1, "heads": {"a": [1, ""]}}', '{"ledger": 1, "heads": []}'):
        with pytest.raises(ParameterError, match="must be what the command ledger heads wrote"):
            upkeep.entries_lost_since(ledger, wrong)
    assert not [name for name in ("people", "visits", "grace") if name in kept]  # "ada" could be part of a hash
    ledger.engine.dispose()
    other.engine.dispose()
