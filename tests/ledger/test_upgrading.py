"""A ledger that version 1.1.0 wrote is brought up to date: verified, signed anew, and it ends where it would have.

of_1_1_0.sql has what `sqlite3 .dump` gives of a ledger that the code of that version wrote: charges before there was a
key, under a first key and under a second one; charges that ended in each way; a closed account; a release of each kind.
"""

import json
from dataclasses import replace
from decimal import Decimal

import pytest
from sqlalchemy import inspect, select, text

from dpq_core import BudgetError, Domain, LedgerError, ParameterError, PureDP
from dpq_core.ledger import verifying
from dpq_core.ledger.charging import charged_release
from dpq_core.ledger.history.entries import standing, stored_releases, sums
from dpq_core.ledger.history.statement import history_as_csv
from dpq_core.ledger.store.chain import End
from dpq_core.ledger.store.schema import OF_1_1, TABLES, VERSION, accounts, versions
from dpq_core.release import ColumnWords, Description, Release
from tests.ledger.clients import KEY, OTHER, changed, plan, sample
from tests.narrowing import present

CHARGES = {
    "pure": {"before the key": ("answered", "0.5"), "before the second key": ("answered", "0.25"),
     "of a file": ("answered", "0.25"), "failed": ("failed", "0.75"), "interrupted": ("charged", "0.25")},
    "approximate": {"infeasible": ("infeasible", "0.125"), "cancelled": ("cancelled", "0"),
     "by rho": ("answered", "0.08944768822223205")},
    "unused": {},
}  # fmt: skip
"""How each ended, and the epsilon that it counts."""
FOUND = {"pure": (5, 1), "approximate": (3, 0), "unused": (0, 0), "rows": (10, 0), "replaced": (2, 0), "people": (4, 0)}
"""Of each account the charges, and those of them that were signed without the key."""


def version_in(engine):
    with engine.connect() as connection:
        return connection.execute(select(versions.c.version)).scalar_one()


def test_every_account_charge_and_answer_is_kept(of_1_1, opened):
    for _ in range(2):  # the second time there is nothing to do
        ledger = opened()
        for name, charges in CHARGES.items():
            entries = standing(ledger.account(name)).entries
            found = {each.release_id: (each.state.value, str(each.counted.epsilon)) for each in entries}
            assert found == charges
            assert [each.place for each in entries] == [*range(1, 1 + len(charges))]
        assert verifying.verify(ledger) == tuple(verifying.Verified(name, *found, "") for name, found in FOUND.items())
        assert all(len(history_as_csv(standing(account)).splitlines()) > 1 for account in ledger.accounts()[3:])
        assert sums(ledger.account("approximate")).limits[0].delta == Decimal("5E-7")
        assert ledger.account("approximate").closed is not None
        assert standing(ledger.account("pure")).entries[0].who == "ada@example.org"
        assert (ledger.account("people").one_row_is, ledger.account("people").protects) == ("patient", "person")
    with ledger.engine.connect() as connection:
        assert connection.execute(versions.select()).one().version == VERSION
        assert set(connection.execute(select(accounts.c.adjacency)).scalars()) == {"add_remove", "replace_one"}
        for table in TABLES:
            columns = {column["name"] for column in inspect(connection).get_columns(table.name)}
            assert columns == set(table.c.keys()), "as a new ledger has them"


def test_ids_are_refused_and_budgets_end_where_they_would_have(of_1_1, opened):
    """It did not store everything that was asked, and before that nothing."""
    signed_by_1_1(of_1_1, [("unknown", "0.5")])
    ledger = opened()
    pure, unused = ledger.account("pure"), ledger.account("unused")
    for account, release_id, epsilon in (
        (pure, "before the key", 0.5),
        (pure, "of a file", 0.25),
        (unused, "unknown", 0.5),
    ):
        with pytest.raises(ParameterError, match=r"version 1\.1 made the release with this id"):
            charged_release(sample(), plan(epsilon), account, release_id=release_id)
    with pytest.raises(BudgetError, match=r"ε = 1(\.0)? is left"):
        charged_release(sample(), plan(1.0000001), pure)
    charged_release(sample(), plan(1.0), pure)
    with pytest.raises(BudgetError):
        charged_release(sample(), plan(1e-9), pure)
    with pytest.raises(ParameterError, match="must be open"):
        charged_release(sample(), plan(0.1), ledger.account("approximate"))
    assert {each.problem for each in verifying.verify(ledger)} == {""}


