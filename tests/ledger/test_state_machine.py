"""A ledger as a state machine: in whichever order things happen, it spends what was charged and notices every change.

Two programs use one ledger. What each account should hold is added up beside it, from what happened alone.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings, stateful
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

import dpq_core as dpq
from dpq_core.asked_of import question_of
from dpq_core.calibrations import calibrate
from dpq_core.ledger import charging, verifying
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.charging import Request, charged_answer
from dpq_core.ledger.checking import State
from dpq_core.ledger.filters import Limits, ReleaseCost, exact, grant, limits_of
from dpq_core.ledger.history.entries import standing, sums
from dpq_core.privacy.budgets import Privacy, Protects
from dpq_core.question import Question
from tests.ledger import clients
from tests.ledger.clients import KEY, OTHER, THIRD, never, open_one, plan, put_back, request, rows_of, sample
from tests.ledger.conftest import fresh_database
from tests.ledger.test_every_column import CELLS, others_than, unchecked
from tests.narrowing import present

DATA = {"record": sample, "person": clients.persons}
BUDGETS = [dpq.PureDP(1.0), dpq.ApproxDP(1.0, 1e-6), dpq.ZCDP(0.02)]
EPSILONS = [0.1, 0.25, 0.5]
NARROW = dpq.Column.from_values([], dpq.Domain(0, 50, 1))
OTHERS = [clients.asked(plan(0.3)), question_of(NARROW, plan(0.25)), question_of(sample(), plan(0.25), size=7)]
"""Questions that no charge is for."""
REFUSED = 0.0625
"""What a refusal has spent that had to draw something."""
ERRORS: dict[State, Callable[[], BaseException]] = {
    State.FAILED: KeyboardInterrupt,
    State.CANCELLED: lambda: dpq.Infeasible("quantiles", "must be further apart."),
    State.INFEASIBLE: lambda: dpq.Infeasible("quantiles", "must be further apart.", charged=REFUSED),
}


@dataclass
class Charge:
    """What one charge should be; `request` is what was asked, None of what version 1.1 wrote."""

    release_id: str
    state: State
    cost: ReleaseCost
    protects: str
    request: Request | None = None
    answer: object = None


@dataclass
class Expected:
    """What one account should hold. Entries and the head are marks that no two entries share."""

    limits: tuple[Limits, ...]
    charges: list[Charge] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)
    head: tuple[int, int] = (0, 0)
    """The place of the entry that is known beside the key, and its mark."""
    closed: bool = False
    unproven: int = 0

    @property
    def total(self) -> ReleaseCost:
        """Return the sums, each charge counted once."""
        total = ReleaseCost()
        for charge in self.charges:
            total += charge.cost
        return total

    def lost_in(self, entries: list[int]) -> int:
        """Return how many entries a copy lacks of those that are known, at least."""
        place, mark = self.head
        return 0 if not place or mark in entries else max(place - len(entries), 1)


class Programs(stateful.RuleBasedStateMachine):
    """Two programs that use one ledger, with its key and its heads."""

    def __init__(self, where: str, folder: Path, *, may_be_older: bool) -> None:
        super().__init__()
        self.where, self.folder, self.key, self.may_be_older = where, folder, KEY, may_be_older
        self.charged_since = 0
        self.expected: dict[str, Expected] = {}
        self.copies: list[tuple[clients.Rows, dict[str, Expected]]] = []
        self.numbers = count(1)
        self.programs: list[Ledger] = []

    @stateful.initialize(of_1_1=st.booleans(), budget=st.sampled_from(BUDGETS))
    def begin(self, of_1_1: bool, budget: Privacy) -> None:
        """Begin with a new ledger that has an account, or bring one of version 1.1 up to date."""
        if of_1_1 and self.may_be_older:
            clients.written_by_1_1(self.where).dispose()
        self.programs = [self.opened(), self.opened()]
        unproven = {each.account: each.without_key for each in verifying.verify(self.programs[0])}
        for account in self.programs[0].accounts():
            found = standing(account)
            charges = [
                Charge(each.release_id, each.state, each.counted, each.guarantee.protects) for each in found.entries
            ]
            own = Expected(found.limits, charges, closed=account.closed is not None, unproven=unproven[account.name])
            ended = sum(each.state is not State.CHARGED for each in charges)
            self.expected[account.name] = own
            self.entered(own, len(charges) + ended + own.closed)
            self.keep_head(own)
        self.open_account(0, budget)

    def teardown(self) -> None:
        for each in self.programs:
            each.engine.dispose()

    def opened(self, *, checked: bool = True) -> Ledger:
        """Open the ledger as a program that starts, which keeps the heads of all accounts."""
        found = Ledger.at(self.where, key=self.key, heads=self.folder / "heads", checked=checked)
        if checked:
            for own in self.expected.values():
                self.keep_head(own)
        return found

    def entered(self, own: Expected, times: int = 1) -> None:
        own.entries += [next(self.numbers) for _ in range(times)]

    def keep_head(self, own: Expected) -> None:
        if len(own.entries) > own.head[0]:
            own.head = (len(own.entries), own.entries[-1])

    def named(self, at: int) -> tuple[str, Expected]:
        return [*self.expected.items()][at % len(self.expected)]

    def asked(self, at: int) -> tuple[str, Charge]:
        """Return one of the charges that these programs have made, with its account."""
        made = [(name, each) for name, own in self.expected.items() for each in own.charges if each.request]
        return made[at % len(made)]

    has_asked = precondition(lambda self: any(each.request for own in self.expected.values() for each in own.charges))
    which, any_number = st.integers(0, 1), st.integers(0, 99)

    @rule(program=which, budget=st.sampled_from(BUDGETS))
    def open_account(self, program: int, budget: Privacy) -> None:
        name = f"account {next(self.numbers)}"
        open_one(self.programs[program], name, budget)
        self.expected[name] = Expected(limits_of(budget))
        with pytest.raises(dpq.ParameterError, match="`name` must be new"):
            open_one(self.programs[1 - program], name)

    @rule(program=which, at=any_number)
    def close(self, program: int, at: int) -> None:
        name, own = self.named(at)
        assert self.programs[program].account(name).close().closed is not None
        if not own.closed:
            own.closed = True
            self.entered(own)
            self.keep_head(own)

    @rule(program=which, at=any_number, epsilon=st.sampled_from(EPSILONS))
    def charge(self, program: int, at: int, epsilon: float) -> None:
        self.charge_that_ends(program, at, epsilon, "record", State.ANSWERED)

    @rule(at=any_number, epsilon=st.sampled_from(EPSILONS), state=st.sampled_from([*State]))
    def charge_in_a_way(self, at: int, epsilon: float, state: State) -> None:
        self.charge_that_ends(0, at, epsilon, "record", state)

    @rule(at=any_number, epsilon=st.sampled_from(EPSILONS), state=st.sampled_from([*State]))
    def charge_for_persons(self, at: int, epsilon: float, state: State) -> None:
        self.charge_that_ends(1, at, epsilon, "person", state)

    def charge_that_ends(self, program: int, at: int, epsilon: float, protects: Protects, state: State) -> None:
        """Charge a release that ends in a state; the program dies before it draws where that is "charged"."""
        name, own = self.named(at)
        account, data, chosen = self.programs[program].account(name), DATA[protects](), plan(epsilon)
        guarantee = replace(calibrate(chosen).guarantee, protects=protects)
        asked = replace(request(epsilon, f"id {next(self.numbers)}"), guarantee=guarantee)
        drawn: list[int] = []

        def draw() -> Any:
            drawn.append(1)
            if state in ERRORS:
                raise ERRORS[state]()
            return dpq.release(data, chosen)

        units = {each.protects for each in own.charges if each.state is not State.CANCELLED}
        before = sums(account).total
        try:
            limits, cost = grant(own.limits, own.total, guarantee)
        except dpq.BudgetError:
            limits = None
        no_charge = own.closed or units - {protects} or account.adjacency is not chosen.adjacency
        if no_charge or limits is None:
            with pytest.raises(dpq.ParameterError if no_charge else dpq.BudgetError):
                charged_answer(account, asked, draw)
            assert (sums(account).total, drawn) == (before, [])
            return
        self.charged_since += 1
        charge = Charge(asked.release_id, state, cost, protects, asked)
        own.limits = (limits,)
        own.charges.append(charge)
        self.entered(own)
        if state is State.CHARGED:
            account.ledger.write(lambda connection: charging._charge(connection, account, asked))
            return
        self.keep_head(own)
        self.entered(own)
        if state is State.ANSWERED:
            charge.answer = charged_answer(account, asked, draw)
        else:
            with pytest.raises(type(ERRORS[state]())) as caught:
                charged_answer(account, asked, draw)
            charge.answer = caught.value
        assert drawn == [1]
        if state is State.CANCELLED:
            charge.cost = ReleaseCost()
        elif state is State.INFEASIBLE:
            charge.cost = replace(cost, epsilon=min(exact(REFUSED), exact(epsilon)))

    @has_asked
    @rule(program=which, at=any_number)
    def ask_again(self, program: int, at: int) -> None:
        """The same request with the same id: the stored answer or refusal, or none, and nothing drawn or charged."""
        name, charge = self.asked(at)
        account = self.programs[program].account(name)
        assert charge.request is not None
        if charge.state is State.ANSWERED:
            assert charged_answer(account, charge.request, never) == charge.answer
        elif charge.state is State.INFEASIBLE:
            with pytest.raises(dpq.Infeasible) as caught:
                charged_answer(account, charge.request, never)
            assert vars(caught.value) == vars(charge.answer)
        else:
            with pytest.raises(dpq.ParameterError, match=f"is {charge.state} and has no stored answer"):
                charged_answer(account, charge.request, never)

    @has_asked
    @rule(program=which, at=any_number, other=st.sampled_from(OTHERS))
    def ask_something_else(self, program: int, at: int, other: Question) -> None:
        name, charge = self.asked(at)
        assert charge.request is not None
        with pytest.raises(dpq.ParameterError, match="must be new for a new request"):
            charged_answer(self.programs[program].account(name), replace(charge.request, question=other), never)

    @rule(program=which)
    def start_again(self, program: int) -> None:
        self.programs[program].engine.dispose()
        self.programs[program] = self.opened()

    @rule(at=any_number, key=st.sampled_from([None, "no key of this ledger"]))
    def use_no_key_or_another(self, at: int, key: str | None) -> None:
        """Who has no key reads, and charges nothing; another key opens nothing."""
        name, _ = self.named(at)
        if key is not None:
            with pytest.raises(dpq.LedgerError, match="has another key"):
                Ledger.at(self.where, key=key)
            return
        ledger = Ledger.at(self.where)
        account = ledger.account(name)
        asked = request(0.1, "without a key")
        for work in (lambda: charged_answer(account, asked, never), account.close, lambda: open_one(ledger, "more")):
            with pytest.raises(dpq.LedgerError, match="no key was given"):
                work()
        assert [each.problem for each in verifying.verify(ledger)] == [""] * len(self.expected)
        ledger.engine.dispose()

    @precondition(lambda self: self.charged_since > 2)
    @rule(lost=st.booleans())
    def change_the_key(self, lost: bool) -> None:
        """Programs that run are refused from then on, and start again with the new key."""
        new = {KEY: OTHER, OTHER: THIRD, THIRD: KEY}[self.key]
        without = Ledger.at(self.where)
        verifying.rekey(without, None if lost else self.key, new)
        without.engine.dispose()
        for ledger in self.programs:
            with pytest.raises(dpq.LedgerError, match="has another key"):
                open_one(ledger, "more")
            for name in [*self.expected][:1]:
                asked = request(0.1, "an old key")
                with pytest.raises(dpq.LedgerError, match="has another key"):
                    charged_answer(ledger.account(name), asked, never)
            ledger.engine.dispose()
        self.key = new
        for own in self.expected.values():
            own.unproven = len(own.charges) if lost else own.unproven
        self.programs, self.copies, self.charged_since = [self.opened(), self.opened()], [], 0

    @precondition(lambda self: len(self.copies) < 2)
    @rule(program=which)
    def copy(self, program: int) -> None:
        self.copies.append((rows_of(self.programs[program]), deepcopy(self.expected)))

    @precondition(lambda self: bool(self.copies))
    @rule(at=any_number, accepted=st.booleans())
    def put_a_copy_back(self, at: int, accepted: bool) -> None:
        """A copy that lacks what is known is refused, until it is accepted or the newest ledger is there again."""
        newest = rows_of(self.programs[0])
        rows, older = self.copies[at % len(self.copies)]
        put_back(self.programs[0].engine, rows)
        lost = {name: own.lost_in(older[name].entries if name in older else []) for name, own in self.expected.items()}
        unchecked_one = self.opened(checked=False)
        assert {each.problem for each in verifying.verify(unchecked_one)} <= {""}, "a copy is signed, as it was"
        assert verifying.entries_lost(unchecked_one) == sum(lost.values())
        if any(lost.values()):
            with pytest.raises(dpq.LedgerError, match="older than what was charged to it, or another one"):
                self.opened()
            for name in older:
                if lost[name]:
                    asked = request(0.1, "a copy")
                    for ledger in self.programs:
                        with pytest.raises(dpq.LedgerError, match="older than what was charged"):
                            charged_answer(ledger.account(name), asked, never)
            with pytest.raises(dpq.ParameterError, match="must be the number of entries"):
                verifying.accept(unchecked_one, sum(lost.values()) + 1)
        if accepted:
            verifying.accept(unchecked_one, sum(lost.values()))
            self.expected = deepcopy(older)
            for own in self.expected.values():
                own.head = (len(own.entries), own.entries[-1]) if own.entries else (0, 0)
        else:
            put_back(self.programs[0].engine, newest)
        unchecked_one.engine.dispose()

    @rule(cell=st.sampled_from([param.values for param in CELLS]), row=any_number, other=any_number)
    def change_a_value(self, cell: Any, row: int, other: int) -> None:
        """A value that somebody changed is named, and the account is charged no more; then it is put back."""
        table, column = cell
        ledger, engine = self.programs[0], self.programs[0].engine
        rows = ledger.read(lambda connection: connection.execute(select(table)).mappings().all())
        if not rows:
            return
        found = dict(rows[row % len(rows)])
        values = others_than(column, found[column.name])
        key = next(iter(found))
        value = values[other % len(values)]
        connection = unchecked(engine)
        try:
            connection.execute(table.update().where(table.c[key] == found[key]).values({column.name: value}))
            connection.commit()
        except SQLAlchemyError:  # the tables themselves refuse: another row has it
            connection.close()
            return
        try:
            again = self.opened(checked=False)
            try:
                noticed = any(each.problem for each in verifying.verify(again)) or verifying.entries_lost(again) > 0
            finally:
                again.engine.dispose()
        except (dpq.LedgerError, dpq.ParameterError):
            noticed = True
        back = table.c[key] == (value if column.name == key else found[key])
        connection.execute(table.update().where(back).values({column.name: found[column.name]}))
        connection.commit()
        connection.close()
        assert noticed, f"{table.name}.{column.name} of {found} was {value}"

    @invariant()
    def it_spends_what_was_charged(self) -> None:
        accounts = self.programs[0].accounts()
        assert [account.name for account in accounts] == [*self.expected], "in the order in which they were opened"
        for account, own in zip(accounts, self.expected.values(), strict=True):
            found = standing(account)
            assert found.total == own.total
            assert any(limits.allow(found.total) for limits in found.limits), "within its budget"
            assert [(each.release_id, each.state, each.counted) for each in found.entries] == [
                (each.release_id, each.state, each.cost) for each in own.charges
            ]
            assert (account.closed is not None) == own.closed

    @invariant()
    def it_verifies(self) -> None:
        ledger = self.programs[1]
        assert verifying.verify(ledger) == tuple(
            verifying.Verified(name, len(own.charges), own.unproven, "") for name, own in self.expected.items()
        )
        assert verifying.entries_lost(ledger) == 0
        heads = present(ledger.watch).known().heads
        known = {number: end.place for number, end in heads.items()}
        numbers = [account.number for account in ledger.accounts()]  # version 1.1 left some out
        charged = zip(numbers, self.expected.values(), strict=True)
        assert known == {number: own.head[0] for number, own in charged if own.head[0]}


@pytest.fixture
def places(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Programs]:
    def new() -> Programs:
        folder = tmp_path_factory.mktemp("programs")
        on_sqlite = request.param == "sqlite"
        where = (
            folder / "ledger.sqlite" if on_sqlite else fresh_database(request.getfixturevalue("postgres_server").url)
        )
        return Programs(str(where), folder, may_be_older=request.getfixturevalue("profile") == "many")

    return new


@pytest.mark.slow(keep="few-sqlite")
@pytest.mark.parametrize("places", ["sqlite", "postgres"], indirect=True)
@pytest.mark.parametrize("profile", ["few", "many"])
def test_a_ledger_spends_what_was_charged_and_notices_every_change(
    places: Callable[[], Programs], profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(charging, "DRAWING_SECONDS", 0.0)
    made: Any = places
    stateful.run_state_machine_as_test(made, settings=settings.get_profile(f"machine, {profile}"))
