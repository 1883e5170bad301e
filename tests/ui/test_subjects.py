"""What a study runs on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpq_core import Adjacency, Domain
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.results.data_set import PublicData
from dpq_core.results.sealed import SealedColumn
from pages.compare import study
from pages.compare import subject as subjects
from pages.tradeoff.sweeps import widened
from tests.narrowing import present
from tests.results.test_outcomes import private

DOMAIN = Domain(0, 100, 1)
OWN = PublicData(
    identity="upload:1", name="age", kind="number", unit="", one="person", many="people", about="age from own.csv",
    source="", is_example=False, values=np.array([3.0, np.nan, 5.0]),
)  # fmt: skip


def test_a_release_gives_a_study_nothing_of_the_data():
    found = subjects.subject_of(private(), DOMAIN, 500)
    assert found.given is None
    assert (found.data, found.n, found.count, found.public) == (subjects.SHAPE, 500, 500, True)
    other = subjects.subject_of(replace(private(), column=SealedColumn(np.arange(9.0), b"")), DOMAIN, 500)
    assert vars(found) == vars(other)


def test_missing_values_are_left_out_or_counted():
    left_out = subjects.subject_of(OWN, DOMAIN, 0)
    assert (left_out.data, left_out.count, left_out.public) == (subjects.MINE, 2, False)
    counted = subjects.subject_of(replace(OWN, missing=DOMAIN.lower), DOMAIN, 0)
    assert np.asarray(present(counted.given)[subjects.MINE]).tolist() == [3.0, 0.0, 5.0]
    assert counted.count == 3


def test_an_example_is_named_so_that_the_grid_alone_repeats_it():
    example = replace(OWN, identity="example:adult-age", is_example=True, values=np.array([3.0, 5.0]))
    found = subjects.subject_of(example, DOMAIN, 0)
    assert (found.data, found.given, found.public) == ("adult-age", None, True)


def test_every_mechanism_gets_a_public_bound_where_it_needs_one():
    found = study.methods(1025, Adjacency.ADD_REMOVE, {"binhist": {"bins": 50}})
    options = {method.mechanism: dict(method.options) for method in found}
    assert list(options) == list(MECHANISMS)
    assert options["gkexp"] == {"n_max": 10_000}
    sketches = {count: study.methods(count, Adjacency.ADD_REMOVE, {}) for count in (0, 1, 2, 10, 11, 1000, 1001)}
    most = [dict(each.options)["n_max"] for found in sketches.values() for each in found if each.mechanism == "gkexp"]
    assert most == [1, 1, 10, 10, 100, 1000, 10_000]
    assert options["binhist"] == {"bins": 50}
    assert not any(method.options for method in study.methods(1025, Adjacency.SUBSTITUTE, {}))


@pytest.mark.parametrize("factor", [1, 2, 5, 1000])
def test_widened_bounds_hold_the_old_grid(factor):
    wide = widened(DOMAIN, factor)
    assert wide.lower <= DOMAIN.lower
    assert wide.step == DOMAIN.step
    assert (DOMAIN.lower - wide.lower) == (wide.upper - DOMAIN.upper)
    assert wide.cells == pytest.approx(factor * DOMAIN.cells, abs=1)
