"""The digest of a frame's columns goes by what they hold, not by how they hold it."""

from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dpq_core.sources.frames import read_frame

PAY, WARD = [1.5, None, 3.0], ["a", None, "cé"]


def digest(frame: object, *names: str) -> bytes:
    return read_frame(frame).digest(names or ("pay", "ward"))


def two_chunks() -> pa.Table:
    whole = pa.table({"pay": [9.0, *PAY], "ward": ["zz", *WARD]})
    return pa.concat_tables([whole[1:3], whole[3:]])


@pytest.mark.parametrize("frame", [
    pd.DataFrame({"pay": PAY, "ward": WARD}),
    pd.DataFrame({"ward": pd.Series(WARD, dtype="category"), "pay": pd.array(PAY, dtype="Float64")}),
    {"pay": np.array([1.5, np.nan, 3.0]), "ward": WARD}, two_chunks(),
])  # fmt: skip
def test_the_same_rows_have_the_same_digest_in_every_frame(frame: object) -> None:
    assert digest(frame) == digest(pa.table({"pay": PAY, "ward": WARD}))


@pytest.mark.parametrize(("one", "other"), [
    (PAY, [1.5, 3.0, None]), (PAY, PAY[:2]), (PAY, [1.5, None, 4.0]), (WARD, ["ac", None, "é"]),
    (["", None], [None, ""]), ([1, 0], [1.0, 0.0]), ([True, False], [1, 0]), ([date(2024, 1, 31)], [date(2024, 2, 1)]),
    ([Decimal("1.50")], [Decimal("1.51")]), ([None], [None, None]), ([], [None]),
])  # fmt: skip
def test_other_rows_have_another_digest(one: list[Any], other: list[Any]) -> None:
    assert digest({"x": one}, "x") == digest({"x": list(one), "y": [0] * len(one)}, "x") != digest({"x": other}, "x")


def test_columns_that_are_swapped_have_another_digest() -> None:
    assert digest({"pay": [1, 2], "ward": [2, 1]}) != digest({"pay": [2, 1], "ward": [1, 2]})
