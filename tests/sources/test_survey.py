"""Files of SPSS and Stata: what a column, its persons and its groups are, the same as of the data in a CSV file."""

import io
import random
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from dpq_core.errors import DataError, ParameterError
from dpq_core.frame import iso_date
from dpq_core.jobs.children import Nursery
from dpq_core.jobs.queue import MEMORY, NO_USE, POOL, read_apart
from dpq_core.sources.column import DAMAGED, NumberColumn
from dpq_core.sources.files import find_layout, read_column, read_groups, read_people, read_rows, stream_column
from dpq_core.sources.forms import describe
from dpq_core.sources.reading import Reading
from dpq_core.sources.survey import variables
from tests.sources.made import claiming, survey
from tests.sources.names import list_columns
from tests.sources.refusals import refused

ROOT = Path(__file__).parents[2]
NAN = float("nan")
ROWS = 2_500
GENERATOR = np.random.default_rng(7)
TABLE = pd.DataFrame(
    {
        "person": [f"p{k % 900}" for k in range(ROWS)],
        "number": [float(k % 700) for k in range(ROWS)],
        "income": np.where(np.arange(ROWS) % 11 == 0, NAN, GENERATOR.integers(0, 900_000, ROWS) / 8),
        "city": [("Bath", "York", "", "Zürich", "NA")[k % 5] for k in range(ROWS)],
        "visits": np.arange(ROWS, dtype=np.int32) % 9,
        "written": [f"{k % 40}.5" for k in range(ROWS)],
    }
)


