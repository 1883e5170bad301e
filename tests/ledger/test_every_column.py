"""Change each column of each table to another plausible value, and rows: the next charge is refused, or verify says it.

`DECIDES_NOTHING` has the columns that nobody notices, each with the reason why no grant and no answer depends on it.
"""

from shutil import copytree

import pytest
from sqlalchemy import Integer, select

from dpq_core import ApproxDP, Infeasible, LedgerError, ParameterError, release
from dpq_core.ledger import charging, verifying
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.charging import charged_answer, charged_release
from dpq_core.ledger.files import compare_files
from dpq_core.ledger.history.entries import standing, stored_releases, sums
from dpq_core.ledger.store.chain import digest_of, sign_anew
from dpq_core.ledger.store.schema import TABLES, accounts, releases
from dpq_core.release import ColumnWords, Description
from tests.ledger.clients import KEY, changed, fingerprint_of, open_one, plan, request, sample

WORDS = Description(columns={"age": ColumnWords(unit="years")}, one="person", many="people")
BUDGET = ApproxDP(1.0, 1e-5)
OF_FILES = "Fingerprints and comparisons warn a curator of a file that looks the same; they decide no charge."
DECIDES_NOTHING = {
    "dpq_releases.number": "Lists of releases of several accounts are in this order; each account has its own, signed.",
    **{f"dpq_files.{name}": OF_FILES for name in ("number", "account", "fingerprint", "seen")},
    **{f"dpq_comparisons.{name}": OF_FILES for name in ("number", "account", "compared")},
}
PLAUSIBLE = {
    "state": ("charged", "answered", "infeasible", "failed", "cancelled"), "adjacency": ("add_remove", "replace_one"),
    "budget": ('{"kind": "approximate", "epsilon": 21.0, "delta": 1e-05}',), "counts": ("as stated", "by rho alone"),
    "protects": ("record", "person"), "epsilon": ("0.001", "0"), "delta": ("0.0", "1e-9"), "rho": ("0.0000001", None),
    "refused_epsilon": ("0", "0.01", None), "closed": (None, "2026-01-01T00:00:00+00:00"),
    "key_check": (None, "keyed:0"), "version": (6, 9), "account": (2, 1),
}  # fmt: skip
"""Other values, by the name of a column."""
LOOKED_AT = ("one", "refused", "interrupted", "four")
"""Releases whose row is changed: answered, refused, still being drawn, the last of a closed account."""


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A folder with such a ledger on SQLite, and its heads."""
    folder = tmp_path_factory.mktemp("filled")
    ledger = Ledger.at(folder / "ledger.sqlite", key=KEY, heads=folder / "heads")
    fill(ledger)
    ledger.engine.dispose()
    return folder


@pytest.fixture
def filled(opened, where, template, tmp_path):
    """A ledger that runs: accounts with charges that ended in each way, a file, one of them closed."""
    if "://" in where:
        return fill(opened())
    copytree(template, tmp_path, dirs_exist_ok=True)
    return opened()


def fill(ledger):
    people, visits = open_one(ledger, budget=BUDGET), open_one(ledger, "visits", BUDGET)
    mark = fingerprint_of(people, b"a file")
    charged_release(sample(), plan(0.1), people, release_id="one", who="ada", file=mark, words=WORDS)
    compare_files(people, mark)
    for release_id, error in (("failed", RuntimeError()), ("cancelled", refusal(0.0)), ("refused", refusal(0.05))):

        def draw(error=error):
            raise error

        with pytest.raises(type(error)):
            charged_answer(people, request(0.1, release_id), draw)
    ledger.write(lambda connection: charging._charge(connection, people, request(0.1, "interrupted")))
    charged_answer(people, request(0.1, "two"), lambda: release(sample(), plan(0.1)))
    charged_release(sample(), plan(0.1), visits, release_id="three")
    closed = open_one(ledger, "closed", BUDGET)
    charged_release(sample(), plan(0.1), closed, release_id="four")
    closed.close()
    return ledger


def refusal(charged):
    return Infeasible("quantiles", "must differ.", charged=charged)


def noticed(before, opened, name):
    """Whether the ledger that runs refuses the next charge of an account, and whether a check names something.

    The closed account refuses by itself, and must do so because it is closed, or was changed.
    """
    try:
        charged_release(sample(), plan(0.01), before[name])
    except (LedgerError, ParameterError) as error:
        refused = name != "closed" or "closed on" not in str(error)
    else:
        refused = False
    return refused, is_named(opened)


def is_named(opened):
    """Whether a program that starts says that something was changed, or is missing."""
    try:
        again = opened(checked=False)
        return any(each.problem for each in verifying.verify(again)) or verifying.entries_lost(again) > 0
    except (LedgerError, ParameterError):
        return True


def accounts_of(ledger):
    """Return the accounts as they were read before a change, by name."""
    return {account.name: account for account in ledger.accounts()}


def unchecked(engine):
    """A connection that holds nobody to the rules of the tables."""
    connection = engine.connect()
    if engine.dialect.name == "sqlite":
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    return connection


def others_than(column, value):
    """Plausible values that differ from the one that is there."""
    if column.name in PLAUSIBLE:
        found = PLAUSIBLE[column.name]
    elif isinstance(column.type, Integer):
        found = (50, None) if column.nullable else (50,)
    else:
        found = (f"{value or 'other'}9",)
        found += ((str(value)[:-1],) if value else ()) + ((None,) if column.nullable else ())
    return [other for other in found if other != value]


def cells(table):
    return [column for column in table.c if f"{table.name}.{column.name}" not in DECIDES_NOTHING]


CELLS = [pytest.param(table, column, id=f"{table.name}.{column.name}") for table in TABLES for column in cells(table)]


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize(("table", "column"), CELLS)
def test_a_value_that_was_changed_stops_its_account_and_is_named(filled, opened, where, table, column):
    ledger, before = filled, accounts_of(filled)
    rows = ledger.read(lambda connection: connection.execute(select(table)).mappings().all())
    rows = [row for row in rows if row.get("release_id", "one") in LOOKED_AT]
    names = {account.number: name for name, account in before.items()}
    tried = 0
    for row in rows:
        key = next(iter(row))
        for other in others_than(column, row[column.name]):
            same = table.c[key] == row[key]
            connection = unchecked(ledger.engine)
            try:
                connection.execute(table.update().where(same).values({column.name: other}))
                connection.commit()
            except Exception:  # another row has it: the tables themselves refuse
                connection.close()
                continue
            tried += 1
            account = names[row["account"] if "account" in row else row["number"]] if "number" in row else "people"
            assert noticed(before, opened, account) == (True, True), (dict(row), other)
            back = table.c[key] == (other if column.name == key else row[key])
            connection.execute(table.update().where(back).values({column.name: row[column.name]}))
            connection.commit()
            connection.close()
    assert tried or "://" in where, "PostgreSQL keeps accounts that have charges"
    assert not any(each.problem for each in verifying.verify(ledger)), "all is as it was"


def test_every_column_that_decides_nothing_is_one_with_its_reason():
    assert set(DECIDES_NOTHING) < {f"{table.name}.{column.name}" for table in TABLES for column in table.c}
    assert all(len(reason.split()) > 6 for reason in DECIDES_NOTHING.values())


OF_ONE = "WHERE account = 1 AND release_id = 'one'"
MOVED = "UPDATE dpq_releases SET account = {} WHERE account = {}"
NAMED = "UPDATE dpq_accounts SET name = '{}', one_row_is = '{}' WHERE number = {}"
CALLED = "UPDATE dpq_releases SET release_id = '{}' WHERE account = 1 AND release_id = '{}'"
ROWS = {
    "the first charge is gone": [f"DELETE FROM dpq_releases {OF_ONE}"],
    "the last charge is gone": ["DELETE FROM dpq_releases WHERE account = 1 AND release_id = 'two'"],
    "all charges are gone": ["DELETE FROM dpq_releases WHERE account = 1"],
    "the account is gone": ["DELETE FROM dpq_accounts WHERE number = 1"],
    "charges are of another account": [MOVED.format(9, 1), MOVED.format(1, 3), MOVED.format(3, 9)],
    "accounts are swapped": [
        NAMED.format("other", "visit", 1), NAMED.format("people", "person", 2), NAMED.format("visits", "visit", 1)
    ],
    "answers are swapped": [
        f"UPDATE dpq_releases SET who = answer {OF_ONE}",
        f"UPDATE dpq_releases SET answer = (SELECT answer FROM dpq_releases WHERE release_id = 'two') {OF_ONE}",
        "UPDATE dpq_releases SET answer = (SELECT who FROM dpq_releases WHERE release_id = 'one') "
        "WHERE release_id = 'two'",
        f"UPDATE dpq_releases SET who = 'ada' {OF_ONE}",
    ],
    "ids are swapped": [CALLED.format("x", "one"), CALLED.format("one", "two"), CALLED.format("two", "x")],
    "a version is there twice": ["INSERT INTO dpq_version SELECT * FROM dpq_version"],
    "the version is gone": ["DELETE FROM dpq_version"],
}  # fmt: skip


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("what", ROWS)
def test_rows_that_are_gone_or_swapped_stop_an_account_and_are_named(filled, opened, where, what):
    if "://" in where and what in {"the account is gone", "charges are of another account"}:
        pytest.skip("PostgreSQL keeps accounts that have charges")
    before, connection = accounts_of(filled), unchecked(filled.engine)
    for statement in ROWS[what]:
        connection.exec_driver_sql(statement)
    connection.commit()
    connection.close()
    assert noticed(before, opened, "people") == (True, True)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("release_id", ["one", "failed", "cancelled", "refused", "two"])
@pytest.mark.parametrize("account", [1, 2])
def test_a_charge_that_is_there_twice_stops_its_account_and_is_named(filled, opened, release_id, account):
    ledger, before = filled, accounts_of(filled)
    chosen = select(releases).where(releases.c.account == 1, releases.c.release_id == release_id)
    row = dict(ledger.read(lambda connection: connection.execute(chosen).mappings().one()))
    del row["number"]
    twice = row | {"account": account, "release_id": "again", "place": row["place"] + 50}
    twice["end_place"] = row["end_place"] + 50
    ledger.write(lambda connection: connection.execute(releases.insert().values(twice)))
    assert noticed(before, opened, {1: "people", 2: "visits"}[account]) == (True, True)


def test_an_account_that_is_there_twice_grants_nothing(filled):
    ledger = filled
    row = dict(ledger.read(lambda connection: connection.execute(select(accounts)).mappings().first()))
    ledger.write(lambda connection: connection.execute(accounts.insert().values(row | {"number": 9, "name": "more"})))
    with pytest.raises(LedgerError, match="record of more was changed"):
        charged_release(sample(), plan(0.01), ledger.account("more"))
    assert [each.account for each in verifying.verify(ledger) if each.problem] == ["more"]


CONTRADICTIONS = {
    "state = 'cancelled' WHERE release_id = 'one'": "charge 1 has an answer, and its state is cancelled",
    "refused_epsilon = '0.01' WHERE release_id = 'one'": "charge 1 does not count what it says",
    "refused_epsilon = '0.2' WHERE release_id = 'refused'": "charge 4 does not count what it says",
    "state = 'charged' WHERE release_id = 'failed'": "how charge 2 ended is missing or was changed",
    "epsilon = '1.5', rho = '1.5' WHERE release_id = 'one'": "its charges add up to more than its budget",
}


@pytest.mark.parametrize("change", CONTRADICTIONS)
def test_what_contradicts_itself_is_named_whoever_signed_it(filled, change):
    ledger = filled
    with ledger.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE dpq_releases SET {change}")
        sign_anew(connection, 1, ledger.key)
    assert verifying.verify(ledger)[0].problem == CONTRADICTIONS[change]
    with pytest.raises(LedgerError, match=f"was changed: {CONTRADICTIONS[change]}"):
        charged_release(sample(), plan(0.01), ledger.account("people"))


UNREADABLE = {
    "dpq_accounts": {"budget": ("{}", "[", '{"kind": "pure", "epsilon": -1.0}'), "adjacency": ("none",)},
    "dpq_releases": {
        "epsilon": ("", "much"), "counts": ("not", "by rho alone"), "state": ("gone",), "plan": ("{}", "["),
        "answer": ("", "{}", '{"format": 2}'), "refused_epsilon": ("some",),
    },
}  # fmt: skip
UNREADABLE_CELLS = [
    (table, column, value) for table, own in UNREADABLE.items() for column, values in own.items() for value in values
]


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize(("table", "column", "value"), UNREADABLE_CELLS)
def test_a_value_that_no_program_writes_is_one_sentence_wherever_it_is_read(filled, table, column, value):
    ledger, people = filled, filled.account("people")
    one = "number" if table == "dpq_accounts" else "account"
    changed(ledger, f"UPDATE {table} SET {column} = :value WHERE {one} = 1", value=value)
    readings = [ledger.accounts, lambda: sums(people), lambda: standing(people), lambda: stored_releases(ledger)]
    said = []
    for reading in readings:
        try:
            reading()
        except LedgerError as error:
            said.append(str(error))
    assert said
    assert all("record of people was changed: a value cannot be read" in each for each in said)
    assert verifying.verify(ledger)[0].problem


@pytest.mark.parametrize(("one", "other"), [(100, 100 + 2**61 - 1), (-1, -2)])
def test_entries_differ_where_python_hashes_their_numbers_alike(one, other):
    """A running server remembers the digests of entries that it has read."""
    assert hash(one) == hash(other)
    assert digest_of(("answer", one)) != digest_of(("answer", other))
