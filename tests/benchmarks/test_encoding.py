"""Encoding a column as indices of a grid of significant digits, against the grid of even steps."""

import numpy as np
import pytest

from dpq_core import Domain

target = pytest.mark.target


@pytest.mark.parametrize(
    "digits",
    [
        pytest.param(k, marks=target(2, f"encoding 10^7 values, {k} significant digits", at_most=2, of="even steps"))
        for k in (2, 3)
    ],
)
def test_significant_digits_are_found_as_fast_as_even_steps(timed, columns, domain, digits):
    significant = Domain.significant(digits)
    column = columns[10**7]
    cells = timed(lambda: significant.encode(column), lambda: domain.encode(column), 7)
    assert np.array_equal(
        cells[:1000], np.searchsorted(significant.decode(np.arange(significant.cells)), column[:1000], "right") - 1
    )
