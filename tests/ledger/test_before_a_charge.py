"""Whoever pays is asked once more right before the charge: what is raised then leaves nothing charged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dpq_core import Adjacency, Domain, Plan, PureDP, Sample
from dpq_core.ledger import Ledger, charged_release, standing

SAMPLE = Sample.from_values(range(100), Domain(0, 120, 1))
PLAN = Plan(["1/2"], "aq", PureDP(0.5))


class Gone(BaseException):
    """The visitor is gone."""


def test_what_is_raised_right_before_a_charge_leaves_nothing_charged(tmp_path: Path) -> None:
    account = Ledger.at(tmp_path / "ledger.sqlite").open_account(
        "p", budget=PureDP(1.0), adjacency=Adjacency.ADD_REMOVE, one_row_is="person"
    )

    def refuse() -> None:
        raise Gone

    with pytest.raises(Gone):
        charged_release(SAMPLE, PLAN, replace(account, before_charge=refuse), release_id="one")
    assert standing(account).entries == ()
    asked: list[str] = []
    answer = charged_release(
        SAMPLE, PLAN, replace(account, before_charge=lambda: asked.append("once")), release_id="one"
    )
    again = charged_release(SAMPLE, PLAN, replace(account, before_charge=refuse), release_id="one")
    assert (again.values, asked) == (answer.values, ["once"]), "an answer that is paid is given without a question"
