"""Bring a ledger of version 1.1 up to date: verify it, sign it anew, and take away what no longer decides anything.

There a link signed what a charge was for, and not how it ended; a request had a signature of its own. Limits, counted
costs and answers of that time have no signature: limits are left out, costs must be those that the charge may have, and
answers are signed as the releases that this version reads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from hmac import compare_digest
from typing import Any

from sqlalchemy import Connection, text

from ..columns_plan import ColumnsPlan, synthetic_plan
from ..domain.measure import MEASURES
from ..errors import LedgerError
from ..frame import COLUMN
from ..plan import Plan
from ..privacy.budgets import Adjacency
from ..release import FORMAT, ColumnWords, Description
from .checking import State, cost_of, readable
from .filters import WAYS, ReleaseCost
from .store.chain import KEYED, NO_KEY, OTHER_KEY, check_of, sign_anew, signature

OF_ACCOUNT = ("number", "name", "one_row_is", "adjacency", "budget", "opened")
OF_CHARGE = ("place", "release_id", "plan", "size", "who", "words", "epsilon", "delta", "rho", "charged")
OF_REQUEST = ("account", "release_id", "plan", "size", "request", "file")
UNCHECKED = "unchecked"
"""In place of a check of the key, where no program of version 1.1 was given the key."""
NOT_VERIFIED = (
    "The charges of {} were changed, so the ledger of version 1.1 was not brought up to date; nothing was charged. "
    "Restore a backup that passes dpq ledger verify of version 1.1."
)
CHANGES = (
    "ALTER TABLE dpq_accounts DROP COLUMN limits",
    "ALTER TABLE dpq_accounts ADD COLUMN unproven INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE dpq_accounts ADD COLUMN earlier_links TEXT",
    "ALTER TABLE dpq_accounts ADD COLUMN link TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE dpq_accounts ADD COLUMN closed_place INTEGER",
    "ALTER TABLE dpq_accounts ADD COLUMN closed_link TEXT",
    "ALTER TABLE dpq_releases DROP COLUMN counted_epsilon",
    "ALTER TABLE dpq_releases DROP COLUMN counted_delta",
    "ALTER TABLE dpq_releases DROP COLUMN counted_rho",
    "ALTER TABLE dpq_releases DROP COLUMN request_mark",
    "ALTER TABLE dpq_releases ADD COLUMN counts TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE dpq_releases ADD COLUMN refused_epsilon TEXT",
    "ALTER TABLE dpq_releases ADD COLUMN end_place INTEGER",
    "ALTER TABLE dpq_releases ADD COLUMN end_link TEXT",
    "ALTER TABLE dpq_releases DROP COLUMN words",
    "DROP TABLE dpq_remembered",
    f"UPDATE dpq_accounts SET adjacency = '{Adjacency.REPLACE_ONE}' WHERE adjacency <> '{Adjacency.ADD_REMOVE}'",
    "UPDATE dpq_accounts SET one_row_is = replace(one_row_is, ' with all rows', '')",  # which the charges say now
    "CREATE UNIQUE INDEX dpq_releases_end_place ON dpq_releases (account, end_place)",
)
PUT = (
    "UPDATE dpq_releases SET counts = :counts, refused_epsilon = :refused_epsilon, end_place = :end_place, "
    "answer = :answer, request = :request, plan = :plan WHERE number = :number"
)
CLOSE = "UPDATE dpq_accounts SET closed_place = :place WHERE number = :number"


def bring_up_to_date(connection: Connection, key: bytes | None) -> None:
    """Bring a ledger of version 1.1 up to date, within the caller's transaction. O(releases).

    Raises LedgerError where it does not verify, or has a key and was opened without it.
    """
    lock = " FOR UPDATE" if connection.dialect.name == "postgresql" else ""
    found = connection.execute(text(f"SELECT * FROM dpq_version{lock}")).mappings().one()
    own = None if key is None else check_of(found["ledger"], key)
    if found["key_check"] is not None and found["key_check"] not in {own, UNCHECKED}:
        raise LedgerError(NO_KEY if key is None else OTHER_KEY)
    accounts = connection.execute(text(f"SELECT * FROM dpq_accounts ORDER BY number{lock}")).mappings().all()
    charges = {
        account["number"]: [
            dict(row)
            for row in connection.execute(
                text("SELECT * FROM dpq_releases WHERE account = :number ORDER BY place"), {"number": account["number"]}
            ).mappings()
        ]
        for account in accounts
    }
    if broken := [each["name"] for each in accounts if not _verifies(each, charges[each["number"]], key)]:
        raise LedgerError(NOT_VERIFIED.format(", ".join(broken)))
    for change in CHANGES:
        connection.execute(text(change))
    for account in accounts:
        _put(connection, account, charges[account["number"]], key)
    if own is not None:
        connection.execute(text("UPDATE dpq_version SET key_check = :own"), {"own": own})


def _put(connection: Connection, account: Mapping[Any, Any], rows: list[dict[str, Any]], key: bytes | None) -> None:
    """Write what is new about an account, the ends of its charges after all of them, and sign it."""
    place = len(rows)
    for row in rows:
        ended = row["state"] != State.CHARGED
        place += ended
        refused = row["counted_epsilon"] if row["state"] == State.INFEASIBLE else None
        put = {"counts": _way(row), "refused_epsilon": refused, "end_place": place if ended else None}
        with readable(account["name"]):
            plan = _plan(row)
            put |= {"answer": _answer(row, plan, account["name"]), "request": _request(row), "plan": plan.to_json()}
        connection.execute(text(PUT), put | {"number": row["number"]})
    if account["closed"] is not None:
        connection.execute(text(CLOSE), {"place": place + 1, "number": account["number"]})
    plain = sum(not row["link"].startswith(KEYED) for row in rows)
    sign_anew(connection, account["number"], key, unproven=0 if key is None else plain)


def _plan(row: Mapping[str, Any]) -> ColumnsPlan:
    """Return what was run; a single column is a table of one."""
    stored, words = json.loads(row["plan"]), json.loads(row["words"] or "{}")
    if "columns" in stored:
        return ColumnsPlan.from_dict(stored)
    return ColumnsPlan.of([words.get("column") or COLUMN], Plan.from_dict(stored))


def _answer(row: Mapping[str, Any], plan: ColumnsPlan, account: str) -> str | None:
    """Return an answer as the release that this version reads; a refusal is kept as it is."""
    if row["answer"] is None or row["state"] == State.INFEASIBLE:
        return None if row["answer"] is None else str(row["answer"])
    answer, words = json.loads(row["answer"]), json.loads(row["words"] or "{}")
    if row["size"] is not None:
        plan = plan.each(lambda _, own: synthetic_plan(own, row["size"]))
    parts = answer.get("columns") or {plan.names[0]: answer | {"plan": plan.first.as_dict()}}
    if words.pop("fixed", False):  # what answers of groups of public size cost is not known here
        words["max_groups_per_person"] = None
    one = (words.pop("column", ""), words.pop("kind", "number"), words.pop("unit", ""))
    named = words.pop("columns", None) or ([one] if one[0] else [])
    columns = {name: ColumnWords(kind=kind, unit=unit) for name, kind, unit in named}
    return json.dumps(
        {
            "format": FORMAT,
            "plan": plan.as_dict(),
            "guarantee": answer["guarantee"],
            "cells": [_cells(name, part) for name, part in parts.items()],
            "description": Description(**words | {"columns": columns}).as_dict(),
            "id": row["release_id"],
            "account": account,
            "made": row["finished"],
            "version": answer["version"],
        },
        ensure_ascii=False,
    )


def _cells(name: str, part: dict[str, Any]) -> dict[str, Any]:
    """Return the answers of a column without round numbers of minutes, and without intervals of version 1.0.

    Those were not for values as they are; version 0.2 had a list of bounds. The request, which is kept as text, still
    says what was asked.
    """
    domain = part["domain"]
    if isinstance(domain, list):
        domain = dict(zip(("lower", "upper", "step"), domain, strict=True))
    if domain.get("measure") not in MEASURES:
        domain.pop("measure", None)
    groups, sure = part.get("groups"), part.get("intervals_of") is not None
    whole, intervals = groups is None, part["intervals"] if sure else []
    names = [[]] if groups is None else [name if isinstance(name, list) else [name] for name in groups]
    return {
        "column": name,
        "by": part.get("by", []),
        "groups": names,
        "domain": domain,
        "values": [part["values"]] if whole else part["values"],
        "intervals": [intervals] if whole and intervals else intervals,
        "basis": part.get("basis") if sure else None,
        "find_bounds": part.get("find_bounds"),
        **{name: part[name] for name in ("plan", "guarantee", "notes")},
    }


def _request(row: Mapping[str, Any]) -> str | None:
    """Return a request as text, with the words that were charged beside it: nothing that was signed is lost."""
    if row["words"] is None:
        return None if row["request"] is None else str(row["request"])
    facts, words = json.loads(row["request"] or "{}"), json.loads(row["words"])
    named = {"column": words["column"]} if words["column"] else {}
    return json.dumps(named | facts | {"words": words}, sort_keys=True)


def _verifies(account: Mapping[Any, Any], rows: list[dict[str, Any]], key: bytes | None) -> bool:
    """Return whether charges are all there, linked as version 1.1 linked them, and count what they may."""
    link = signature("dpq ledger chain 1", ["", *(account[name] for name in OF_ACCOUNT)], None)
    for number, row in enumerate(rows, start=1):
        request = [row[name] for name in OF_REQUEST]
        signed = _is_signed(row["link"], "dpq ledger chain 1", [link, *_said(row)], key)
        if row["request"] is None or row["request_mark"] is None:
            signed &= row["request"] is row["request_mark"] is None
        else:
            signed &= _is_signed(row["request_mark"], "dpq ledger request 1", request, key)
        if row["place"] != number or not signed or _way(row) is None:
            return False
        link = row["link"]
    return True


def _said(row: Mapping[Any, Any]) -> list[Any]:
    """Return what the link of a charge signed: more from the version on that had persons, and then requests."""
    names: tuple[str, ...] = OF_CHARGE
    if row["request_mark"] is not None or row["earlier_links"] is not None:
        names = (*OF_CHARGE, "protects", "request_mark", "earlier_links")
    elif row["protects"] != "record":
        names = (*OF_CHARGE, "protects")
    return [row[name] for name in names]


def _is_signed(found: str, purpose: str, values: list[Any], key: bytes | None) -> bool:
    own = key if found.startswith(KEYED) else None
    return compare_digest(found, signature(purpose, values, own))


def _way(row: Mapping[Any, Any]) -> str | None:
    """Return how a charge of version 1.1 was counted; None where it cannot have been counted so."""
    counted = ReleaseCost(*(Decimal(row[f"counted_{name}"]) for name in ("epsilon", "delta", "rho")))
    for way in WAYS if row["delta"] != "0.0" and row["rho"] is not None else WAYS[:1]:
        charged = cost_of(row["epsilon"], row["delta"], row["rho"], way)
        match State(row["state"]):
            case State.CANCELLED:
                if counted == ReleaseCost():
                    return way
            case State.INFEASIBLE:
                rest = (counted.delta, counted.rho) == (charged.delta, charged.rho)
                if rest and counted.epsilon <= charged.epsilon:
                    return way
            case _:
                if counted == charged:
                    return way
    return None
