"""The id of a release belongs to what was asked: the same request is answered again, and another one is refused."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest
from sqlalchemy import select

import dpq_core
import dpq_core as dpq
from dpq_core.advice import choice
from dpq_core.advice.choice import Choice
from dpq_core.asked_of import question_of
from dpq_core.ledger import charging, files, verifying
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.charging import charged_release
from dpq_core.ledger.files import MOST_COMPARED, NOT_COMPARED, accounts_with_column, compare_files
from dpq_core.ledger.history.entries import standing
from dpq_core.ledger.store.schema import releases
from dpq_core.release import ColumnWords, Description
from tests.ledger.clients import JOINS, KEY, changed, fingerprint_of, open_one, plan, request

REPLACED = dpq.Adjacency.REPLACE_ONE
VALUES, DOMAIN = range(1, 51), dpq.Domain(0, 100, 1)
WARDS = ["north", "south"] * 25


WORDS = Description(columns={"age": ColumnWords()}, one="patient", many="patients")


def sample(domain=DOMAIN, values=VALUES, **others):
    return dpq.Column.from_values(values, domain, **others)


def groups(wards=WARDS, domain=DOMAIN, *, names=("north", "south"), values=VALUES, **others):
    return dpq.Column.from_values(values, domain, groups=wards, names=names, **others)


def bins(domain=DOMAIN):
    counts = dpq.BinCounts(domain, 20)
    counts.update(list(VALUES))
    return counts


def ask(data, account, *, plan=None, **others):
    """Release by the door for these data, always with the same id and the same plan."""
    chosen = plan or dpq.Plan(["1/2"], "aq", dpq.PureDP(0.25), account.adjacency)
    return charged_release(data, chosen, account, release_id="one", **others)


@pytest.fixture
def account(tmp_path):
    ledger = Ledger.at(tmp_path / "ledger.sqlite", key=KEY)
    yield open_one(ledger, budget=dpq.ApproxDP(9.0, 1e-3))
    ledger.engine.dispose()


def refused(data, account, how, **others):
    """What is asked with an id that was used is refused, and the account is as it was."""
    before = standing(account)
    with pytest.raises(
        dpq.ParameterError, match=rf"must be new for a new request: .* with {how}.*Use a new release id"
    ):
        ask(data, account, **others)
    assert standing(account) == before


def test_of_groups_that_are_found_neither_names_nor_sizes_are_stored(account):
    """They are private: so the same question about other data is the same request."""
    chosen = dpq.Plan(["1/2"], "aq", dpq.ApproxDP(0.25, 1e-6), JOINS)
    answer = ask(groups(names=None), account, plan=chosen)
    again = ask(groups(["west"] * 50, names=None), account, plan=chosen)
    assert again.values == answer.values
    refused(groups(names=None, finding=0.2), account, "another way to find groups", plan=chosen)
    (stored,) = account.ledger.read(lambda connection: connection.execute(select(releases.c.request)).scalars().all())
    assert json.loads(stored)["groups"] == {"by": [], "find": "1/10"}


def test_what_is_private_of_data_is_no_part_of_a_request(account):
    """How many records there are, which are missing and how large groups are: only a file would tell them apart."""
    assert ask(sample(), account) == ask(sample(values=[1.0, float("nan")]), account)
    other = open_one(account.ledger, "other", dpq.PureDP(9.0))
    assert ask(groups(), other) == ask(groups(["north"] * 50), other)


@pytest.mark.parametrize("data", [
    (sample(), sample(values=range(1, 50))), ({"data": sample()}, {"data": sample(values=range(1, 50))}),
    (groups(), groups(["north"] * 50)),
], ids=["one column", "a table", "groups"])  # fmt: skip
def test_the_number_of_records_is_no_part_of_a_request_even_where_it_is_public(account, data):
    replaced = open_one(account.ledger, "other", dpq.ApproxDP(9.0, 1e-3), adjacency=REPLACED)
    assert ask(data[0], replaced) == ask(data[1], replaced)


def test_a_sketch_is_another_request_than_a_sample(account):
    chosen = dpq.Plan(["1/2"], "binhist", dpq.PureDP(0.25), JOINS, {"bins": 20})
    answer = ask(bins(), account, plan=chosen)
    assert ask(bins(), account, plan=chosen) == answer
    refused(sample(), account, "another kind of data", plan=chosen)
    refused(bins(dpq.Domain(0, 200, 1)), account, "other bounds", plan=chosen)


@pytest.mark.parametrize("data", [sample, groups, lambda: {"a": sample()}], ids=["column", "groups", "table"])
def test_another_column_or_file_is_another_request_where_both_are_known(account, data):
    if isinstance(data(), dict):
        answer = ask(data(), account, file="f" * 64)
        assert ask(data(), account) == answer
    else:
        answer = ask(data(), account, words=WORDS, file="f" * 64)
        for known in ({}, {"file": "f" * 64}, {"words": WORDS}, {"words": WORDS, "file": "f" * 64}):
            assert ask(data(), account, **known) == answer
        other = replace(WORDS, columns={"income": ColumnWords()})
        refused(data(), account, "another column", words=other)
        refused(data(), account, "another column and another file", words=other, file="e" * 64)
    refused(data(), account, "another file", file="e" * 64)


def test_words_that_only_name_things_are_no_part_of_a_request(account):
    others = replace(WORDS, one="person", many="people", columns={"age": ColumnWords(unit="years")})
    assert ask(sample(), account, words=WORDS) == ask(sample(), account, words=others)


def test_a_synthetic_column_is_another_request(account):
    charged_release(sample(), size=5, plan=plan(0.25), account=account, release_id="one")
    refused(sample(), account, "another number of synthetic values")
    with pytest.raises(dpq.ParameterError, match="with other bounds"):
        charged_release(sample(dpq.Domain(0, 50, 1)), size=5, plan=plan(0.25), account=account, release_id="one")


@pytest.mark.parametrize(
    "change",
    ["request = replace(request, '\"100\"', '\"200\"')", "file = NULL", "size = 7", "request = NULL",
     "answer = replace(answer, '[', '[9')", "state = 'failed'", "finished = '2026'"],
)  # fmt: skip
def test_what_is_stored_of_a_release_and_was_changed_is_noticed_and_not_given(account, change):
    ask(sample(), account, file="f" * 64)
    assert verifying.verify(account.ledger)[0].problem == ""
    changed(account.ledger, f"UPDATE dpq_releases SET {change}")
    assert verifying.verify(account.ledger)[0].problem.endswith("is missing or was changed")
    for domain in (DOMAIN, dpq.Domain(0, 200, 1)):
        with pytest.raises(dpq.LedgerError, match="record of this release id was changed"):
            ask(sample(domain), account)


ENDED = "finished = '2026', end_place = 2, end_link = 'keyed:0'"


@pytest.mark.parametrize("how", ["waited_for", "unsigned_end"])
def test_an_answer_that_was_put_beside_a_charge_is_not_given(account, how, monkeypatch):
    """By somebody who has no key, while it is being drawn: with an end, or without one."""
    asked = ask(sample(), account)
    stored = "answer = (SELECT o.answer FROM dpq_releases o WHERE o.release_id = 'one')"
    second = request(release_id="two")
    account.ledger.write(lambda connection: charging._charge(connection, account, second))
    ended = f", {ENDED.replace('2,', '4,')}" if how == "waited_for" else ""
    put = f"UPDATE dpq_releases SET state = 'answered', {stored}{ended} WHERE release_id = 'two'"
    if how == "waited_for":
        monkeypatch.setattr("dpq_core.ledger.charging.time.sleep", lambda _: changed(account.ledger, put))
    else:
        changed(account.ledger, put)
    with pytest.raises(dpq.LedgerError, match="record of this release id was changed"):
        charging.charged_answer(account, second, lambda: asked)


def test_best_stays_best_whichever_mechanism_it_was(account, monkeypatch):
    """Another version may choose another one, and has to give the stored answer all the same."""
    table = dpq_core.Table.from_frame({"a": list(VALUES)}, {"a": DOMAIN})

    def ask(mechanism):
        plan = dpq.Plan("median", mechanism, epsilon=0.25)
        return dpq_core.release(table, plan, account=account, release_id="one")

    answer = ask("best")
    (chosen,) = answer.mechanisms.values()
    other = next(key for key in ("aq", "indexp") if key != chosen)

    columns = {"a": replace(question_of(table, dpq.Plan("median", epsilon=0.25)).columns["a"], mechanism=other)}
    monkeypatch.setattr(
        choice, "choose", lambda question, _: Choice(question=replace(question, columns=columns), why={})
    )
    assert ask("best") == answer
    with pytest.raises(dpq.ParameterError, match="with another plan"):
        ask(chosen)
    assert standing(account).total.epsilon == Decimal("0.25")


def test_a_retry_reads_no_row_and_gives_nothing_that_was_changed(account, monkeypatch):
    frame, asked = {"a": list(VALUES)}, {"levels": "median", "epsilon": 0.25, "account": account, "release_id": "one"}
    answer = dpq_core.quantiles(frame, {"a": DOMAIN}, **asked)
    monkeypatch.setattr(dpq.Column, "from_values", None)
    assert dpq_core.quantiles(frame, {"a": DOMAIN}, **asked) == answer
    mixed = {"a": [1, object()]}
    with pytest.raises(
        dpq.ParameterError, match="`release_id` must be left out: the column 'a' holds values that cannot"
    ):
        dpq_core.quantiles(mixed, {"a": DOMAIN}, **asked)
    changed(account.ledger, "UPDATE dpq_releases SET answer = replace(answer, '[', '[9')")
    with pytest.raises(dpq.LedgerError, match="record of this release id was changed"):
        dpq_core.quantiles(frame, {"a": DOMAIN}, **asked)


def test_a_stream_of_rows_is_read_once_for_its_fingerprint_and_its_answer(account):
    """It has no rows the second time: the answer would be noise, and charged."""
    rows = pa.table({"a": list(VALUES) * 20})

    def ask(release_id):
        reader = pa.RecordBatchReader.from_batches(rows.schema, rows.to_batches(max_chunksize=100))
        return dpq_core.quantiles(reader, {"a": DOMAIN}, "median", epsilon=8, account=account, release_id=release_id)

    answer = ask("one")
    assert answer.values["a"] == pytest.approx([25.5], abs=2)
    assert ask("one") == answer


# ── files under their fingerprints ───────────────────────────────────────────────────────────────────────────────────


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
    patients, visits = open_one(ledger, "patients"), open_one(ledger, "visits", dpq.PureDP(0.001))
    charge(patients, b"age\n31\n")
    for content in (b"age\n31\n", b"age\n32\n"):
        mark = fingerprint_of(visits, content)
        with pytest.raises(dpq.BudgetError):
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
    charged_release(sample(), plan(0.01), patients, words=WORDS)
    charged_release(sample(), plan(0.01), open_one(ledger, "visits"))
    charged_release(sample(), plan(0.01), open_one(ledger, "stays"), words=WORDS)
    assert (accounts_with_column(ledger, "age"), accounts_with_column(ledger, "a")) == (("patients", "stays"), ())
