"""The records of groups in order, on any grid, and the groups of several files."""

from pathlib import Path

import numpy as np
import pytest

from dpq_core import DataError, Domain
from dpq_core.sources.files import find_layout, read_groups
from tests.harness import Column, usual_groups

COARSE, FINE, VAST = Domain(0, 100, 1), Domain(0, 100), Domain(0, 2**60, 1)
"""Of VAST no group fits beside a slot into 64 bits."""
NAMES = ("b", "a", "empty")


@pytest.mark.parametrize("domain", [COARSE, FINE, VAST], ids=["coarse", "fine", "beside each other"])
@pytest.mark.parametrize("other", [None, "rest"])
def test_records_of_each_group_are_its_own_in_order(domain, other):
    random = np.random.default_rng(2)
    values = [*random.normal(50, 40, 118).tolist(), None, float("nan")]
    labels = random.choice(np.array(["a", " b ", "c", ""], dtype=object), 120).tolist()
    whole = usual_groups(values, labels, domain, names=NAMES, other=other, seed=5)
    assert whole.sizes.sum() > 50
    assert not whole.cells.flags.writeable
    for group, name in enumerate(("b", "a")):
        cells = whole.column(group).cells
        own = [value for value, label in zip(values, labels, strict=True) if label.strip() == name]
        encoded = domain.encode(np.array([value for value in own if value is not None], dtype=float))
        assert whole.places.cells_of(cells).tolist() == sorted(encoded.tolist())
        assert (np.diff(cells) >= 0).all()


def test_every_value_has_one_group():
    with pytest.raises(DataError, match="one group for each value"):
        Column.from_values([1], COARSE, groups=["a", "b"], names=NAMES)


def test_a_block_of_groups_goes_on_in_the_next_file(tmp_path: Path) -> None:
    """As was said of the first file: there is nowhere else to say it."""
    (tmp_path / "1.csv").write_text("at,pay\na,1\n,2\nb,3\n,4\n")
    (tmp_path / "2.csv").write_text("at,pay\n,5\nc,6\n" + ",7\n" * 20)
    layout = find_layout(tmp_path / "1.csv", header=True, fill_down=True)
    for names, codes in ((None, [0, 0, 1, 1, 1, *[2] * 21]), (["b", "a"], [1, 1, 0, 0, 0, *[-1] * 21])):
        assert read_groups(tmp_path, "at", names=names, layout=layout).codes.tolist() == codes
