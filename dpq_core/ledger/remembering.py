"""Remember public facts about a data set in its account: one JSON object, which every session and machine finds.

Public facts only: how a file is read, bounds, names of groups, what counts of a person. Nothing that was computed from
the data belongs here, because no budget pays for it; answers belong to their release.

Readings. How the columns of a data set were read for a release is remembered for the next file. Only what was said,
which are public facts about notation, by the names of the columns; never what the cells suggested. It is offered for
the next file and not taken by itself: that file may be written otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Connection, select

from ..errors import ParameterError
from ..sources.reading import Reading
from ..sources.readings.forms import as_dict, from_dict
from .accounts import Account, locked, now
from .store.schema import remembered as table


def remember(account: Account, facts: Mapping[str, Any]) -> None:
    """Store public facts with an account: those of the same name are replaced, others stay. It charges nothing.

    Raises ParameterError where they are no JSON, LedgerError.
    """
    given = _checked(facts)
    _change(account, lambda stored: stored | given)


def _change(account: Account, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    own = table.c.account == account.number

    def merge(connection: Connection) -> None:
        locked(connection, account)  # two that write at once take turns
        stored = connection.execute(select(table.c.facts).where(own)).scalar_one_or_none()
        facts = json.dumps(change({} if stored is None else json.loads(stored)))
        if stored is None:
            values = {"account": account.number, "facts": facts, "written": now()}
            connection.execute(table.insert().values(values))
        else:
            connection.execute(table.update().where(own).values(facts=facts, written=now()))

    account.ledger.write(merge)


def remembered(account: Account) -> dict[str, Any]:
    """Return the public facts that `remember` stored with an account; empty where there are none."""
    chosen = select(table.c.facts).where(table.c.account == account.number)
    stored = account.ledger.read(lambda connection: connection.execute(chosen).scalar_one_or_none())
    return {} if stored is None else dict(json.loads(stored))


def _checked(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts as JSON gives them back. Raises ParameterError."""
    refusal = ParameterError("facts", "must be a mapping of names to what JSON can hold, without NaN.")
    if not isinstance(facts, Mapping) or not all(isinstance(name, str) for name in facts):
        raise refusal
    try:
        return dict(json.loads(json.dumps(dict(facts), allow_nan=False)))
    except (TypeError, ValueError, RecursionError):
        raise refusal from None


FACT = "reading"


def remember_readings(account: Account, said: Mapping[str, Reading]) -> None:
    """Remember how columns are read, in place of earlier settings; without new settings, keep the earlier ones.

    Raises LedgerError.
    """
    settings = {name: as_dict(reading) for name, reading in said.items()}
    entries = {name: each for name, each in settings.items() if each}
    if entries:
        _change(account, lambda stored: stored | {FACT: stored.get(FACT, {}) | entries})


def remembered_readings(account: Account) -> dict[str, Reading]:
    """Return how columns are read, by name; skip what another version wrote and this one cannot read.

    Raises LedgerError.
    """
    found: dict[str, Reading] = {}
    for name, settings in remembered(account).get(FACT, {}).items():
        try:
            found[name] = from_dict(settings)
        except ParameterError:
            continue
    return found