def written(way: str, table: pd.DataFrame, **more: Any) -> bytes:
    suffix, settings = WAYS[way]
    return survey(suffix, dict(table.items()), **settings, **more)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The settings of every call of the library that reads a file of SPSS."""
    read = Mock(wraps=pyreadstat.read_sav)
    monkeypatch.setattr(pyreadstat, "read_sav", read)
    return read.call_args_list


WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "sav": (".sav", {}), "sav in rows": (".sav", {"row_compress": True}), "zsav": (".zsav", {"compress": True}),
    **{f"dta {version}": (".dta", {"version": version}) for version in (8, 10, 12, 13, 14, 15)},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_column_persons_and_groups_are_those_of_the_same_data_in_csv(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = TABLE.replace("Zürich", "Zurich") if way in ("dta 8", "dta 10", "dta 12", "dta 13") else TABLE
    content, csv = written(way, table), table.to_csv(index=False).encode()
    monkeypatch.setattr(variables, "ROWS_AT_ONCE", 999)
    assert list_columns(content) == tuple(TABLE)
    for name in ("number", "income", "visits", "written"):
        one, other = read_column(content, name, header=True), read_column(csv, name, header=True)
        assert np.array_equal(one.values, other.values, equal_nan=True)
        assert (one.kind, one.unit, one.missing, one.rows) == (other.kind, other.unit, other.missing, other.rows)
    for name in ("person", "number", "visits", "city"):
        assert np.array_equal(read_people(content, name).codes, read_people(csv, name).codes)
        one, other = read_groups(content, name), read_groups(csv, name)  # type: ignore[assignment]
        assert one.found == other.found  # type: ignore[attr-defined]
        assert np.array_equal(one.codes, other.codes)  # type: ignore[attr-defined]
    stream = stream_column(content, "income")
    assert np.array_equal(np.concatenate(list(stream)), read_column(csv, "income").values, equal_nan=True)
    assert stream.rows == ROWS


def test_the_encoding_of_a_file_that_does_not_say_its_own_can_be_said() -> None:
    """Programs that are not Stata write UTF-8 into files of Stata 13, which hold no encoding."""
    content = written("dta 13", TABLE, variable_value_labels={"visits": {0: "Zürich", 1: "Łódź"}})
    layout = find_layout(content, encoding="utf-8")
    for name in ("city", "visits"):
        groups = read_groups(content, name, layout=layout)
        assert np.array_equal(groups.codes == groups.found.index("Zürich"), TABLE[name].isin(["Zürich", 0]))
    assert read_column(content, "income", layout=layout).encoding == ""
    assert read_groups(content, "city", layout=find_layout(content, encoding="mac-roman")).holds == ""
    with pytest.raises(ParameterError, match="must be one that this file can be read in"):
        find_layout(content, encoding="euc-jp")


def test_the_line_says_that_declared_values_are_missing_and_never_which() -> None:
    content = survey(".sav", {"age": [23.0, 977.0, 31.0], "size": [1.0, 2.0, 3.0]}, missing_ranges={"age": [977]})
    lines = {name: describe(read_column(content, name)) for name in ("age", "size")}
    assert lines["age"].removeprefix("age") == lines["size"].removeprefix("size")
    assert "and values that the file declares to be missing" in lines["age"]
    assert "977" not in lines["age"]
    assert "declares" not in describe(read_column(b"age\n23\n31\n", "age"))


def test_what_somebody_says_counts_beside_what_the_file_declares() -> None:
    content = survey(".sav", {"age": [23.0, 977.0, 999.0]}, missing_ranges={"age": [977]})
    found = read_column(content, "age", reading=Reading(missing_codes=(999,), percent=True))
    assert np.array_equal(found.values, [2_300, NAN, NAN], equal_nan=True)
    assert found.kind == "percent"


def test_a_file_that_does_not_say_how_many_rows_it_has_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    content = claiming(-1)
    for at_once in (3, 5, 10, 99):
        monkeypatch.setattr(variables, "ROWS_AT_ONCE", at_once)
        assert read_column(content, "age").values.tolist() == list(range(10))
        with refused("damaged"):  # within the last row
            read_column(content[:-3], "age")
    assert stream_column(content, "age").rows is None


def test_a_file_that_lies_about_its_rows_is_refused() -> None:
    for rows, sentence in ((300_000_000, "more than 200,000,000 rows"), (150_000_000, "damaged")):
        with refused(sentence):
            read_column(claiming(rows), "age")


def test_several_columns_are_read_in_one_pass_and_no_other_one(calls: list[Any]) -> None:
    content, names = written("sav", TABLE), ["number", "income", "visits"]
    assert all(isinstance(each, NumberColumn) for each in read_rows(content, names, find_layout(content)).columns)
    read_groups(content, "city")
    assert [each.kwargs["usecols"] for each in calls if "usecols" in each.kwargs] == [names, ["city"]]


def test_a_folder_of_surveys_is_one_stream(tmp_path: Path) -> None:
    table = {"month": [769.0, NAN], "n": [1.0, 2.0]}
    (tmp_path / "a.sav").write_bytes(survey(".sav", table))
    (tmp_path / "b.dta").write_bytes(survey(".dta", table))
    stream = stream_column(tmp_path, "n")
    assert [batch.tolist() for batch in stream] == [[1, 2], [1, 2]]
    assert stream.rows == 4
    (tmp_path / "b.dta").write_bytes(survey(".dta", table, variable_format={"month": "%tm"}))
    dated = stream_column(tmp_path / "b.dta", "month")
    (batch,) = dated
    assert iso_date(batch[0]) == "2024-02-01"
    with refused("do not hold the same kind of values"):
        stream_column(tmp_path, "month")


def test_so_many_rows_are_in_memory_as_fit(calls: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    content = survey(".sav", {"answer": ["x" * 920] + ["y"] * 24, "n": [1.0] * 25})
    monkeypatch.setattr(variables, "BYTES_AT_ONCE", 10_000)
    assert read_people(content, "answer").codes.tolist() == [0] + [1] * 24
    limits = [each.kwargs["row_limit"] for each in calls if each.kwargs.get("row_limit")]
    assert limits == [10, 10, 10]  # 80 bytes, 920 characters


SENTENCES = (
    DAMAGED, "The column has more than 200,000,000 rows, the most that can be read; use a part of it.",
    "The file does not fit into memory; use a part of it or save it as Parquet.",
)  # fmt: skip
"""In which a damaged file may be refused."""


def outcomes(source: Any, contents: list[bytes]) -> list[str]:
    """What each damaged file gives: the sentence of its refusal, or the number of its columns."""
    found = []
    for content in contents:
        try:
            names = list_columns(content)
            for column in read_rows(content, names, find_layout(content)).columns:
                if not isinstance(column, NumberColumn | DataError):
                    raise column
            read_groups(content, names[-1])
            read_people(content, names[0])
            found.append("read")
        except DataError as error:
            found.append(str(error))
    return found


def looked_at_apart(contents: list[bytes]) -> list[str]:
    found: list[str] = read_apart(outcomes, b"", contents)
    return found


@pytest.mark.slow(keep="dta 12")
@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_is_cut_short_is_refused_in_one_sentence(way: str) -> None:
    content = written(way, TABLE[["person", "number"]][:200])
    cuts = sorted({*range(0, len(content) - 64, max(len(content) // 40, 1)), len(content) // 2})
    found = looked_at_apart([content[:cut] for cut in cuts if cut > 8])
    assert "read" not in found
    assert all("zq7" not in each and len(each) < 200 for each in found)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["sav", "zsav", "dta 12", "dta 15"])
def test_bytes_that_are_changed_end_in_a_column_or_a_sentence(way: str) -> None:
    """A child that a file ends takes the other files of its turn with it, and nothing else."""
    content = written(way, TABLE[["person", "number"]][:50])
    draw = random.Random(way)
    damaged = []
    for _ in range(40):
        changed = bytearray(content)
        for _ in range(draw.choice([1, 3, 20])):
            changed[draw.randrange(4, len(changed))] = draw.randrange(256)
        damaged.append(bytes(changed))
    found = []
    for start in range(0, len(damaged), 10):
        turn = damaged[start : start + 10]
        try:
            found += looked_at_apart(turn)
        except ValueError as error:
            found += [str(error)] * len(turn)
    assert len(found) == len(damaged)
    of_text = {each for each in found if each.startswith("The file is not CSV")}
    assert set(found) <= {"read", NO_USE, *SENTENCES} | of_text


def test_a_file_needs_its_extra_and_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"SPSS": written("sav", TABLE[["number"]]), "Stata": written("dta 15", TABLE[["number"]])}
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    for name, content in files.items():
        with refused(rf"{name} files are read by an extra that is not installed: pip install 'dpq-core\[survey\]'"):
            list_columns(content)


def test_a_child_tells_the_way_out_where_an_extra_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = written("sav", TABLE[["number"]])
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['pyreadstat'] = None\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    nursery = Nursery(MEMORY)
    monkeypatch.setattr(POOL, "nursery", nursery)
    with refused(r"pip install 'dpq-core\[survey\]'"):
        read_apart(find_layout, content)
    nursery.close()


@pytest.mark.slow
def test_only_the_child_that_opens_files_loads_the_library(tmp_path: Path) -> None:
    (tmp_path / "a.sav").write_bytes(written("sav", TABLE[["number"]]))
    code = (
        "import sys; from dpq_core.jobs.queue import read_apart;"
        "from dpq_core.sources.files import find_layout, read_rows;"
        "path = sys.argv[1]; layout = read_apart(find_layout, path);"
        "(column,), *_ = read_apart(read_rows, path, ['number'], layout);"
        "print(column.rows, 'pyreadstat' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.sav")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (run.stdout.split(), run.stderr) == ([str(ROWS), "False"], "")


@pytest.mark.parametrize("claimed", [2**32, 2**62, 2**63 + ROWS, 2**32 + ROWS, 2**31 + 5], ids=hex)
def test_a_stata_file_that_claims_more_rows_than_it_has_is_refused(claimed: int) -> None:
    """The library keeps 32 bits of the number, which has 64 since Stata 14."""
    content = written("dta 14", TABLE[["visits"]])
    start = content.index(b"<N>") + len(b"<N>")
    assert content[start:].startswith(ROWS.to_bytes(8, "little") + b"</N>")
    with pytest.raises(DataError, match="damaged"):
        read_column(io.BytesIO(content[:start] + claimed.to_bytes(8, "little") + content[start + 8 :]), "visits")
    assert read_column(io.BytesIO(content), "visits").rows == ROWS