def test_heads_of_that_time_know_the_ledger(of_1_1, opened, tmp_path):
    first = opened(heads=tmp_path / "elsewhere")
    watch = present(first.watch)
    with first.engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT account, max(place), earlier_links FROM dpq_releases GROUP BY 1, 3")
        found = {account: (place, links.split()[-1]) for account, place, links in rows}
    assert found[1][0] <= 5
    replace(watch, folder=tmp_path / "heads").keep({number: End(*found[number]) for number in (1, 2, 4)})
    again = opened()
    assert verifying.entries_lost(again) == 0


@pytest.mark.parametrize(("key", "match"), [(None, "no key was given"), (OTHER, "has another key")])
def test_it_needs_its_key_to_be_signed_anew(of_1_1, opened, key, match):
    with pytest.raises(LedgerError, match=match):
        opened(key)
    assert version_in(of_1_1) == 7
    opened()


CHANGED = [
    "UPDATE dpq_releases SET epsilon = '0.01' WHERE number = 1",
    "UPDATE dpq_releases SET epsilon = '0.01' WHERE number = 3",
    "UPDATE dpq_releases SET counted_epsilon = '0.01' WHERE number = 3",
    "UPDATE dpq_releases SET counted_rho = '0' WHERE number = 5",
    "UPDATE dpq_releases SET counted_epsilon = '0.5' WHERE number = 5",
    "UPDATE dpq_releases SET counted_epsilon = '1' WHERE number = 6",
    "UPDATE dpq_releases SET counted_epsilon = 'Infinity', counted_delta = '0' WHERE number = 19",
    "UPDATE dpq_releases SET request = '{}' WHERE number = 3",
    "UPDATE dpq_releases SET request = NULL WHERE number = 3",
    "UPDATE dpq_releases SET protects = 'record' WHERE number = 21",
    "DELETE FROM dpq_releases WHERE number = 2",
    "UPDATE dpq_accounts SET one_row_is = 'house' WHERE number IN (1, 2)",
]


@pytest.mark.parametrize("statement", CHANGED)
def test_a_ledger_that_does_not_verify_is_not_signed(of_1_1, opened, statement):
    changed(of_1_1, statement)
    with pytest.raises(LedgerError, match=r"charges of .* were changed, so the ledger of version 1.1 was not brought"):
        opened()
    assert version_in(of_1_1) == 7


def test_limits_that_were_changed_grant_nothing(of_1_1, opened):
    """In version 1.1 they decided, and nobody signed them."""
    changed(of_1_1, """UPDATE dpq_accounts SET limits = '[{"epsilon": "21.0", "delta": "0", "rho": null}]'""")
    ledger = opened()
    with pytest.raises(BudgetError, match=r"ε = 1(\.0)? is left"):
        charged_release(sample(), plan(1.1), ledger.account("pure"))


def test_a_budget_that_was_exceeded_stops_its_account_alone(of_1_1, opened):
    """The charges are real, whoever let them pass."""
    changed(of_1_1, "DELETE FROM dpq_releases WHERE account = 3")
    old = signed_by_1_1(of_1_1, [("one", "0.75"), ("two", "0.75")])
    assert old == 2
    ledger = opened()
    found = {each.account: each.problem for each in verifying.verify(ledger)}
    assert found.pop("unused") == "its charges add up to more than its budget"
    assert set(found.values()) == {""}
    with pytest.raises(LedgerError, match="add up to more than its budget"):
        charged_release(sample(), plan(0.1), ledger.account("unused"))
    charged_release(sample(), plan(0.1), ledger.account("pure"))


def signed_by_1_1(engine, charges, words=None):
    """Enter charges into the account that has none, signed as version 1.1 signed them."""
    from dpq_core.ledger.store.chain import signature
    from dpq_core.ledger.upgrading import OF_ACCOUNT, _said

    with engine.begin() as connection:
        account = connection.exec_driver_sql("SELECT * FROM dpq_accounts WHERE number = 3").mappings().one()
        link = signature("dpq ledger chain 1", ["", *(account[name] for name in OF_ACCOUNT)], None)
        row = dict(connection.exec_driver_sql("SELECT * FROM dpq_releases WHERE number = 1").mappings().one())
        for place, (release_id, epsilon) in enumerate(charges, start=1):
            row |= {"number": 50 + place, "account": 3, "place": place, "release_id": release_id, "epsilon": epsilon}
            row |= {"counted_epsilon": epsilon, "rho": "0.01", "counted_rho": "0.01", "request": None}
            row |= {"request_mark": None, "earlier_links": None, "file": None, "words": words}
            link = row["link"] = signature("dpq ledger chain 1", [link, *_said(row)], KEY.encode())
            marks = ", ".join(f":{name}" for name in row)
            connection.execute(text(f"INSERT INTO dpq_releases ({', '.join(row)}) VALUES ({marks})"), row)
    return len(charges)


