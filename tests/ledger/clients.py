"""What the tests of the ledger share, and what their child processes do. Each opens its own connections."""

import os
import signal
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, select, text

from dpq_core import Adjacency, BudgetError, Column, Domain, People, Plan, PureDP, Release, release
from dpq_core.asked_of import question_of
from dpq_core.calibrations import calibrate
from dpq_core.columns_plan import ColumnsPlan
from dpq_core.ledger import verifying
from dpq_core.ledger.accounts import Account, Ledger
from dpq_core.ledger.charging import Request, charged_answer, charged_release
from dpq_core.ledger.files import fingerprint_by_digest
from dpq_core.ledger.history.entries import standing
from dpq_core.ledger.history.statement import history_as_json
from dpq_core.ledger.store.rollback import Heads
from dpq_core.ledger.store.schema import TABLES, versions
from dpq_core.privacy.budgets import Privacy
from dpq_core.question import Question

CHILDREN = get_context("forkserver")
"""A server that has imported everything forks each child in some milliseconds."""
CHILDREN.set_forkserver_preload(["tests.ledger.clients", "sqlalchemy.dialects.postgresql.psycopg", "psycopg"])

JOINS = Adjacency.ADD_REMOVE
KEY, OTHER, THIRD = "a key for the tests", "another key for the tests", "a third key for the tests"
OF_1_1 = Path(__file__).with_name("of_1_1_0.sql")
"""What `sqlite3 .dump` gives of a ledger that version 1.1.0 wrote, under KEY in the end: charges before there was a
key and under two keys, charges that ended in each way, a closed account, a release of each kind."""


def sample() -> Column:
    return Column.from_values(range(1, 51), Domain(0, 100, 1))


def persons() -> Column:
    return Column.from_values(range(5), sample().domain, people=People.of(range(5)), per_person="first")


def plan(epsilon: float, adjacency: Adjacency = JOINS) -> Plan:
    return Plan(["1/2"], "aq", PureDP(epsilon), adjacency)


def asked(chosen: Plan) -> Question:
    """The question that a plan asks of a column from 0 to 100."""
    return question_of(Column.from_values([], Domain(0, 100, 1)), chosen)


def request(epsilon: float = 0.25, release_id: str = "one", **others: Any) -> Request:
    chosen = plan(epsilon)
    return Request(
        question=asked(chosen),
        plan=ColumnsPlan.of(["column"], chosen),
        guarantee=calibrate(chosen).guarantee,
        release_id=release_id,
        **others,
    )


def never() -> Release:
    raise AssertionError("nothing may be drawn")


def fingerprint_of(account: Account, content: bytes) -> str:
    return fingerprint_by_digest(account.ledger, sha256(content).digest())


def open_one(ledger: Ledger, name: str = "people", budget: Privacy | None = None, **others: Any) -> Account:
    chosen = {"budget": budget or PureDP(1.0), "adjacency": JOINS, "one_row_is": "person"}
    return ledger.open_account(name, **chosen | others)


def spend(ledger: Ledger, times: int, name: str = "people") -> None:
    for _ in range(times):
        charged_release(sample(), plan(0.1), ledger.account(name))


def changed(ledger: Ledger | Engine, statement: str, **values: Any) -> None:
    """Change the tables as a person could who may write to the database."""
    engine = ledger.engine if isinstance(ledger, Ledger) else ledger
    with engine.begin() as connection:
        connection.execute(text(statement), values)


def histories(ledger: Ledger) -> list[Any]:
    """Return all that an auditor reads of every account, but for the time of writing."""
    texts = [history_as_json(standing(account)).split('"written"')[0] for account in ledger.accounts()]
    return [*texts, *(standing(account).entries for account in ledger.accounts())]


def version_of(ledger: Ledger) -> Any:
    return ledger.read(lambda connection: connection.execute(select(versions)).one())


Rows = list[list[dict[str, Any]]]


def rows_of(ledger: Ledger) -> Rows:
    """Return all rows of all tables at one moment: a copy of the ledger."""
    return ledger.read(
        lambda connection: [[dict(row) for row in connection.execute(select(each)).mappings()] for each in TABLES]
    )


def put_back(engine: Engine, rows: Rows) -> None:
    """Put a copy in the place of what is there."""
    with engine.begin() as connection:
        for table in reversed(TABLES):
            connection.execute(table.delete())
        for table, found in zip(TABLES, rows, strict=True):
            if found:
                connection.execute(table.insert(), found)


