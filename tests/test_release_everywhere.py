"""One release goes through ledger, JSON, files and data frames, and comes back equal, for each kind of question."""

import io
import json
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpq_core as dpq
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.history.entries import stored_releases
from dpq_core.release import ColumnWords, Description, Release
from tests.ledger.alone import opened

ROWS = 400
FRAME = {
    "pay": np.linspace(0, 900, ROWS), "age": np.arange(ROWS) % 90, "joined": pd.date_range("2020-01-01", periods=ROWS),
    "office": ["north", "south"] * (ROWS // 2), "sex": ["f", "f", "m", "m"] * (ROWS // 4), "who": np.arange(ROWS) // 2,
}  # fmt: skip
PAY: dict[str, Any] = {"pay": (0, 1000, 1)}
BOTH = PAY | {"age": (0, 120, 1)}
DATES = {"joined": (date(2019, 1, 1), date(2022, 1, 1))}
OFFICES = {"office": ["north", "south", "nowhere"]}
PURE, DELTA, RHO = {"epsilon": 1.0}, {"epsilon": 1.0, "delta": 1e-6}, {"rho": 0.5}
QUESTIONS: dict[str, tuple[Any, dict[str, Any]]] = {
    "a column": (PAY, PURE), "concentrated": (PAY, RHO), "columns": (BOTH, DELTA), "dates": (DATES, PURE),
    "significant digits": ({"pay": dpq.Domain.significant(2)}, PURE),
    "bounds are found": ({"pay": dpq.FindBounds(step=1)}, PURE | {"intervals": 0.9, "about_n": 400}),
    "groups": (PAY, PURE | {"by": OFFICES}),
    "groups by two columns": (BOTH, PURE | {"by": OFFICES | {"sex": ["f", "m"]}}),
    "groups are found": (PAY, DELTA | {"by": {"office": dpq.FindGroups()}}),
    "no group is found": ({"age": (0, 120, 1)}, DELTA | {"by": {"who": dpq.FindGroups()}}),
    "persons": (PAY, PURE | {"person": "who", "per_person": "weight", "by": OFFICES}),
    "rows of persons": (PAY, PURE | {"person": "who", "max_rows_per_person": 2}),
    "intervals": (PAY, PURE | {"intervals": dpq.Intervals(0.9, together=True), "about_n": 400}),
    "a noisy count": (PAY, PURE | {"intervals": 0.9, "about_n": "noisy"}),
    "one is replaced": (PAY, PURE | {"adjacency": "replaced", "missing": 0}),
}  # fmt: skip


@pytest.fixture(params=QUESTIONS.values(), ids=list(QUESTIONS))
def asked(request):
    columns, settings = request.param
    return columns, {"levels": ["1/3", "1/2", 0.9]} | settings


@pytest.mark.slow(one_in=4)
def test_a_release_comes_back_from_its_json(asked):
    release = dpq.quantiles(FRAME, asked[0], **asked[1])
    read = Release.from_json(release.to_json())
    assert read == release
    assert read.values == release.values
    assert repr(read) == repr(release)
    pd.testing.assert_frame_equal(read.to_frame(), release.to_frame())
    assert json.loads(release.to_json())["mechanisms"] == release.mechanisms


@pytest.mark.slow(one_in=3)
def test_a_release_comes_back_from_its_account(asked, tmp_path):
    columns, settings = asked
    budget = dpq.ZCDP(1.0) if "rho" in settings else dpq.ApproxDP(5.0, 1e-5)
    adjacency = list(dpq.Adjacency)[settings.get("adjacency") == "replaced"]
    account = opened(tmp_path, budget, "staff", adjacency=adjacency, one_row_is="employee")
    settings |= {"account": account, "release_id": "once"}
    first = dpq.quantiles(FRAME, columns, **settings)
    assert (first.id, first.account) == ("once", "staff")
    assert dpq.quantiles(FRAME, columns, **settings) == first
    (stored,) = stored_releases(account.ledger)
    assert stored.release == first
    (text,) = (row for row in _answers(account.ledger))
    assert json.loads(text) == json.loads(first.to_json()), "the ledger stores this JSON and nothing else of an answer"


def _answers(ledger: Ledger) -> list[str]:
    with ledger.engine.connect() as connection:
        return [row[0] for row in connection.exec_driver_sql("SELECT answer FROM dpq_releases")]


def test_a_file_has_what_the_data_frame_has(asked):
    release = dpq.quantiles(FRAME, asked[0], **asked[1])
    frame, read = release.to_frame(), pd.read_csv(io.StringIO(release.to_csv()), keep_default_na=False)
    assert list(read.columns)[: len(frame.columns)] == list(frame.columns)
    assert len(read) == len(frame)
    if len(frame) and "joined" not in asked[0]:
        np.testing.assert_array_equal(read["value"].to_numpy(float), frame["value"].to_numpy())


@pytest.mark.parametrize(
    "text", ["{}", "[]", "1", "{", '{"format": 2}', '{"format": 1, "cells": []}', '{"format": 2, "cells": 3}']
)
def test_what_is_no_release_is_refused(text):
    with pytest.raises(dpq.ParameterError, match="`release` must"):
        Release.from_json(text)


def test_words_of_a_release_come_back():
    release = dpq.quantiles(FRAME, PAY, "median", epsilon=1)
    words = Description(
        columns={"pay": ColumnWords(kind="money", unit="€", label="Net pay")}, one="household", many="households",
        person="household", rule="each household counts once", max_rows_per_person=3, max_groups_per_person="any",
        group_sizes=(("north", 200),),
    )  # fmt: skip
    described = replace(release, description=words)
    assert Release.from_json(described.to_json()) == described
