"""A data set whose budget pays for the releases of one test file."""

import os
from collections.abc import Iterator

import pytest

from dpq_core import Adjacency, PureDP
from dpq_core.ledger.accounts import Account, Ledger

KEY = "a key for the tests"


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """In a ledger of its own."""
    ledger = Ledger.at(tmp_path_factory.mktemp("ledger") / "ledger.sqlite", key=KEY)
    yield ledger.open_account("ages", budget=PureDP(5.0), adjacency=Adjacency.ADD_REMOVE, one_row_is="person")
    ledger.engine.dispose()


@pytest.fixture
def through_the_ledger(account: Account) -> dict[str, str]:
    """The environment of a script that spends from it; the heads of whoever runs the tests stay alone."""
    heads = os.environ["DPQ_LEDGER_HEADS"]
    return {"DPQ_LEDGER_URL": str(account.ledger.engine.url), "DPQ_LEDGER_KEY": KEY, "DPQ_LEDGER_HEADS": heads}