def written_by_1_1(where: str) -> Engine:
    """Write the ledger of version 1.1 to a place, and return an engine for it."""
    script, server = OF_1_1.read_text(), "://" in where
    engine = create_engine(where.replace("postgresql:", "postgresql+psycopg:") if server else f"sqlite:///{where}")
    with engine.begin() as connection:
        if server:
            script = script.replace("number INTEGER NOT NULL", "number SERIAL NOT NULL")
            script = script.replace("BEGIN TRANSACTION;", "").replace("COMMIT;", "")
            connection.connection.cursor().execute(script)
            for table in ("accounts", "releases", "files"):
                connection.exec_driver_sql(f"SELECT setval(pg_get_serial_sequence('dpq_{table}', 'number'), 99)")
        else:
            connection.connection.executescript(script)
    return engine


def release_until_refused(
    where: str, name: str, tries: int, epsilon: float, start: Any, results: Any, heads: Path | None = None
) -> None:
    """Up to so many releases, as fast as possible; reports ids of those that were answered, and refusals."""
    account, data = Ledger.at(where, key=KEY, heads=heads).account(name), sample()
    answered, refused = [], 0
    start.wait()
    for turn in range(tries):
        release_id = f"client-{os.getpid()}-{turn}"
        try:
            charged_release(data, plan(epsilon), account, release_id=release_id)
            answered.append(release_id)
        except BudgetError:
            refused += 1
    results.put((answered, refused))


def clients_at_once(
    count: int, where: str, tries: int, epsilon: float, heads: Path | None = None
) -> list[tuple[list[str], int]]:
    """Return what as many clients of the account "people" report, each a process, that begin at the same moment."""
    start, results = CHILDREN.Barrier(count), CHILDREN.Queue()
    given = (where, "people", tries, epsilon, start, results, heads)
    clients = [CHILDREN.Process(target=release_until_refused, args=given) for _ in range(count)]
    for client in clients:
        client.start()
    reports = [results.get(timeout=300) for _ in clients]
    for client in clients:
        client.join(60)
        assert client.exitcode == 0
    return reports


def each_crash(target: Callable[..., None], *arguments: Any) -> Iterator[tuple[int, bool]]:
    """Run a program until it ends, killed one step later each time; yield after every crash, and at the end.

    One child forks every program, so that none is started anew.
    """
    here, there = CHILDREN.Pipe()
    walker = CHILDREN.Process(target=_fork_each, args=(there, target, arguments))
    walker.start()
    try:
        for step in count():
            here.send(step)
            code = here.recv()
            assert code in {0, -signal.SIGKILL}
            yield step, code == 0
            if code == 0:
                return
    finally:
        here.send(None)
        walker.join(60)


def _fork_each(orders: Any, target: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    while (step := orders.recv()) is not None:
        child = os.fork()
        if not child:
            target(*arguments, step)
            os._exit(0)
        orders.send(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def _steps(engine: Any, at_step: Callable[[], None]) -> None:
    """Call back before and after every statement and before every commit."""
    for name in ("before_cursor_execute", "after_cursor_execute", "commit"):
        event.listen(engine, name, lambda *_: at_step())


def _dies_at(last_step: int) -> Callable[[], None]:
    """Return what kills this process (SIGKILL) when it is called for the last step."""
    numbers = count()

    def at_step() -> None:
        if next(numbers) == last_step:
            os.kill(os.getpid(), signal.SIGKILL)

    return at_step


def open_and_die(where: str, key: str, last_step: int) -> None:
    """Open a ledger, which brings an older one up to date, by a client that is killed at the given step."""
    _steps(Engine, _dies_at(last_step))
    Ledger.at(where, key=key)


def rekey_and_die(where: str, old: str, new: str, last_step: int) -> None:
    """Change the key of a ledger by a client that is killed at the given step."""
    _steps(Engine, _dies_at(last_step))
    verifying.rekey(Ledger.at(where), old, new)


def release_and_die(where: str, signs: Path, heads: Path, last_step: int) -> None:
    """One charged release, of an account of its own, by a client that is killed at the given step, if it gets so far.

    Leaves files in a folder of `signs`, `drawn` and `delivered`: what a crash must not have given for nothing.
    """
    ledger = Ledger.at(where, key=KEY, heads=heads)
    account = open_one(ledger, f"step {last_step}")
    own, data, at_step = signs / str(last_step), sample(), _dies_at(last_step)
    own.mkdir()

    def draw() -> Release:
        at_step()
        (own / "drawn").touch()
        answer = release(data, plan(0.5))
        at_step()
        return answer

    def write_head(*given: Any, **named: Any) -> None:
        at_step()
        kept(*given, **named)
        at_step()

    kept, Heads._write = Heads._write, write_head  # type: ignore[method-assign]
    _steps(ledger.engine, at_step)
    charged_answer(account, request(0.5), draw)
    at_step()
    (own / "delivered").touch()
