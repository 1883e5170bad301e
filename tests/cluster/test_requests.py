"""A table on a cluster is the same request as in memory: so an id that refuses another request does so there, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpq_core import FindBounds, FindGroups, Plan, Table
from dpq_core.columns import columns_plan, schedule_of
from dpq_core.ledger.requests import facts_of
from tests.cluster.frames import dataframe

ROWS = 200
FRAME = pd.DataFrame(
    {
        "pay": np.arange(ROWS) % 90, "age": np.arange(ROWS) % 50, "id": np.arange(ROWS) // 2,
        "ward": np.where(np.arange(ROWS) % 2, "north", "south"), "sex": np.where(np.arange(ROWS) % 3, "f", "m"),
    }
)  # fmt: skip
ONE, FOUND = {"pay": (0, 100, 1)}, {"pay": FindBounds(step=1)}
PERSON = {"person": "id", "missing_is_person": True}
LISTED = {"by": {"ward": ["north", "south"], "sex": ["f", "m"]}}
RULES = [
    {"columns": ONE},
    {"columns": {**ONE, "age": FindBounds(step=1)}, **PERSON, "most_rows": 2},
    {"columns": FOUND, **PERSON, "take": "share", "missing": 3},
    {"columns": ONE, **LISTED, **PERSON, "take": "mean", "groups_per_person": 2},
    {"columns": FOUND, **LISTED, **PERSON, "take": "share"},
    {"columns": ONE, "by": {"ward": ["north"]}, "other": "rest"},
    {"columns": ONE, "by": {"ward": FindGroups()}, **PERSON, "most_rows": 2, "groups_per_person": "any"},
]


@pytest.mark.slow(keep=("0", "3", "5"))
@pytest.mark.parametrize("rule", RULES, ids=range(len(RULES)))
def test_the_facts_of_a_request_are_those_of_the_table_in_memory(client: Any, rule: dict[str, Any]) -> None:
    plan = Plan("median", "indexp", epsilon=1, delta=1e-6)

    def facts(frame: object) -> dict[str, Any]:
        columns = Table.from_frame(frame, **rule).columns
        return facts_of(columns, schedule_of(columns, columns_plan(columns, plan)))

    assert facts(dataframe.from_pandas(FRAME, npartitions=3)) == facts(FRAME)
