"""Charge, draw, keep, give: every way in which a charged release can end, and asking for it again."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from functools import partial
from threading import Event
from typing import Any

import numpy as np
import pytest
from sqlalchemy import ClauseElement, event
from sqlalchemy.dialects import postgresql

import dpq_core as dpq
from dpq_core.audit.losses import compare, loss_between
from dpq_core.calibrations import calibrate
from dpq_core.ledger import charging, verifying
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.charging import charged_answer, charged_release
from dpq_core.ledger.checking import State
from dpq_core.ledger.files import compare_files
from dpq_core.ledger.filters import ReleaseCost
from dpq_core.ledger.history.entries import standing, stored_releases, sums
from dpq_core.privacy.budgets import Guarantee
from dpq_core.release import ColumnWords, Description
from tests.ledger.clients import JOINS, clients_at_once, fingerprint_of, never, open_one, persons, plan, request, sample
from tests.narrowing import present

FULL = 2
"""SQLite's number for a commit that waits for the disk."""


def states(account):
    return [entry.state for entry in standing(account).entries]


class SlowDraw:
    """A draw that says when it has begun, and ends when it may."""

    def __init__(self):
        self.begun, self.may_end = Event(), Event()

    def __call__(self):
        self.begun.set()
        assert self.may_end.wait(30)
        return dpq.release(sample(), plan(0.25))


def test_ten_tenths_are_granted_and_no_more(account):
    account = open_one(account.ledger, "pure")
    for _ in range(10):
        answer = charged_release(sample(), plan(0.1), account)
        assert answer.guarantee.exact
    with pytest.raises(dpq.BudgetError, match=r"needs ε = 0\.1, and ε = 0 is left") as caught:
        charged_release(sample(), plan(0.1), account)
    assert (caught.value.remaining, caught.value.requested) == (0.0, 0.1)
    assert states(account) == [State.ANSWERED] * 10


@pytest.mark.parametrize(("mechanism", "options"), [("binhist", {"bins": 50}), ("aggtree", {})])
def test_a_kept_answer_is_whole(account, mechanism, options):
    chosen = dpq.Plan([0.9, "1/3"], mechanism, dpq.ZCDP(0.001), JOINS, options)  # Gaussian noise: an infinite epsilon
    data = dpq.Column.from_values(range(500), dpq.Domain("0.1", "700.7", "0.3"))
    assert charged_release(data, chosen, account, release_id="a") == charged_release(
        data, chosen, account, release_id="a"
    )
    column = charged_release(data, size=12, plan=plan(0.2), account=account, release_id="b", who="browser 7")
    assert charged_release(data, size=12, plan=plan(0.2), account=account, release_id="b") == column
    last = standing(account).entries[-1]
    assert (last.size, last.who, last.plan.first, len(column.cells[0].values[0])) == (12, "browser 7", plan(0.2), 12)


def test_a_sketch_is_charged_with_its_own_options(account):
    sketch = dpq.GKSketch(0.01, dpq.Domain(0, 100, 1), 1000)
    sketch.update(np.arange(50))
    chosen = dpq.Plan(["1/2"], "gkexp", dpq.PureDP(0.25), JOINS)
    answer = charged_release(sketch, chosen, account, release_id="one")
    assert charged_release(sketch, chosen, account, release_id="one") == answer
    (entry,) = standing(account).entries
    assert entry.plan == answer.plan
    assert entry.plan.first.options["alpha"] == 0.01
    with pytest.raises(dpq.ParameterError, match="`mechanism` must be"):
        charged_release(sketch, plan(0.25), account)


def test_whoever_asks_while_it_is_drawn_waits_for_the_answer(account):
    slowly = SlowDraw()
    with ThreadPoolExecutor(2) as tabs:
        first = tabs.submit(charged_answer, account, request(), slowly)
        assert slowly.begun.wait(30)
        second = tabs.submit(charged_answer, account, request(), never)
        with pytest.raises(TimeoutError):
            second.result(0.1)
        with pytest.raises(dpq.ParameterError, match="with another plan"):  # known at once
            charged_answer(account, request(0.2), never)
        assert not first.done()
        slowly.may_end.set()
        assert second.result(30) == first.result(30)
    assert states(account) == [State.ANSWERED]


def test_an_id_belongs_to_its_account(account):
    """Another account may use the same one: what was answered there is neither given nor charged here."""
    other = open_one(account.ledger, "other")
    first = charged_answer(account, request(), lambda: dpq.release(sample(), plan(0.25)))
    answered = dpq.release(dpq.Column.from_values([290], dpq.Domain(200, 300, 1)), plan(0.25))
    assert charged_answer(other, request(), lambda: answered).cells == answered.cells != first.cells
    assert standing(other).total.epsilon == Decimal("0.25")


