"""Versions: an older ledger is brought up to date with its sums, a newer one is refused."""

from decimal import Decimal

import pytest
from sqlalchemy import create_engine, inspect, text

from dpq_core import BudgetError, ParameterError
from dpq_core.ledger import Ledger, State, charged_release, standing, upkeep
from dpq_core.ledger.store.schema import VERSION, versions
from tests.ledger.clients import plan, sample
from tests.narrowing import present

VERSION_1 = """
CREATE TABLE dpq_version (version INTEGER NOT NULL);
CREATE TABLE dpq_accounts (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, one_row_is TEXT NOT NULL,
    adjacency TEXT NOT NULL, budget TEXT NOT NULL, limits TEXT NOT NULL, opened TEXT NOT NULL, closed TEXT);
CREATE TABLE dpq_releases (number INTEGER PRIMARY KEY, account INTEGER NOT NULL REFERENCES dpq_accounts (number),
    release_id TEXT NOT NULL, state TEXT NOT NULL, plan TEXT NOT NULL, size INTEGER, who TEXT NOT NULL,
    epsilon TEXT NOT NULL, delta TEXT NOT NULL, rho TEXT, counted_epsilon TEXT NOT NULL, counted_delta TEXT NOT NULL,
    counted_rho TEXT NOT NULL, charged TEXT NOT NULL, finished TEXT, UNIQUE (account, release_id));
CREATE TABLE dpq_files (number INTEGER PRIMARY KEY, account INTEGER NOT NULL REFERENCES dpq_accounts (number),
    fingerprint TEXT NOT NULL, seen TEXT NOT NULL, UNIQUE (account, fingerprint));
INSERT INTO dpq_version VALUES (1);
INSERT INTO dpq_accounts VALUES (1, 'people', 'person', 'add_remove', '{"kind": "pure", "epsilon": 1.0}',
    '[{"epsilon": "1.0", "delta": "0", "rho": null}]', '2026-01-01T00:00:00+00:00', NULL)
"""


def ledger_of_version_1(where):
    """What the first version left: one answered release of epsilon 0.75, whose answer it did not keep."""
    engine = create_engine(
        where.replace("postgresql://", "postgresql+psycopg://") if "://" in where else f"sqlite:///{where}"
    )
    with engine.begin() as connection:
        for statement in VERSION_1.split(";"):
            connection.execute(text(statement.replace(":", r"\:")))
        connection.execute(
            text(
                "INSERT INTO dpq_releases VALUES (1, 1, 'old', 'answered', :plan, NULL, '', '0.75', '0.0', '0.0703125',"
                " '0.75', '0.0', '0.0703125', '2026-01-02', '2026-01-02')"
            ),
            {"plan": plan(0.75).to_json()},
        )
    engine.dispose()


def test_a_ledger_of_version_1_keeps_its_sums_and_goes_on(where):
    ledger_of_version_1(where)
    for _ in range(2):  # the second time there is nothing to do
        ledger = Ledger.at(where)
        account = ledger.account("people")
        assert standing(account).total.epsilon == Decimal("0.75")
        with pytest.raises(BudgetError, match=r"ε = 0\.25 is left"):
            charged_release(sample(), plan(0.5), account)
        with pytest.raises(ParameterError, match="is answered and has no stored answer"):
            charged_release(sample(), plan(0.75), account, release_id="old")
        assert upkeep.verify(ledger) == (upkeep.Verified("people", 1, 1, ""),)
        assert [entry.guarantee.protects for entry in standing(account).entries] == ["record"]
        ledger.engine.dispose()
    with ledger.engine.begin() as connection:
        assert connection.execute(versions.select()).scalars().all() == [VERSION]
        names = {column["name"] for column in inspect(connection).get_columns("dpq_releases")}
        assert {"answer", "words", "protects"} <= names
    ledger.engine.dispose()


def test_an_older_ledger_takes_new_releases(tmp_path):
    ledger_of_version_1(str(tmp_path / "ledger.sqlite"))
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    account = ledger.account("people")
    answer = charged_release(sample(), plan(0.25), account, release_id="new")
    assert charged_release(sample(), plan(0.25), account, release_id="new") == answer
    assert [entry.state for entry in standing(account).entries] == [State.ANSWERED] * 2
    assert upkeep.verify(ledger) == (upkeep.Verified("people", 2, 2, ""),)
    ledger.engine.dispose()


def test_the_chain_and_the_head_begin_where_an_older_ledger_stands(tmp_path):
    where = str(tmp_path / "ledger.sqlite")
    ledger_of_version_1(where)
    ledger = Ledger.at(where, key="a key for the tests", heads=tmp_path / "heads")
    assert present(ledger.watch).known().heads[1].place == 1
    charged_release(sample(), plan(0.25), ledger.account("people"))
    assert upkeep.verify(ledger) == (upkeep.Verified("people", 2, 1, ""),)
    assert present(ledger.watch).known().heads[1].place == 2
    ledger.engine.dispose()


def test_a_newer_ledger_is_refused_and_left_alone(ledger, where):
    with ledger.engine.begin() as connection:
        connection.execute(versions.update().values(version=VERSION + 1))
    with pytest.raises(ParameterError, match=f"must have a version of at most {VERSION}, got {VERSION + 1}"):
        Ledger.at(where)
    with ledger.engine.begin() as connection:
        assert connection.execute(versions.select()).scalar_one() == VERSION + 1
