"""The reference line of OpenDP beside our own mechanisms."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from dpq_core import Adjacency, ApproxDP, Domain, PureDP, Sample
from dpq_core.privacy.budgets import ZCDP
from dpq_core.studies import reference
from dpq_core.studies.engine import Row
from dpq_core.studies.grid import Grid


def rows_of(grid: Grid) -> list[Row]:
    found = list(reference.steps(grid))
    shares = [share for share, _ in found]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    return [row for _, row in found]


def test_without_the_library_a_row_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    grid = Grid(mechanisms=["aq", "indexp"], quantiles=[3], n=[50], adjacencies=list(Adjacency), trials=4)
    rows = rows_of(grid)
    assert len(rows) == 6
    last = [row for row in rows if row.mechanism == reference.KEY]
    assert [(row.configuration, row.supported, row.why_not) for row in last] == [
        (4, False, reference.NOT_INSTALLED), (5, False, reference.NOT_INSTALLED)
    ]  # fmt: skip
    assert {row.adjacency for row in last} == {"add_remove", "substitute"}


@pytest.mark.parametrize("budget", [PureDP(1.0), ApproxDP(1.0, 1e-6), ZCDP(0.5)], ids=str)
@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_all_draws_together_spend_the_budget_and_no_more(budget, adjacency):
    opendp = pytest.importorskip("opendp.prelude")
    opendp.enable_features("contrib")
    configuration = Grid(
        mechanisms=["aq"], budgets=[budget], quantiles=[["1/4", "0.9", "1/3"]], adjacencies=[adjacency]
    ).configurations()[0]
    sample = Sample.from_values(np.arange(60), Domain(0, 100, 1), seed=0)
    changed = 2 if adjacency is Adjacency.SUBSTITUTE else 1
    losses = [
        reference._measurement(opendp, level, configuration, sample).map(changed) for level in configuration.quantiles
    ]
    shares = reference.budgets_of_one(budget, 3)
    amounts = [share.rho if isinstance(share, ZCDP) else share.epsilon for share in shares]
    assert any(max(losses) <= amount for amount in amounts)
    assert max(losses) > 0.99 * min(amounts)


@pytest.mark.statistical
def test_a_large_budget_finds_the_true_quantiles():
    """With ε = 1000 every draw of 20 is right: a miss has a probability below exp(-100)."""
    pytest.importorskip("opendp.prelude")
    grid = Grid(mechanisms=["aq"], budgets=[PureDP(1000.0)], quantiles=[3], data=["reference"], n=[101], trials=20)
    row = next(row for row in rows_of(grid) if row.mechanism == reference.KEY)
    assert row.supported
    assert row.max_error <= 1
    assert row.trials == 20
