"""Parquet files as a table on a cluster, from Python and by the command: answers, and a sentence for what is wrong."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpq_core as dpq
from dpq_core import DataError, Domain, ParameterError
from dpq_core.__main__ import main
from dpq_core.cluster.files import kinds_of, read_files
from dpq_core.results.data_set import DataSet
from dpq_core.results.groups.choice import GroupChoice
from dpq_core.results.groups.sizes import GroupSizes
from dpq_core.results.kinds import Simulated
from dpq_core.results.persons import PersonChoice
from dpq_core.results.tables.kinds import TableReading, TableRequest
from dpq_core.results.tables.spread import able_on_cluster, refusal_on_cluster, simulate_on_cluster
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


@pytest.mark.slow(keep="folder")
@pytest.mark.parametrize("pattern", ["", "*.parquet", "part?.parquet"], ids=["folder", "all", "parts"])
def test_a_folder_and_a_pattern_are_the_table_of_all_files(address: str, folder: Path, pattern: str) -> None:
    columns = {"pay": (0, 200_000, 100), "hired": (pd.Timestamp("2020-01-01"), pd.Timestamp("2023-12-31"))}
    with distributed.Client(address):
        there = read_files(folder / pattern, ["pay", "hired", "id"])
        table = table_of(there, columns, person="id", take="max")
        here = table_of(whole(folder), columns, person="id", take="max")
        assert table.dates == here.dates == ("hired",)
        for name in columns:
            grid = np.arange(here[name].domain.cells)
            assert np.array_equal(table[name].count_below(grid), here[name].count_below(grid))


def test_files_that_are_missing_or_no_parquet_are_refused(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    for files, sentence in (
        (tmp_path / "a.csv", "Parquet"),
        (tmp_path / "no.parquet", "exist"),
        (tmp_path, "Parquet"),
    ):
        with pytest.raises(ParameterError, match=sentence):
            read_files(files)
    with pytest.raises(ParameterError, match="Parquet"):
        kinds_of(tmp_path)
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
def test_the_command_releases_a_table_on_a_cluster(
    address: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["release", str(folder), "--column", "pay=0:200000:100", "--column", "hired=2020-01-01:2023-12-31"]
    line += ["--by", "ward=north,south", "--person", "id", "--take", "share", "--quantiles", "median", "--epsilon", "9"]
    assert main([*line, "--cluster", address]) == 0
    rows = shown(capsys.readouterr().out)["answers"]
    assert [(row["column"], row["ward"]) for row in rows] == [
        ("pay", "north"), ("pay", "south"), ("hired", "north"), ("hired", "south"),
    ]  # fmt: skip
    assert all(abs(row["value"] - 50_000) < 2_000 for row in rows[:2])
    assert all(str(row["value"]).startswith("2021-0") for row in rows[2:])


@pytest.mark.slow
def test_the_command_finds_groups_on_a_cluster(address: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["release", str(folder), "--column", "pay=0:200000:100", "--by", "ward=find", "--person", "id"]
    line += ["--take", "share", "--quantiles", "median", "--epsilon", "9", "--delta", "1e-6", "--cluster", address]
    assert main(line) == 0
    rows = shown(capsys.readouterr().out)["answers"]
    assert [row["ward"] for row in rows] == sorted(set(whole(folder)["ward"].dropna()))
    assert all(abs(row["value"] - 50_000) < 2_000 for row in rows)


def test_the_command_says_what_a_cluster_cannot_do(
    address: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpq_core.cluster.grid.SECONDS_TO_ANSWER", 0.2)
    known, rest = ["--column", "pay=0:200000:100"], ["--quantiles", "median", "--epsilon", "1", "--cluster"]
    cases = {
        "does not answer": [str(folder), *known, *rest, "tcp://127.0.0.1:9"],
        "must be Parquet": [__file__, *known, *rest, address],
    }
    for sentence, line in cases.items():
        assert main(["release", *line]) == 2
        assert sentence in capsys.readouterr().err


def test_kinds_of_columns_are_those_of_their_types(folder: Path) -> None:
    assert kinds_of(folder) == {"id": "number", "pay": "number", "hired": "date", "ward": "other"}
    with pytest.raises(ParameterError, match="exist"):
        kinds_of(folder / "none.parquet")


def request_of_columns(**more: Any) -> TableRequest:
    plan = dpq.Plan(["1/4", "1/2", "3/4"], "indexp", epsilon=9)
    columns = {"pay": Domain(0, 200_000, 100), "hired": Domain(18_262, 19_722, 1)}
    return TableRequest(
        plans=dict.fromkeys(columns, plan), bounds=columns, weights=dict.fromkeys(columns, Fraction(1)), about_n=500,
        **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("mechanism", "sentence"),
    [
        ("jointexp", "one quantile at a time"),
        ("freetotal", "one quantile at a time"),
        ("aq", ""),
        ("indexp", ""),
        ("best", ""),
    ],
)
def test_joint_draws_of_shares_are_refused_before_a_simulation_starts(mechanism: str, sentence: str) -> None:
    person = PersonChoice("id", "person", take="share")
    plan = dpq.Plan(["1/4", "1/2", "3/4"], mechanism, epsilon=9)
    request = replace(request_of_columns(person=person), plans={"pay": plan, "hired": plan})
    refused = refusal_on_cluster(request)
    assert (sentence in str(refused)) if sentence else refused is None
    one_row = replace(request, person=PersonChoice("id", "person", take="mean"))
    grouped = replace(request, groups=GroupChoice("ward", ("south", "north")))
    for able in (one_row, replace(request, person=None), grouped):
        assert refusal_on_cluster(able) is None
        assert able_on_cluster(able) == able
    drawn = able_on_cluster(request).plans["pay"]
    assert drawn == (replace(plan, mechanism="aq") if mechanism == "best" else plan)


def test_groups_to_be_found_are_released_and_not_simulated() -> None:
    request = request_of_columns(groups=GroupChoice("ward", None), person=PersonChoice("id", "person", take="share"))
    refused = refusal_on_cluster(request)
    assert refused is not None
    assert "must list the groups" in str(refused)
    assert refusal_on_cluster(request, simulated=False) is None


@pytest.mark.slow(keep="persons-groups")
@pytest.mark.parametrize("groups", [None, GroupChoice("ward", ("south", "north", "none"))], ids=["whole", "groups"])
@pytest.mark.parametrize("person", [None, PersonChoice("id", "person", take="share")], ids=["rows", "persons"])
def test_a_simulation_on_a_cluster_is_beside_the_truth_of_the_table_in_memory(
    address: str, folder: Path, groups: GroupChoice | None, person: PersonChoice | None
) -> None:
    request = request_of_columns(groups=groups, person=person, sizes=GroupSizes(1000) if groups else GroupSizes())
    facts = [
        DataSet(
            identity="t", name=name, kind=kind, unit="", one="row", many="rows", about="", source="", is_example=False,
            person=person,
        )
        for name, kind in (("pay", "number"), ("hired", "date"))
    ]  # fmt: skip
    given = address, folder, facts, request, TableReading(), 7, "t", "people"
    *working, last = list(simulate_on_cluster(*given))
    shares = [share for share, found in working]
    assert all(found is None for _, found in working)
    assert shares == sorted(shares)
    assert any(0 < share < 0.5 for share in shares)
    outcome = last[1]
    assert last[0] == 1
    assert isinstance(outcome, Simulated)
    frame = whole(folder)
    days = {"pay": frame["pay"], "hired": (frame["hired"] - pd.Timestamp(0)).dt.days}
    made: dict[str, Any] = {"by": {"ward": list(groups.names or ())}} if groups else {}
    made |= {"person": "id", "take": "share"} if person else {}
    here = table_of(frame.assign(**days), dict(request.bounds), **made)
    for each in outcome.answers:
        own = here[each.wording.name]
        truth = own.sample_of(each.group) if groups else own
        assert np.array_equal(each.true_values, dpq.true_quantiles(truth, each.plan.quantiles), equal_nan=True)
        assert each.size is None or each.size == -(-truth.records.size // truth.unit)
    assert len(outcome.answers) == (6 if groups else 2)
    again = list(simulate_on_cluster(*given))[-1][1]
    assert again is not None
    assert [each.values for each in again.answers] == [each.values for each in outcome.answers]
