"""The examples are the real columns, fit their public bounds and are the same each time."""

import subprocess
import sys
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from dpq_core.errors import DataError, ParameterError
from dpq_core.sources import examples
from dpq_core.sources.examples import EXAMPLES, load_example

PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize("key", EXAMPLES)
def test_an_example_lies_within_its_public_bounds(key: str) -> None:
    example, column = EXAMPLES[key], load_example(key)
    values = column.values[np.isfinite(column.values)]
    lower, upper, step = (Fraction(bound) for bound in (example.lower, example.upper, example.step))
    assert key == example.key
    assert lower < upper
    assert (upper - lower) / step == (upper - lower) // step
    assert values.min() >= lower
    assert values.max() <= upper
    assert len(values) == column.rows - column.missing
    assert not column.values.flags.writeable
    assert example.one_row != example.many_rows
    assert all([example.label, example.source, example.licence])


@pytest.mark.parametrize(("key", "digest"), [
    ("adult-age-full", "c366c5d5201b261cd516ee70228f2c09b56edccda58c1849db47940246971739"),
    ("adult-hours", "5e51bf5e931013242d8f065f4ba8839b82e89c4bedf24d34b0b096dd4e686294"),
])  # fmt: skip
def test_adult_equals_an_independent_copy(key: str, digest: str) -> None:
    """The copy was read with numpy alone; a byte for each value."""
    assert sha256(load_example(key).values.astype(np.uint8).tobytes()).hexdigest() == digest


def test_the_small_sample_of_ages_is_drawn_without_replacement() -> None:
    column, everyone = load_example("adult-age").values, load_example("adult-age-full").values
    ages, counts = np.unique(column, return_counts=True)
    assert len(column) == 1_000
    assert all(count <= np.count_nonzero(everyone == age) for age, count in zip(ages, counts, strict=True))
    assert abs(np.median(column) - np.median(everyone)) <= 2


def test_flight_delays_keep_their_missing_values() -> None:
    column = load_example("flight-delays")
    assert (column.rows, column.missing, column.unit) == (336_776, 8_255, "minutes")
    assert [np.nanmin(column.values), np.nanmax(column.values)] == [-43, 1301]


def test_made_up_columns_have_the_shape_their_label_promises() -> None:
    uniform, normal = load_example("uniform").values, load_example("normal").values
    assert (len(uniform), np.abs(uniform).max() <= 5) == (1_000, True)
    assert len(normal) == 10_000
    assert normal.std() == pytest.approx(5, rel=0.03)
    income = load_example("income").values
    assert len(income) == 20_000
    assert np.percentile(income, 99.5) > 8 * np.median(income)
    assert np.mean(load_example("tied").values == 10) >= 0.6
    assert load_example("tiny").rows == 12


def test_an_unknown_key_and_a_missing_file_are_sentences(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="keys of EXAMPLES"):
        load_example("nothing")
    monkeypatch.setattr(examples, "DATA", tmp_path)
    with pytest.raises(DataError, match=r"data/adult\.parquet is missing"):
        load_example("adult-age")


def test_the_files_are_small_and_described() -> None:
    readme = (PROJECT / "data" / "README.md").read_text(encoding="utf-8")
    for file in (PROJECT / "data").glob("*.parquet"):
        assert file.stat().st_size < 400_000
        assert file.name in readme


def test_the_registry_opens_without_the_readers() -> None:
    code = (
        "import sys, dpq_core.sources.examples; "
        "readers = {'pyarrow.csv', 'pyarrow.parquet', 'python_calamine', 'dpq_core.sources.numbers'}; "
        "print(sorted(readers & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