def test_every_answer_is_read_for_reports(of_1_1, opened):
    ledger = opened()
    with of_1_1.connect() as connection:
        chosen = "SELECT release_id, answer FROM dpq_releases WHERE answer IS NOT NULL AND size IS NULL"
        rows = connection.exec_driver_sql(chosen)
        stored = {name: json.loads(answer.replace('"substitute"', '"replace_one"')) for name, answer in rows}
    read = {each.release.id: each.release for each in stored_releases(ledger)}
    assert len(read) == 19
    assert {name: answer.guarantee.as_dict() for name, answer in read.items()} == {
        name: answer["guarantee"] for name, answer in stored.items()
    }
    for name, answer in read.items():
        assert Release.from_json(answer.to_json()) == answer
        frame = answer.to_frame()
        ends = (frame["low"] <= frame["value"]) & (frame["value"] <= frame["high"])
        assert ends.all() if name in {"intervals", "counted"} else frame["low"].isna().all()


def test_what_this_version_does_not_know_is_left_out_of_answers_and_words(of_1_1, opened):
    """Round numbers of minutes, intervals of version 1.0 and words about groups of public size: the answers stay."""
    words = {"column": "age", "kind": "money", "unit": "€", "one": "row", "many": "rows", "columns": [], "person": ""}
    fixed = json.dumps(words | {"max_groups_per_person": 2, "group_sizes": [["a", 3]], "fixed": True})
    signed_by_1_1(of_1_1, [("of groups", "0.5")], fixed)
    for old, new in (('"step": "1"', '"step": "1", "measure": "minutes"'), ('"intervals_of": "values", ', "")):
        changed(of_1_1, "UPDATE dpq_releases SET answer = replace(answer, :old, :new)", old=old, new=new)
    listed = '{"lower": "0", "upper": "100", "step": "1", "measure": "minutes"}', '["0", "100", "1"]'  # version 0.2
    changed(
        of_1_1, "UPDATE dpq_releases SET answer = replace(answer, :old, :new) WHERE number = 1",
        old=listed[0], new=listed[1],
    )  # fmt: skip
    ledger = opened()
    read = {each.release.id: each.release for each in stored_releases(ledger)}
    assert len(read) == 20
    assert read["before the key"].cells[0].domain == Domain(0, 100, 1)
    whole, sure = (read[name].cells[0] for name in ("of a file", "intervals"))
    assert (whole.values, whole.domain) == (((29.0,),), Domain(0, 100, 1))
    assert (len(sure.values), sure.intervals, sure.basis) == (1, (), None)
    unused = read["of groups"]
    assert unused.description == Description(
        columns={"age": ColumnWords(kind="money", unit="€")}, one="row", many="rows", group_sizes=(("a", 3),)
    )
    assert [each.column for each in unused.cells] == ["age"]
    (entry,) = standing(ledger.account("unused")).entries
    assert entry.names == ("age",)


def test_an_answer_that_nobody_can_read_is_not_signed(of_1_1, opened):
    changed(of_1_1, "UPDATE dpq_releases SET answer = '{' WHERE number = 1")
    with pytest.raises(LedgerError, match="record of pure was changed: a value cannot be read"):
        opened()
    assert version_in(of_1_1) == 7


def test_a_ledger_of_1_1_without_a_key_goes_on_without_one(of_1_1, opened):
    for table in ("releases", "files", "comparisons"):
        changed(of_1_1, f"DELETE FROM dpq_{table}")
    changed(of_1_1, "UPDATE dpq_version SET key_check = NULL")
    ledger = opened(None)
    charged_release(sample(), plan(0.25), ledger.account("unused"))
    assert ledger.account("unused").budget == PureDP(1.0)
    assert verifying.verify(ledger)[2] == verifying.Verified("unused", 1, 1, "")


@pytest.mark.parametrize("number", [*range(1, OF_1_1), OF_1_1 + 1, VERSION + 1])
def test_a_ledger_of_before_1_1_and_a_newer_one_are_refused_and_left_alone(opened, number):
    ledger = opened()
    changed(ledger, "UPDATE dpq_version SET version = :number", number=number)
    newer = rf"must have a version of at most {VERSION}, got {VERSION + 1}"
    refused = (ParameterError, newer) if number > VERSION else (LedgerError, "before version 1.1, .* Open it once with")
    for key in (KEY, None):
        with pytest.raises(refused[0], match=refused[1]):
            opened(key)
    assert version_in(ledger.engine) == number