def test_an_account_counts_and_lists_its_own_charges(account):
    other = open_one(account.ledger, "other")
    for spent, epsilon in ((account, 0.25), (other, 0.75), (account, 0.5)):
        charged_release(sample(), plan(epsilon), spent, who=spent.name)
    totals = [standing(each).total.epsilon for each in (account, other)]
    assert totals == [Decimal("0.75"), Decimal("0.75")]
    assert [[entry.who for entry in standing(each).entries] for each in (account, other)] == [
        ["people", "people"], ["other"],
    ]  # fmt: skip
    with pytest.raises(dpq.BudgetError):
        charged_release(sample(), plan(0.5), other)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, dpq.DataError, MemoryError])
def test_a_draw_that_fails_stays_charged_and_is_never_tried_again(account, error):
    def fail():
        raise error("failed")

    with pytest.raises(error):
        charged_answer(account, request(), fail)
    with pytest.raises(dpq.ParameterError, match="is failed and has no stored answer"):
        charged_answer(account, request(), never)
    assert standing(account).total.epsilon == Decimal("0.25")


def test_an_answer_that_costs_more_than_was_charged_is_not_given(account):
    cheap = replace(request(), guarantee=calibrate(plan(0.1)).guarantee)
    with pytest.raises(dpq.ParameterError, match="`guarantee` must be the one that was charged"):
        charged_answer(account, cheap, lambda: dpq.release(sample(), plan(0.25)))
    assert states(account) == [State.FAILED]


def test_a_refusal_that_drew_something_costs_only_that_in_the_plain_sum(account):
    close = dpq.Plan(["0.5", "0.51"], "slice", dpq.ApproxDP(0.5, 3e-7), JOINS)
    with pytest.raises(dpq.Infeasible) as caught:
        charged_release(sample(), close, account)
    (entry,), total = standing(account).entries, standing(account).total
    assert entry.state is State.INFEASIBLE
    assert entry.counted == total
    assert total.epsilon == Decimal(repr(caught.value.charged)) == Decimal("0.2")
    assert (total.delta, total.rho) == (Decimal("3e-7"), Decimal("0.125"))


def test_what_is_refused_before_the_charge_costs_nothing(account):
    seeded = dpq.Column.from_values(range(9), dpq.Domain(0, 100, 1), seed=1)
    with pytest.raises(dpq.ParameterError, match="`seed` must be None"):
        charged_release(seeded, plan(0.5), account)
    with pytest.raises(dpq.ParameterError, match="`mechanism` must be one of"):
        charged_release(sample(), dpq.Plan(["1/2"], "none", dpq.PureDP(0.5), JOINS), account)
    with pytest.raises(dpq.ParameterError, match="`who` must be"):
        charged_release(sample(), plan(0.5), account, who="@cell")
    lacking, replaced = dpq.Column.from_values([1.0, None, 3.0], dpq.Domain(0, 100, 1)), dpq.Adjacency.REPLACE_ONE
    with pytest.raises(dpq.ParameterError, match="`adjacency` must be that of the account"):
        charged_release(lacking, plan(0.5, replaced), account)
    other = open_one(account.ledger, "other", adjacency=replaced)
    with pytest.raises(dpq.DataError, match="missing values"):
        charged_release(lacking, plan(0.5, replaced), other)
    assert standing(account).entries == standing(other).entries == ()


def test_asking_first_charges_nothing(account):
    assert account.refusal(calibrate(plan(1.0)).guarantee) is None
    assert account.refusal(calibrate(plan(1.1)).guarantee).requested == 1.1
    charged_release(sample(), plan(0.75), account)
    refused = account.refusal(calibrate(plan(0.5)).guarantee)
    assert (refused.remaining, refused.requested) == (0.25, 0.5)


def test_nothing_asked_costs_nothing_and_settles_nothing(account):
    charged_release(sample(), dpq.Plan([], "aq", dpq.PureDP(1.0), JOINS), account)
    assert len(standing(account).limits) == 3
    charged_release(sample(), plan(0.1), account)
    assert len(standing(account).limits) == 1


def test_a_release_whose_delta_does_not_fit_is_counted_by_rho_alone(account):
    stated = Guarantee(epsilon=0.3, delta=6e-7, rho=0.01, adjacency=JOINS)
    with pytest.raises(dpq.ParameterError, match="`guarantee` must be the one that was charged"):
        charged_answer(account, replace(request(), guarantee=stated), lambda: dpq.release(sample(), plan(0.25)))
    assert sums(account).total == ReleaseCost(Decimal("Infinity"), Decimal(0), Decimal("0.01"))
    assert [each.problem for each in verifying.verify(account.ledger)] == [""]


