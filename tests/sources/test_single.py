"""Columns of 32 bits mean the decimals that they were written from."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dpq_core import Domain
from dpq_core.sources.files import read_column
from dpq_core.values import shortest_decimals


def test_every_number_of_32_bits_is_its_shortest_decimal():
    rng = np.random.default_rng(2)
    written = np.concatenate(
        [rng.lognormal(0, 8, 2000), -rng.uniform(0, 1, 500).round(3), [0.7, 16777216, 0, -0.0, 5e9]]
    )
    stored = written.astype(np.float32)
    assert shortest_decimals(stored).tolist() == [float(str(each)) for each in stored]
    others = np.array([np.nan, np.inf, 1e-44, 3e38], np.float32)  # no number, or out of reach: they stay
    assert np.array_equal(shortest_decimals(others), others.astype(np.float64), equal_nan=True)


def test_every_number_of_16_bits_is_its_shortest_decimal_and_whole_ones_are_as_they_are():
    stored = np.arange(2**16, dtype=np.uint16).view(np.float16)
    stored = stored[np.isfinite(stored)]
    whole = stored == np.rint(stored)
    found = shortest_decimals(stored)
    shortest = np.array([float(str(each)) for each in stored[~whole]])
    other = found[~whole] != shortest
    assert np.array_equal(found[~whole][other], stored[~whole][other].astype(np.float64)), "a tie is told exactly"
    assert other.sum() < 10
    assert np.array_equal(found[whole], stored[whole].astype(np.float64))


def test_a_column_of_32_bits_encodes_to_the_values_of_the_grid(tmp_path):
    domain, written = Domain.significant(2), [0.7, 1.1, 0.0037, 8.3e6, -0.29, None]
    path = tmp_path / "doses.parquet"
    pq.write_table(pa.table({"dose": pa.array(written, pa.float32())}), path)
    values = read_column(path, "dose").values
    assert domain.decode(domain.encode(values[:-1])).tolist() == written[:-1]
    assert np.isnan(values[-1])
    assert domain.decode(domain.encode(np.array([0.7], np.float32))).tolist() == [0.69], "an array is read as it stands"
