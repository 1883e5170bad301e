"""Groups of a column that comes in batches: the same as of the whole, and never beside other groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpq_core import DataError, Domain, Plan, PureDP, release
from dpq_core.sources.groups import read_groups
from dpq_core.sources.streams.batches import stream_column
from tests.harness import Groups, usual_groups

COARSE, FINE, VAST = Domain(0, 100, 1), Domain(0, 100), Domain(0, 2**60, 1)
"""Of VAST no group fits beside a sub-index into 64 bits."""
NAMES = ("b", "a", "empty")


def parts(column: list[Any], *lengths: int) -> list[Any]:
    ends = np.cumsum(lengths).tolist()
    assert ends[-1] == len(column)
    return [column[start:end] for start, end in zip([0, *ends], ends, strict=False)]


@pytest.mark.parametrize("domain", [COARSE, FINE, VAST], ids=["coarse", "fine", "beside each other"])
@pytest.mark.parametrize("other", [None, "rest"])
def test_batches_are_as_the_whole(domain, other):
    """Tie-breaking bits included, however values and groups are cut."""
    random = np.random.default_rng(2)
    values = [*random.normal(50, 40, 118).tolist(), None, float("nan")]
    labels = random.choice(np.array(["a", " b ", "c", ""], dtype=object), 120).tolist()
    whole = usual_groups(values, labels, domain, names=NAMES, other=other, seed=5)
    cut = Groups.from_batches(
        parts(values, 7, 0, 50, 63), iter(parts(labels, 60, 1, 59)), domain, names=NAMES, other=other, seed=5
    )
    assert whole.sizes.sum() > 50
    for name in ("names", "domain", "jitter_bits", "seed", "dropped", "protects", "groups_per_person"):
        assert getattr(cut, name) == getattr(whole, name), name
    assert cut.starts.tolist() == whole.starts.tolist()
    assert cut.records.cells.tolist() == whole.records.cells.tolist()
    assert cut.records.cells.dtype == np.int64
    assert not cut.records.cells.flags.writeable
    for group, name in enumerate(("b", "a")):
        cells = cut.column(group).cells
        own = [value for value, label in zip(values, labels, strict=True) if label.strip() == name]
        encoded = domain.encode(np.array([value for value in own if value is not None], dtype=float))
        assert cut.places.cells_of(cells).tolist() == sorted(encoded.tolist())
        assert (np.diff(cells) >= 0).all()


@pytest.mark.parametrize(("batches", "labels"), [([[1, 2], [3]], [["a"], ["b"]]), ([[1]], [["a", "b"]]), ([], [["a"]])])
def test_every_value_has_one_group(batches, labels):
    with pytest.raises(DataError, match="one group for each value"):
        Groups.from_batches(batches, labels, COARSE, names=NAMES)


def test_no_batches_are_empty_groups():
    assert Groups.from_batches([], [], COARSE, names=NAMES).sizes.tolist() == [0, 0, 0]


def test_files_larger_than_memory(tmp_path: Path) -> None:
    """A folder, whose second file has its columns in another order."""
    (tmp_path / "1.csv").write_text("pay,at\n" + "".join(f"{k},{'ab'[k % 2]}\n" for k in range(40)))
    (tmp_path / "2.csv").write_text("at,pay\n" + "".join(f"{'ab'[k % 2]},{k}\n" for k in range(40, 60)))
    told: list[float] = []
    labels = read_groups(tmp_path, "at", names=NAMES, progress=told.append)
    groups = Groups.from_batches(stream_column(tmp_path, "pay"), labels, COARSE, names=NAMES)
    assert groups.sizes.tolist() == [30, 30, 0]
    assert told == sorted(told)
    assert told[-1] == 1
    assert 20 < release(groups, Plan(["1/2"], privacy=PureDP(100.0))).values["column"]["a"][0] < 40
    (tmp_path / "3.csv").write_text("pay,of\n1,a\n")
    with pytest.raises(ValueError, match="must be one of the column names"):
        read_groups(tmp_path, "at", names=NAMES)
