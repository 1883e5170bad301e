"""Files under their fingerprints: compared after a charge, seldom, and never for somebody who only tries files out."""

from datetime import UTC, datetime, timedelta

import pytest

from dpq_core import BudgetError, PureDP
from dpq_core.ledger import files
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.answers import ReleaseMetadata
from dpq_core.ledger.charging import charged_release
from dpq_core.ledger.files import (
    MOST_COMPARED,
    NOT_COMPARED,
    accounts_with_column,
    compare_files,
)
from tests.ledger.clients import fingerprint_of, open_one, plan, sample


def charge(account, content, epsilon=0.01):
    """A release from a file of this content, and what its curator is told."""
    mark = fingerprint_of(account, content)
    charged_release(sample(), plan(epsilon), account, file=mark)
    return compare_files(account, mark)


def test_a_file_is_recognised_once_it_was_charged(ledger, tmp_path):
    patients, visits = open_one(ledger, "patients"), open_one(ledger, "visits")
    assert charge(patients, b"age\n31\n") == ()
    assert charge(patients, b"age\n31\n") == ()
    (same,) = charge(visits, b"age\n31\n")
    assert "looks the same as one charged to patients" in same
    (other,) = charge(patients, b"age\n32\n")
    assert "patients was charged for other files before" in other
    elsewhere = Ledger.at(tmp_path / "other.sqlite", key="another key of some length")
    assert fingerprint_of(open_one(elsewhere), b"age\n31\n") != fingerprint_of(patients, b"age\n31\n")
    elsewhere.engine.dispose()


def test_a_file_that_nothing_was_charged_for_is_compared_with_none(ledger):
    patients, visits = open_one(ledger, "patients"), open_one(ledger, "visits", PureDP(0.001))
    charge(patients, b"age\n31\n")
    for content in (b"age\n31\n", b"age\n32\n"):
        mark = fingerprint_of(visits, content)
        with pytest.raises(BudgetError):
            charged_release(sample(), plan(0.01), visits, file=mark)
        assert compare_files(visits, mark) == ()


def test_at_most_so_many_files_are_compared_within_an_hour_over_all_accounts(ledger, where, monkeypatch):
    """Who tries a file for every value of one record, and pays for each under a name of its own, learns of a few."""
    known = b"age\n31\n47\n"
    charge(open_one(ledger), known)
    told = {}
    for age in range(40, 54):  # the attacker knows all records but the last
        guess = b"age\n31\n%d\n" % age
        told[age] = charge(open_one(ledger, f"guess {age}"), guess)
    compared = [age for age, sentences in told.items() if sentences != (NOT_COMPARED,)]
    assert compared == list(range(40, 40 + MOST_COMPARED - 1)), "and the first one was the known file itself"
    assert told[47] == told[53] == (NOT_COMPARED,)
    another = Ledger.at(where, key="a key for the tests")
    assert charge(open_one(another, "another client"), known) == (NOT_COMPARED,)
    another.engine.dispose()

    class Later(datetime):
        @classmethod
        def now(cls, zone=UTC):
            return datetime.now(zone) + timedelta(minutes=61)

    monkeypatch.setattr(files, "datetime", Later)
    (same,) = charge(open_one(ledger, "an hour later"), b"age\n31\n40\n")
    assert "looks the same" in same


def test_accounts_are_found_by_the_name_of_a_column_that_they_have_released(ledger):
    patients = open_one(ledger, "patients")
    words = ReleaseMetadata(column="age", kind="number", unit="", one="patient", many="patients")
    charged_release(sample(), plan(0.01), patients, words=words)
    charged_release(sample(), plan(0.01), open_one(ledger, "visits"))
    charged_release(sample(), plan(0.01), open_one(ledger, "stays"), column="age")
    assert (accounts_with_column(ledger, "age"), accounts_with_column(ledger, "a")) == (("patients", "stays"), ())
