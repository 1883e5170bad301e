"""Rows of tests that change one field of a request alone, and ask with the same release id again."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from dpq_core import ApproxDP, ParameterError
from dpq_core.ledger.accounts import Account, Ledger
from dpq_core.ledger.history.entries import standing
from dpq_core.privacy.budgets import Privacy

Settings: TypeAlias = Mapping[str, Any]
LARGE = ApproxDP(9.0, 1e-3)


@dataclass(frozen=True)
class Row:
    """A field that is changed from `first` to `second`, where both are settings; `also` are those of both."""

    first: Settings
    second: Settings
    also: Settings = field(default_factory=dict)
    refused: bool = True


def changed(name: str, first: Any, second: Any, *, refused: bool = True, **also: Any) -> tuple[str, Row]:
    """Return the row of a field; a value None is left out."""
    one, other = ({} if value is None else {name: value} for value in (first, second))
    return name, Row(one, other, also, refused)


def tried(first: Callable[[], object], second: Callable[[], object], account: Account, *, refused: bool) -> None:
    """Ask twice with one id: the second request is refused or answered, as it should be, and charges nothing."""
    first()
    before = standing(account)
    if refused:
        refusals = r"must be (new for a new request|that of the account)|must ask for columns of rows"
        with pytest.raises(ParameterError, match=refusals):
            second()
    else:
        second()
    first()
    assert standing(account) == before, "nothing more was charged"


def names_of(call: Callable[..., Any], *besides: str) -> set[str]:
    return set(inspect.signature(call).parameters) - {"self", "cls", *besides}


def opened(place: Path, budget: Privacy = LARGE, name: str = "people", **others: Any) -> Account:
    """Return a new account of a ledger in a folder: of persons who join or leave, if nothing else is said."""
    ledger = Ledger.at(place / "ledger.sqlite", key="a key for the tests")
    return ledger.open_account(name, budget=budget, **{"adjacency": "joins", "one_row_is": "person"} | others)
