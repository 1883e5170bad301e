"""Ledgers that earlier versions wrote keep every account, charge and answer, and go on to the end of their budgets.

versions/ has what `sqlite3 .dump` gives of one ledger for each version of the tables since the first in the history of
this repository, written by the code of that time with the same accounts and charges. (Version 1: test_schema.)
"""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from dpq_core import (
    ZCDP,
    Adjacency,
    ApproxDP,
    BudgetError,
    Domain,
    ParameterError,
    People,
    Plan,
    PureDP,
    Sample,
)
from dpq_core.ledger import (
    Ledger,
    ReleaseCost,
    State,
    charged_release,
    charged_synthesis,
    history_as_csv,
    history_as_json,
    standing,
    sums,
    upkeep,
)
from dpq_core.ledger.store.schema import VERSION, releases
from tests.ledger.clients import plan, sample

VERSIONS = sorted((Path(__file__).parent / "versions").glob("version_*.sql"))
KEY = "a key for the tests"
ANSWERED, JOINS, REPLACED = State.ANSWERED, Adjacency.ADD_REMOVE, Adjacency.SUBSTITUTE
ACCOUNTS = {
    "pure": ("person", JOINS, PureDP(3.0), False),
    "approximate": ("visit", JOINS, ApproxDP(2.0, 1e-6), True),
    "concentrated": ("person", REPLACED, ZCDP(0.5), False),
    "unused": ("person", JOINS, PureDP(1.0), False),
}
"""One row, adjacency, budget, whether it is closed."""
CHARGES = {
    "pure": {
        "answered": (ANSWERED, "0.5"),
        "three": (ANSWERED, "0.25"),
        "column": (ANSWERED, "0.125"),
        "failed": (State.FAILED, "0.75"),
        "interrupted": (State.CHARGED, "0.25"),
    },
    "approximate": {"approximate 1": (ANSWERED, "0.5"), "approximate 2": (ANSWERED, "0.5")},
    "concentrated": {"zcdp 1": (ANSWERED, "1.0"), "zcdp 2": (ANSWERED, "0.7071067811865476")},
    "unused": {},
}
"""How each ended, and its epsilon."""
RHO = {"concentrated": Decimal("0.1875"), "approximate": Decimal("0.0625")}
"""Their sums."""
LATER = {"zcdp 1": (ANSWERED, "1.006958512146837"), "zcdp 2": (ANSWERED, "0.7095645352819213")}
LATER_RHO = {
    "concentrated": Decimal("0.12499999999794256") + Decimal("0.06249999999840946"),
    "approximate": Decimal("0.06228418452231176"),
}
"""From version 6 on a tighter conversion gives the same budgets of rho a larger epsilon, and others a smaller rho."""


@pytest.fixture(params=VERSIONS, ids=lambda file: file.stem)
def written(request, where):
    """A place with a ledger of an older version, and all that stands in it, by table and column."""
    script = request.param.read_text()
    server = "://" in where
    engine = create_engine(where.replace("postgresql:", "postgresql+psycopg:") if server else f"sqlite:///{where}")
    with engine.begin() as connection:
        if server:
            script = script.replace("number INTEGER NOT NULL", "number SERIAL NOT NULL")
            connection.exec_driver_sql(script.replace("BEGIN TRANSACTION;", "").replace("COMMIT;", ""))
            for table in ("accounts", "releases", "files"):
                count_on = f"SELECT setval(pg_get_serial_sequence('dpq_{table}', 'number'), 9)"
                connection.exec_driver_sql(count_on)
        else:
            connection.connection.executescript(script)
    before = rows(engine)
    yield where, before
    assert kept(before, rows(engine)), "what stood there stands there still"
    engine.dispose()


def rows(engine):
    """Every row of every table by its number, as a dictionary."""
    with engine.connect() as connection:
        return {
            table: {row["number"]: dict(row) for row in connection.exec_driver_sql(f"SELECT * FROM {table}").mappings()}
            for table in ("dpq_accounts", "dpq_releases", "dpq_files")
        }


def kept(before, after):
    """Whether every value is there; the limits of an account are settled by its next charge."""
    return all(
        after[table][number][name] == value
        for table, found in before.items()
        for number, row in found.items()
        for name, value in row.items()
        if name != "limits"
    )


