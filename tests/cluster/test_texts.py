"""CSV files on a cluster mean what they mean in one file in memory: numbers, dates, ids, groups, and what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core import DataError, ParameterError
from dpq_core.cluster.files import read_files
from dpq_core.sources.files import read_column
from dpq_core.sources.groups import read_groups
from dpq_core.sources.people import read_people
from tests.cluster import frames
from tests.cluster.frames import below

HEAD = "id;pay;hired;ward"
COLUMNS: dict[str, Any] = {"pay": (0, 5000, "0.01"), "hired": (18_262, 20_000, 1)}
ROLES: dict[str, Any] = {"numbers": ["pay", "hired"], "person": "id"}


def rows_of(count: int) -> list[str]:
    """Rows with decimal commas, missing ids and values, and names that are written in two ways."""
    rng = np.random.default_rng(8)
    ids = [
        rng.choice(["NA", "", "-"]) if row % 20 == 0 else f"{rng.integers(0, 60)}{'.0' * (row % 3 == 0)}"
        for row in range(count)
    ]
    pay = ["NA" if row % 31 == 0 else f"{rng.uniform(10, 4000):.2f}".replace(".", ",") for row in range(count)]
    day = [f"{rng.integers(1, 29):02}.{rng.integers(1, 13):02}.2021" for _ in range(count)]
    wards = rng.choice(["north", " north ", "7", "7.0", "07", "NA", ""], count)
    return [";".join(each) for each in zip(ids, pay, day, wards, strict=True)]


def table_of(frame: Any, **rule: Any) -> Any:
    return frames.table_of(frame, COLUMNS, **rule)


RULES: tuple[dict[str, str], ...] = {}, {"person": "id", "take": "mean"}, {"person": "id", "take": "share"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made, rows = tmp_path_factory.mktemp("people"), rows_of(900)
    for at in range(3):
        (made / f"part{at}.csv").write_text("\n".join([HEAD, *rows[300 * at : 300 * at + 300]]) + "\n")
    (made.parent / "whole.csv").write_text("\n".join([HEAD, *rows]) + "\n")
    return made


@pytest.mark.slow(keep="{}")
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_text_files_have_the_records_of_one_file_in_memory(client: Any, folder: Path, rule: dict[str, Any]) -> None:
    there = table_of(read_files(folder, **ROLES), **rule)
    whole = folder.parent / "whole.csv"
    read: dict[str, Any] = {name: read_column(whole, name).values for name in COLUMNS}
    here = table_of(read | {"id": read_people(whole, "id")}, **rule)
    for name in COLUMNS:
        assert (there[name].n, there[name].dropped) == (here[name].n, here[name].dropped > 0)
        assert there[name].n > 0
        assert np.array_equal(below(there[name]), below(here[name]))


@pytest.mark.slow
def test_groups_of_text_files_are_those_of_one_file_in_memory(client: Any, folder: Path) -> None:
    by = {"by": {"ward": ["north", "7", "07", "NA"]}}
    groups = table_of(read_files(folder, ["ward"], **ROLES), **by)["pay"]
    whole = folder.parent / "whole.csv"
    read: dict[str, Any] = {name: read_column(whole, name).values for name in COLUMNS}
    here = table_of(read | {"ward": read_groups(whole, "ward")}, **by)["pay"]
    blocks = client.gather(list(groups.blocks))
    assert np.concatenate([block.sizes for block in blocks]).tolist() == here.sizes.tolist()
    assert (here.sizes > 50).all()


def test_one_file_decides_how_all_are_read(client: Any, tmp_path: Path) -> None:
    """The first alone could have thousands; the last has a decimal comma."""
    for at, cells in enumerate((['"1,234"', '"2,345"'], ['"3,456"'], ['"0,5"'])):
        (tmp_path / f"{at}.csv").write_text("\n".join(["x,g", *(f"{cell},a" for cell in cells)]) + "\n")
    table = dpq.Table.from_frame(read_files(tmp_path, numbers=["x"]), {"x": (0, 10, "0.001")})
    found: Any = table["x"]
    assert np.flatnonzero(np.diff(below(found))).tolist() == [500, 1234, 2345, 3456]


@pytest.mark.slow
def test_what_is_wrong_is_a_sentence_without_the_cell(client: Any, folder: Path, tmp_path: Path) -> None:
    for at, cell in enumerate(["1", "2", "unspeakable"]):
        (tmp_path / f"{at}.csv").write_text(f"x,y\n3,4\n{cell},5\n")
    rules: tuple[dict[str, Any], ...] = ({}, {"person": "y", "take": "mean"})
    for rule in rules:
        with pytest.raises(DataError) as refused:
            dpq.Table.from_frame(read_files(tmp_path, ["y"], numbers=["x"]), {"x": (0, 9, 1)}, **rule)
        assert "unspeakable" not in str(refused.value)
    with pytest.raises(DataError, match="no column 'wage'"):
        read_files(folder, numbers=["wage"])
    (tmp_path / "2.csv").write_text("x;y\n3;4\n")
    with pytest.raises(DataError, match="semicolon"):
        read_files(tmp_path, numbers=["x"])
    for cell in ("1:30:00", "5 %"):
        (tmp_path / "2.csv").write_text(f"x,y\n{cell},4\n{cell},7\n")
        with pytest.raises(DataError, match="units or durations"):
            read_files(tmp_path / "2.csv", numbers=["x"])
    with pytest.raises(ParameterError, match="numbers="):
        read_files(folder)