def test_a_charge_locks_first_and_waits_for_the_disk(account, tmp_path):
    """On SQLite the whole file, elsewhere the row of the account; so that of two charges each sees the other's."""
    asked: list[ClauseElement] = []
    disk: list[int] = []

    def look(connection, statement, *_):
        if not asked:
            disk.append(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())
            another = sqlite3.connect(tmp_path / "ledger.sqlite", timeout=0)
            with closing(another), pytest.raises(sqlite3.OperationalError, match="locked"):
                another.execute("BEGIN IMMEDIATE")
        asked.append(statement)

    event.listen(account.ledger.engine, "before_execute", look)
    charged_answer(account, request(), lambda: dpq.release(sample(), plan(0.25)))
    event.remove(account.ledger.engine, "before_execute", look)
    assert str(asked[0].compile(dialect=postgresql.dialect())).endswith("FOR UPDATE")
    assert disk == [FULL]


class Gone(BaseException):
    """The visitor is gone."""


def test_what_is_raised_right_before_a_charge_leaves_nothing_charged(account):
    """Pages look once more then whether their visitor is still there."""

    def refuse():
        raise Gone

    gone, looked = replace(account, before_charge=refuse), []
    with pytest.raises(Gone):
        charged_release(sample(), plan(0.5), gone, release_id="one")
    assert standing(account).entries == ()
    there = replace(account, before_charge=lambda: looked.append("once"))
    answer = charged_release(sample(), plan(0.5), there, release_id="one")
    assert charged_release(sample(), plan(0.5), gone, release_id="one") == answer, "an answer that is paid is given"
    assert looked == ["once"]


WORDS = Description(columns={"größe": ColumnWords(unit="cm")}, one="patient", many="patients")


def test_answers_of_quantiles_come_back_for_a_report_with_their_words_the_newest_first(ledger, monkeypatch):
    patients, visits = open_one(ledger, "patients"), open_one(ledger, "visits")
    assert stored_releases(ledger) == []
    first = charged_release(sample(), plan(0.25), patients, release_id="first", words=WORDS)
    charged_release(sample(), size=5, plan=plan(0.25), account=patients)
    monkeypatch.setattr("dpq_core.ledger.charging.draw", lambda *_: never())
    with pytest.raises(AssertionError):
        charged_release(sample(), plan(0.25), patients)
    monkeypatch.undo()
    second = charged_release(sample(), plan(0.5), visits, release_id="second")
    found = stored_releases(ledger)
    assert [(each.place, each.account, each.release) for each in found] == [(1, visits, second), (1, patients, first)]
    assert [(each.id, each.account, each.description) for each in (second, first)] == [
        ("second", "visits", Description(one="person", many="people")),
        ("first", "patients", WORDS),
    ]
    assert stored_releases(ledger, most=1) == found[:1]
    assert charged_release(sample(), plan(0.25), patients, release_id="first") == first, "words are no part of it"


def test_the_number_of_records_is_kept_where_one_is_replaced(ledger):
    account = open_one(ledger, adjacency=dpq.Adjacency.REPLACE_ONE)
    charged_release(sample(), plan(0.25, dpq.Adjacency.REPLACE_ONE), account, words=WORDS)
    (kept,) = stored_releases(ledger)
    assert kept.release.description == replace(WORDS, records=sample().n)


# ── a charge without an answer counts like an answered one ───────────────────────────────────────────────────────────

BUDGET = dpq.ApproxDP(1.0, 1e-6)


def left_in(state, account, **others):
    """Charge a release that ends in a state without an answer: by a crash, an error or a refusal."""
    asked = request(0.25, **others)
    if state is State.CHARGED:
        account.ledger.write(lambda connection: charging._charge(connection, account, asked))
        return
    charged = 0.125 if state is State.INFEASIBLE else 0.0
    error = RuntimeError() if state is State.FAILED else dpq.Infeasible("quantiles", "must differ.", charged=charged)

    def draw():
        raise error

    with pytest.raises(type(error)):
        charged_answer(account, asked, draw)
    assert [entry.state for entry in standing(account).entries] == [state]


@pytest.mark.parametrize("state", [State.CHARGED, State.FAILED, State.INFEASIBLE])
def test_it_decides_what_an_account_protects_how_delta_is_split_and_which_files_were_charged(ledger, state):
    account = open_one(ledger, budget=BUDGET)
    mark = fingerprint_of(account, b"a file")
    left_in(state, account, file=mark)
    assert len(standing(account).limits) == 1, "the split must be fixed before the first answer, so by the first charge"
    with pytest.raises(dpq.ParameterError, match=r"`account` must protect .* one record; this one is for a person"):
        charged_release(persons(), plan(0.25), account)
    charged_release(sample(), plan(0.25), account)
    assert compare_files(account, mark) == (), "it may be compared"
    other = open_one(ledger, "other", BUDGET)
    charged_release(sample(), plan(0.25), other, file=mark)
    (same,) = compare_files(other, mark)
    assert "looks the same as one charged to people" in same