@pytest.mark.covering(1)
def test_every_account_is_kept(written, request):
    where, before = written
    later = request.node.callspec.params["written"].stem >= "version_6"
    charges, rho = (CHARGES | {"concentrated": LATER}, LATER_RHO) if later else (CHARGES, RHO)
    for _ in range(2):  # the second time there is nothing to do
        ledger = Ledger.at(where, key=KEY)
        found = {
            each.name: (each.one_row_is, each.adjacency, each.budget, bool(each.closed)) for each in ledger.accounts()
        }
        assert found == ACCOUNTS
        for account in ledger.accounts():
            entries = standing(account).entries
            ended = {each.release_id: (each.state, str(each.counted.epsilon)) for each in entries}
            assert ended == charges[account.name]
            assert {each.guarantee.protects for each in entries} <= {"record"}
            assert len(history_as_csv(standing(account)).splitlines()) == 1 + len(entries)
        total = {name: sums(ledger.account(name)).total for name in ACCOUNTS}
        assert (total["pure"].epsilon, total["concentrated"].rho) == (Decimal("1.875"), rho["concentrated"])
        assert (total["approximate"].epsilon, total["approximate"].rho) == (Decimal("1.0"), rho["approximate"])
        assert total["unused"] == ReleaseCost()
        assert standing(ledger.account("pure")).entries[1].who == "ada@example.org"
        checked = {each.account: (each.charges, each.problem) for each in upkeep.verify(ledger)}
        assert checked == {name: (len(charges), "") for name, charges in CHARGES.items()}
        ledger.engine.dispose()
    assert len(before["dpq_files"]) == 1


@pytest.mark.covering(1)
def test_ids_are_refused_and_budgets_end_where_they_would_have(written, tmp_path):
    """Nobody knows of what column and which persons the stored answers are."""
    where, _ = written
    ledger = Ledger.at(where, key=KEY, heads=tmp_path / "heads")
    pure, approximate, concentrated = (ledger.account(name) for name in ("pure", "approximate", "concentrated"))
    for release_id, spent in (("answered", 0.5), ("failed", 0.75), ("interrupted", 0.25)):
        with pytest.raises(ParameterError, match="an older version made the release with this id"):
            charged_release(sample(), plan(spent), pure, release_id=release_id)
    column = Plan([], "aq", PureDP(0.125), JOINS)
    with pytest.raises(ParameterError, match="an older version made the release with this id"):
        charged_synthesis(sample(), 7, column, pure, release_id="column")
    assert sums(pure).total.epsilon == Decimal("1.875"), "all that was asked for again"
    with pytest.raises(BudgetError, match=r"ε = 1\.125 is left"):
        charged_release(sample(), plan(1.1250001), pure)
    charged_release(sample(), plan(1.125), pure)
    with pytest.raises(BudgetError):
        charged_release(sample(), plan(1e-9), pure)
    with pytest.raises(ParameterError, match="must be open"):
        charged_release(sample(), plan(0.1), approximate)
    charged_release(sample(), Plan(["1/2"], "aq", ZCDP(0.3125), REPLACED), concentrated)
    with pytest.raises(BudgetError):
        charged_release(sample(), Plan(["1/2"], "aq", ZCDP(1e-9), REPLACED), concentrated)
    assert not [each.problem for each in upkeep.verify(ledger) if each.problem]
    ledger.engine.dispose()


@pytest.mark.covering(1)
def test_links_of_records_hold_beside_charges_that_protect_persons(written):
    """They are signed as before; what a charge protects cannot be changed unseen, either way."""
    where, _ = written
    ledger = Ledger.at(where, key=KEY)
    pure = ledger.account("pure")
    patients = ledger.open_account("patients", budget=PureDP(9.0), adjacency=JOINS, one_row_is="patient with all rows")
    persons = Sample.from_values(range(1, 51), Domain(0, 100, 1), people=People.of([*range(25)] * 2), most_rows=2)
    answer = charged_release(persons, plan(0.5), patients)
    with pytest.raises(ParameterError, match="one record; this one is for a person"):
        charged_release(persons, plan(0.5), pure)
    for account, protects in ((pure, "record"), (patients, "person")):
        entries = standing(account).entries
        assert {entry.guarantee.protects for entry in entries} == {protects}
        exported = json.loads(history_as_json(standing(account)))["releases"]
        assert {each["guarantee_protects"] for each in exported} == {protects}
    assert entries[0].guarantee == answer.guarantee
    sound = {each.account: each.problem for each in upkeep.verify(ledger)}
    assert set(sound.values()) == {""}
    for account, other in ((pure, "person"), (patients, "record")):
        with ledger.engine.begin() as connection:
            changed = releases.update().where(releases.c.account == account.number)
            connection.execute(changed.values(protects=other))
        found = {each.account: each.problem for each in upkeep.verify(ledger)}
        assert found == sound | {account.name: "charge 1 is missing or was changed"}
        with ledger.engine.begin() as connection:
            connection.execute(changed.values(protects={"person": "record", "record": "person"}[other]))
    ledger.engine.dispose()


def test_every_version_since_the_first_has_its_ledger():
    assert [file.stem for file in VERSIONS] == [f"version_{number}" for number in range(2, VERSION)]
