"""Parquet files as a table on a cluster, from Python and by the command: answers, and a sentence for what is wrong."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpq_core import DataError, ParameterError
from dpq_core.__main__ import main
from dpq_core.cluster.reading import read_files
from tests.cluster.frames import distributed, table_of
from tests.commands.conftest import shown


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng, made = np.random.default_rng(3), tmp_path_factory.mktemp("people")
    for at in range(3):
        frame = pd.DataFrame(
            {
                "id": rng.integers(0, 500, 2000),
                "pay": rng.normal(50_000, 9_000, 2000),
                "hired": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 1000, 2000), "D"),
                "ward": rng.choice(["north", "south"], 2000),
            }
        )
        frame.to_parquet(made / f"part{at}.parquet")
    return made


@pytest.fixture(scope="module")
def address(cluster: Any) -> Any:
    return cluster.scheduler_address


def whole(folder: Path) -> pd.DataFrame:
    return pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))])


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["", "*.parquet", "part?.parquet"], ids=["folder", "all", "parts"])
def test_a_folder_and_a_pattern_are_the_table_of_all_files(address: str, folder: Path, pattern: str) -> None:
    columns = {"pay": (0, 200_000, 100), "hired": (pd.Timestamp("2020-01-01"), pd.Timestamp("2023-12-31"))}
    with distributed.Client(address):
        there = read_files(folder / pattern, ["pay", "hired", "id"])
        table = table_of(there, columns, person="id", per_person="max")
        here = table_of(whole(folder), columns, person="id", per_person="max")
        assert table.dates == here.dates == ("hired",)
        for name in columns:
            grid = np.arange(here[name].domain.cells)
            assert np.array_equal(table[name].count_below(grid), here[name].count_below(grid))


def test_files_that_are_missing_or_no_parquet_are_refused(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    for files, sentence in ((tmp_path / "a.csv", "Parquet"), (tmp_path / "no.parquet", "exist"), (tmp_path, "Parquet")):
        with pytest.raises(ParameterError, match=sentence):
            read_files(files)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ParameterError, match="exist"):
        read_files(tmp_path / "empty")
    with pytest.raises(DataError, match="no column 'wage'"):
        read_files(folder, ["wage"])
    (tmp_path / "b.parquet").write_bytes(b"nothing of a file")
    with pytest.raises(DataError) as refused:
        read_files(tmp_path / "b.parquet")
    assert "nothing of" not in str(refused.value)


@pytest.mark.slow
def test_the_command_releases_a_table(address: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["release", str(folder), "--column", "pay=0:200000:100", "--column", "hired=2020-01-01:2023-12-31"]
    line += [
        "--by",
        "ward=north,south",
        "--person",
        "id",
        "--per-person",
        "weight",
        "--quantiles",
        "median",
        "--epsilon",
        "9",
    ]
    assert main([*line, "--cluster", address]) == 0
    rows = shown(capsys.readouterr().out)["answers"]
    assert [(row["column"], row["ward"]) for row in rows] == [
        ("pay", "north"), ("pay", "south"), ("hired", "north"), ("hired", "south"),
    ]  # fmt: skip
    assert all(abs(row["value"] - 50_000) < 2_000 for row in rows[:2])
    assert all(str(row["value"]).startswith("2021-0") for row in rows[2:])


def test_the_command_says_what_a_cluster_cannot_do(
    address: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpq_core.cluster.shuffle.SECONDS_TO_ANSWER", 0.2)
    known, rest = ["--column", "pay=0:200000:100"], ["--quantiles", "median", "--epsilon", "1", "--cluster"]
    cases = {
        "does not answer": [str(folder), *known, *rest, "tcp://127.0.0.1:9"],
        "must be Parquet": [__file__, *known, *rest, address],
    }
    for sentence, line in cases.items():
        assert main(["release", *line]) == 2
        assert sentence in capsys.readouterr().err