# ── losses of records and losses of persons have no sum ──────────────────────────────────────────────────────────────

GRID = dpq.Domain(0, 9, 1)
VISITS, IDS = [9, 9, 9, 9, 0], ["a", "b", "c", "d", "e"]


def visitors():
    return dpq.Column.from_values(VISITS, GRID, people=dpq.People.of(IDS), per_person="first")


def test_one_visit_more_costs_a_release_of_persons_more_than_it_says():
    """Why there is no sum: another first visit is another record of its person, two steps of one epsilon each."""
    of_persons = dpq.Plan(["1/2"], "indexp", dpq.PureDP(1.0))
    before, after = (law_of(of_persons, [0, 0, *[5] * 16, 9, 9, 9, first]) for first in (0, 9))
    assert 1.8 < loss_between(before, after, 1.0).epsilon <= 2


def law_of(of_persons, firsts):
    return present(compare(of_persons, firsts, firsts, GRID).laws)[0]


@pytest.mark.parametrize("persons_first", [True, False])
def test_an_account_pays_for_records_or_for_persons(account, persons_first):
    both = [(visitors(), "person"), (sample(), "record")]
    (first, own), (second, other) = both if persons_first else both[::-1]
    charged_release(first, plan(0.25), account, release_id="one")
    with pytest.raises(dpq.ParameterError, match=f"`account` must protect .* one {own}; this one is for a {other}"):
        charged_release(second, plan(0.5), account)
    with pytest.raises(dpq.ParameterError, match="`account` must protect"):
        charged_release({"a": second}, plan(0.5), account)
    assert len(standing(account).entries) == 1, "a refusal is no charge"
    charged_release(first, plan(0.25), account)
    assert charged_release(first, plan(0.25), account, release_id="one").guarantee.protects == own


def test_sketches_and_groups_of_persons_neither(account):
    charged_release(sample(), plan(0.5), account)
    sketch = dpq.GKSketch.from_column(visitors(), 0.1, 10)
    groups = dpq.Column.from_values(VISITS, GRID, groups=["n"] * 5, names=["n"], people=dpq.People.of(IDS))
    for data, chosen in ((sketch, dpq.Plan(["1/2"], "gkexp", dpq.PureDP(0.5), JOINS)), (groups, plan(0.5))):
        with pytest.raises(dpq.ParameterError, match="`account` must protect"):
            charged_release(data, chosen, account)


# ── twenty clients at once ───────────────────────────────────────────────────────────────────────────────────────────

CLIENTS, TRIES = 20, 4


@pytest.mark.slow
def test_twenty_clients_never_overspend_and_lose_nothing(ledger, opened, where, tmp_path):
    account = open_one(ledger, budget=dpq.PureDP(5.0))
    reports = clients_at_once(CLIENTS, where, TRIES, 0.1, tmp_path / "heads")
    answered = [release_id for ids, _ in reports for release_id in ids]
    found = standing(account)
    assert (found.total.epsilon, found.balance.left) == (Decimal("5.0"), Decimal(0))
    assert (len(answered), sum(refused for _, refused in reports)) == (50, CLIENTS * TRIES - 50)
    assert {entry.release_id for entry in found.entries} == set(answered)
    assert {entry.state for entry in found.entries} == {State.ANSWERED}
    again = opened(None)
    assert present(again.watch).known().heads[account.number].place == 100, "it moves forward only, whoever writes it"
    assert [(each.charges, each.problem) for each in verifying.verify(again)] == [(50, "")]


def test_one_press_in_many_tabs_is_charged_once(ledger):
    account, drawn = open_one(ledger), []

    def draw() -> dpq.Release:
        drawn.append(1)
        return dpq.release(sample(), plan(0.25))

    with ThreadPoolExecutor(10) as tabs:
        answers = list(tabs.map(lambda _: charged_answer(account, request(), draw), range(10)))
    assert len(drawn) == 1
    assert answers == [answers[0]] * 10
    assert standing(account).total.epsilon == Decimal("0.25")


def test_clients_that_start_at_once_make_one_ledger(where):
    with ThreadPoolExecutor(10) as clients:
        ledgers = list(clients.map(lambda _: Ledger.at(where), range(10)))
    open_one(ledgers[0])
    assert [len(ledger.accounts()) for ledger in ledgers] == [1] * 10
    for ledger in ledgers:
        ledger.engine.dispose()


class Refusing(sqlite3.Connection):
    """A connection that SQLite refuses at once, three times, because another client is changing the file's mode."""

    left = 3

    def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
        if "= WAL" in sql and Refusing.left:
            Refusing.left -= 1
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error
        return super().execute(sql, *rest)


def test_a_file_whose_mode_another_client_changes_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Refusing))
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    assert Refusing.left == 0
    assert ledger.accounts() == ()
    ledger.engine.dispose()
