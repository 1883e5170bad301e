"""Versions of a ledger: one from before version 1.1 is refused, a newer one too, and both are left alone."""

import pytest
from sqlalchemy import select

from dpq_core import LedgerError, ParameterError
from dpq_core.ledger import Ledger
from dpq_core.ledger.store.schema import EARLIEST, VERSION, versions

KEY = "a key for the tests"


def of_version(ledger, number):
    with ledger.engine.begin() as connection:
        connection.execute(versions.update().values(version=number))


def left_alone(ledger, number):
    with ledger.engine.begin() as connection:
        return connection.execute(select(versions.c.version)).scalar_one() == number


def test_a_newer_ledger_is_refused_and_left_alone(ledger, where):
    of_version(ledger, VERSION + 1)
    with pytest.raises(ParameterError, match=f"must have a version of at most {VERSION}, got {VERSION + 1}"):
        Ledger.at(where)
    assert left_alone(ledger, VERSION + 1)


@pytest.mark.covering(1)
@pytest.mark.parametrize("number", range(1, EARLIEST))
def test_an_older_ledger_is_refused_and_left_alone(ledger, where, number):
    of_version(ledger, number)
    for key in (KEY, None):
        with pytest.raises(LedgerError, match=r"before version 1.1, .* Open it once with version 1.1"):
            Ledger.at(where, key=key)
    assert left_alone(ledger, number)
