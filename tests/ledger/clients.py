"""What the child processes of the ledger's tests do. Each opens its own connections, like a client elsewhere."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from dpq_core import Adjacency, BudgetError, Domain, Plan, PureDP, QuantileRelease, Sample, calibrate, release
from dpq_core.ledger import Ledger, Request, charged_answer, charged_release, upkeep
from dpq_core.ledger.store.continuity import Heads

CHILDREN = get_context("forkserver")
"""A server that has imported everything forks each child in some milliseconds."""
CHILDREN.set_forkserver_preload(["tests.ledger.clients", "sqlalchemy.dialects.postgresql.psycopg", "psycopg"])

JOINS = Adjacency.ADD_REMOVE
KEY = "a key for the tests"
"""That of the fixture `ledger`."""


def sample() -> Sample:
    return Sample.from_values(range(1, 51), Domain(0, 100, 1))


def plan(epsilon: float, adjacency: Adjacency = JOINS) -> Plan:
    return Plan(["1/2"], "aq", PureDP(epsilon), adjacency)


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


def steps(engine: Any, at_step: Callable[[], None]) -> None:
    """Call back before and after every statement and before every commit."""
    for name in ("before_cursor_execute", "after_cursor_execute", "commit"):
        event.listen(engine, name, lambda *_: at_step())


def _die_at(last_step: int) -> None:
    """Kill this process (SIGKILL) at the given step of whatever engine, if it gets so far."""
    numbers = count()

    def at_step() -> None:
        if next(numbers) == last_step:
            os.kill(os.getpid(), signal.SIGKILL)

    steps(Engine, at_step)


def open_and_die(where: str, key: str, last_step: int) -> None:
    """Open a ledger, which brings an older one up to date, by a client that is killed at the given step."""
    _die_at(last_step)
    Ledger.at(where, key=key)


def rekey_and_die(where: str, old: str, new: str, last_step: int) -> None:
    """Change the key of a ledger by a client that is killed at the given step."""
    _die_at(last_step)
    upkeep.rekey(Ledger.at(where), old, new)


def release_and_die(where: str, name: str, release_id: str, last_step: int, signs: Path, heads: Path) -> None:
    """One charged release by a client that is killed (SIGKILL) at the given step, if it gets so far.

    Leaves the files `drawn` and `delivered` in the folder `signs`: what a crash must not have given for nothing.
    """
    ledger = Ledger.at(where, key=KEY, heads=heads)
    account, data, chosen = ledger.account(name), sample(), plan(0.5)
    numbers = count()

    def at_step() -> None:
        if next(numbers) == last_step:
            os.kill(os.getpid(), signal.SIGKILL)

    def draw() -> QuantileRelease:
        at_step()
        (signs / "drawn").touch()
        answer = release(data, chosen)
        at_step()
        return answer

    def write_head(*given: Any, **named: Any) -> None:
        at_step()
        kept(*given, **named)
        at_step()

    kept, Heads._write = Heads._write, write_head  # type: ignore[method-assign]
    request = Request(plan=chosen, guarantee=calibrate(chosen).guarantee, release_id=release_id)
    steps(ledger.engine, at_step)
    charged_answer(account, request, draw)
    at_step()
    (signs / "delivered").touch()
