"""Public data for studies: repeatable, of any size, within public bounds; and the sets for "break it"."""

from __future__ import annotations

import numpy as np
import pytest

from dpq_core import ParameterError
from dpq_core.sources.examples import load_example
from dpq_core.studies.break_it import BREAK_IT
from dpq_core.studies.engine import steps
from dpq_core.studies.grid import Grid
from dpq_core.studies.shapes import SHAPES, domain_of, values_of


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [0, 1, 5000])
def test_shapes_are_repeatable_and_mostly_within_their_bounds(shape, n):
    domain = domain_of(shape)
    values = values_of(shape, n, 5, domain)
    assert values.shape == (n,)
    assert np.isfinite(values).all()
    assert (values == values_of(shape, n, 5, domain)).all()
    assert ((values >= float(domain.lower)) & (values <= float(domain.upper))).sum() >= 0.99 * n
    if n == 5000 and shape != "reference":
        assert (values != values_of(shape, n, 6, domain)).any()


def test_examples_are_whole_or_drawn_from():
    domain = domain_of("adult-age")
    assert (values_of("adult-age", None, 0, domain) == load_example("adult-age").values).all()
    assert values_of("adult-age", 5000, 0, domain).size == 5000
    assert domain.cells == 121
    with pytest.raises(ParameterError, match="`data` must be one of uniform"):
        values_of("nowhere", 3, 0, domain)
    with pytest.raises(ParameterError, match="hold a record"):
        values_of("mine", 3, 0, domain, {"mine": np.array([])})


def test_sets_to_break_show_what_they_say():
    base = Grid(mechanisms=["aq", "indexp", "slice"], n=[1000], trials=200)

    def errors(grid):
        return {row.mechanism: row.mean_error for _, row in steps(grid)}

    usual, found = errors(base), {key: errors(trouble.applied(base)) for key, trouble in BREAK_IT.items()}
    assert found["ties"]["aq"] < usual["aq"] / 3
    assert found["few"]["aq"] > 20 / 10
    assert found["wide"]["indexp"] > 1.2 * usual["indexp"] > 1.2 * usual["aq"]
    assert found["wide"]["aq"] < 1.2 * usual["aq"]
    assert found["close"]["aq"] < 0.9 * found["close"]["indexp"]
    assert np.isnan(found["close"]["slice"])
    assert found["tail"]["aq"] < 1.5 * usual["aq"]
