"""Names of groups and persons match as people type them, the same in every format of a file."""

import csv
import datetime as dt
import io
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
import sqlalchemy as sql
from hypothesis import example, given
from hypothesis import strategies as st

from dpq_core import Column, Domain
from dpq_core.cluster.ids import words_of
from dpq_core.errors import ParameterError
from dpq_core.groups.names import GroupColumn
from dpq_core.noise.tie_breaking import Key
from dpq_core.people.ids import People
from dpq_core.sources.databases import Database
from dpq_core.sources.files import find_layout, read_groups, read_people
from dpq_core.texts import name_in_file, plain_text
from tests.sources.made import parquet, workbook

NFD = unicodedata.normalize("NFD", "Genève")
CITY = [
    "Genève", NFD, " Genève ", "\u202eGen\u200bève\u202c", "Zürich", "St. Gallen", "St.\u00a0Gallen", "St.  Gallen",
    "\ufeffSt. Gallen",
]  # fmt: skip
PRINTED = ["18–24", "18-24", "Côte d’Ivoire", "Nord\u00adsee", "Ａ１", "“x”", "18_24"]


def as_csv(cells: list[Any]) -> bytes:
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([["at", "v"], *([("" if cell is None else cell), 1] for cell in cells)])
    return written.getvalue().encode()


def as_parquet(cells: list[Any]) -> bytes:
    return parquet({"at": pa.array(cells), "v": pa.array([1] * len(cells))})


def as_sheet(cells: list[Any]) -> bytes:
    shown = [(cell, "yyyy-mm-dd hh:mm") if isinstance(cell, dt.datetime) else cell for cell in cells]
    return workbook([["at", "v"], *([cell, 1] for cell in shown)])


def of_parquet(cells: pa.Array) -> GroupColumn:
    return read_groups(parquet({"at": cells}), "at")


FORMATS = [as_csv, as_parquet, as_sheet]


def sizes(groups: Any, names: list[Any], **more: Any) -> list[int]:
    """How many rows each group of a list has."""
    rows = len(groups.codes if isinstance(groups, GroupColumn) else groups)
    column = Column.from_values(np.ones(rows), Domain(0, 2), groups=groups, names=names, **more)
    return list(map(int, column.sizes))


def codes(content: bytes, names: list[Any]) -> list[int]:
    """The places of rows in a list of names: with the list in the reader, and without it."""
    column = read_groups(content, "at", names=names, header=None if content.startswith(b"PAR1") else True)
    every = read_groups(content, "at", header=None if content.startswith(b"PAR1") else True)
    assert sizes(column, names) == sizes(every, names)
    assert sizes(column, names) == [int((column.codes == at).sum()) for at in range(len(names))]
    return [int(code) for code in column.codes]


@pytest.mark.slow(one_in=7)
@pytest.mark.parametrize("write", FORMATS)
@pytest.mark.parametrize(("cells", "names", "places"), [
    (CITY, ["Genève", "Zürich", "St. Gallen"], [0, 0, 0, 0, 1, 2, 2, 2, 2]),
    (CITY, [NFD, "Zürich ", "St.\u2009Gallen"], [0, 0, 0, 0, 1, 2, 2, 2, 2]),
    (["None", "NA", "nil", "-", "nan", "x", None], ["None", "NA", "nil", "-", "nan"], [0, 1, 2, 3, 4, -1, -1]),
    ([True, False, True], ["True", "FALSE"], [0, 1, 0]), ([1, 2, 1], ["1", 2.0], [0, 1, 0]),
    ([1.0, 2.0, 1.5], ["1", 2, "1.5"], [0, 1, 2]),
    ([dt.datetime(2024, 1, 31), dt.datetime(2024, 1, 31, 9, 30)], ["2024-01-31", "2024-01-31 09:30"], [0, 1]),
    (["007", "7", "7.10", "7.1"], ["7", "007", "7.1"], [1, 0, -1, 2]),
    (PRINTED, ["18-24", "Côte d'Ivoire", "Nordsee", "A1", '"x"'], [0, 0, 1, 2, 3, 4, -1]),
    (PRINTED[:2], ["18-24", "18–24"], [1, 0]),
])  # fmt: skip
def test_a_list_finds_its_groups(write: Any, cells: list[Any], names: list[Any], places: list[int]) -> None:
    assert codes(write(cells), names) == places


def test_two_names_of_one_group_are_refused() -> None:
    for names in (["True", "TRUE"], ["1", "1.0"], ["a", " "]):
        with pytest.raises(ParameterError, match="names"):
            read_groups(as_csv(["x", "y"]), "at", names=names, header=True)


def survey(suffix: str, cells: Any, folder: Path, **settings: Any) -> GroupColumn:
    path = folder / f"a{suffix}"
    write = pyreadstat.write_sav if suffix == ".sav" else pyreadstat.write_dta
    write(pd.DataFrame({"at": cells, "v": [1.0] * len(cells)}), path, **settings)
    return read_groups(path, "at")


def of_database(cells: list[Any], held: Any, folder: Path) -> GroupColumn:
    url = f"sqlite:///{folder / 'a.db'}"
    engine = sql.create_engine(url)
    frame = sql.Table("t", sql.MetaData(), sql.Column("at", held), sql.Column("v", sql.Float))
    with engine.begin() as connection:
        frame.create(connection)
        connection.execute(frame.insert(), [{"at": cell, "v": 1.0} for cell in cells])
    engine.dispose()
    found = Database(url, table="t").rows(["v"], by=["at"]).groups[0]
    assert found is not None
    return found


DAYS = [dt.datetime(2024, 1, 31), dt.datetime(2024, 2, 1, 9, 30)]
TYPED: dict[str, tuple[Callable[[Path], GroupColumn], list[str], str]] = {
    "whole numbers of Parquet": (lambda _: of_parquet(pa.array([1, 2])), ["1", "north", "2.5"],
                                 "whole numbers, so no row can be in north, 2.5"),
    "truth values of Parquet": (lambda _: of_parquet(pa.array([True])), ["True", "smoker"],
                                "truth values, so no row can be in smoker"),
    "numbers of Parquet": (lambda _: of_parquet(pa.array([1.5])), ["1.5", "x"],
                           "numbers, so no row can be in x"),
    "days of Parquet": (lambda _: of_parquet(pa.array([0], pa.date32())), ["1970-01-01", "1970"],
                        "dates, so no row can be in 1970"),
    "moments of Parquet": (lambda _: of_parquet(pa.array([0], pa.timestamp("s"))),
                           ["1970-01-01", "1970-01-01 10:00", "May"], "dates and times, so no row can be in May"),
    "entries of Parquet": (lambda _: of_parquet(pa.array([1, 2]).dictionary_encode()), ["1", "x"],
                           "whole numbers, so no row can be in x"),
    "numbers of a sheet": (lambda _: read_groups(as_sheet([1, 2.5, None]), "at", header=True), ["1", "north"],
                           "numbers, so no row can be in north"),
    "truth values of a sheet": (lambda _: read_groups(as_sheet([True, False]), "at", header=True), ["TRUE", "1"],
                                "truth values, so no row can be in 1"),
    "moments of a sheet": (lambda _: read_groups(as_sheet(DAYS), "at", header=True), ["2024-01-31", "May"],
                           "dates and times, so no row can be in May"),
    "numbers of SPSS": (lambda path: survey(".sav", [1.0, 2.5], path), ["1", "north"],
                        "numbers, so no row can be in north"),
    "dates of SPSS": (lambda path: survey(".sav", [0.0], path, variable_format={"at": "DATE11"}), ["1582-10-14", "May"],
                      "dates and times, so no row can be in May"),
    "whole numbers of Stata": (lambda path: survey(".dta", np.array([1, 2], np.int32), path), ["1", "2.5"],
                               "whole numbers, so no row can be in 2.5"),
    "numbers of a database": (lambda path: of_database([1.5, 2.0, None], sql.Float, path), ["1.5", "north"],
                              "numbers, so no row can be in north"),
    "whole numbers of a database": (lambda path: of_database([1, 2], sql.Integer, path), ["1", "north"],
                                    "whole numbers, so no row can be in north"),
}  # fmt: skip


@pytest.mark.parametrize("column", TYPED)
def test_a_listed_name_that_no_cell_of_the_type_can_have_is_refused(column: str, tmp_path: Path) -> None:
    read, names, told = TYPED[column]
    groups = read(tmp_path)
    sentence = f"must be names that rows can have. The column of groups holds {re.escape(told)}[.]$"
    with pytest.raises(ParameterError, match=sentence):
        sizes(groups, names)
    sizes(groups, names[:1])
    sizes(groups, names[:1], other="the rest")


def test_a_code_for_a_label_and_a_value_that_is_declared_missing_are_refused(tmp_path: Path) -> None:
    cells, labels = [1.0, 2.0, -9.0], {"at": {1.0: "north", -9.0: "Refused"}}
    groups = survey(".sav", cells, tmp_path, variable_value_labels=labels, missing_ranges={"at": [-9]})
    assert sizes(groups, ["north", "2", "7"]) == [1, 1, 0]
    for name, why in {
        "1": r"has labels \(north\), and", "Refused": "to be missing", "-9": "to be missing",
        "south": r"numbers with labels \(north\), so",
    }.items():  # fmt: skip
        with pytest.raises(ParameterError, match=why):
            sizes(groups, ["north", name])
    letters = {"at": {1: "north", "a": "Refused"}}
    settings = {"variable_value_labels": letters, "missing_user_values": {"at": ["a"]}}
    groups = survey(".dta", pd.Series([1, 2, "a"], dtype=object), tmp_path, **settings)
    assert sizes(groups, ["north", "2"]) == [1, 1]
    with pytest.raises(ParameterError, match="to be missing"):
        sizes(groups, ["Refused"])


def test_a_name_that_the_encoding_of_the_file_cannot_hold_is_refused() -> None:
    content = "at,v\nŁódź,1\nGdańsk,1\n".encode("cp1250")
    groups = read_groups(content, "at", layout=find_layout(content, header=True, encoding="cp1250"))
    assert sizes(groups, ["Łódź", "Gdańsk"]) == [1, 1]
    guessed = read_groups(content, "at", header=True)
    with pytest.raises(ParameterError, match=r"read as Windows-1252, which does not have these letters, so .* Łódź[.]"):
        sizes(guessed, ["Łódź", "north"])
    vietnamese = "at,v\nHu\u00ea\u0301,1\n".encode("cp1258")
    groups = read_groups(vietnamese, "at", layout=find_layout(vietnamese, header=True, encoding="cp1258"))
    assert sizes(groups, ["Huế"]) == [1]


def test_where_any_name_is_possible_nothing_is_refused(tmp_path: Path) -> None:
    columns = [
        read_groups(as_csv([1, 2]), "at", header=True), read_groups(as_sheet([1, "x"]), "at", header=True),
        survey(".dta", ["1", "2"], tmp_path), of_parquet(pa.array(["1"])),
    ]  # fmt: skip
    for groups in columns:
        assert groups.holds == ""
        sizes(groups, ["1", "north"])


@pytest.mark.parametrize("write", FORMATS)
def test_persons_go_by_the_same_rule(write: Any) -> None:
    ids = ["José", unicodedata.normalize("NFD", "José"), "JOSÉ", "A\u00a01", "A 1", "NA", "None", None, "x", " x"]
    content = write(ids)
    people = read_people(content, "at", header=None if content.startswith(b"PAR1") else True)
    assert people.codes.tolist() == [0, 0, 1, 2, 2, -1, -1, -1, 3, 3]
    assert read_people(as_csv(["1", "1.0", "01"]), "at", header=True).codes.tolist() == [0, 0, 1]
    assert read_people(write(["A-1", "A–1", "O’D", "O'D", "Ａ", "A"]), "at").codes.tolist() == [0, 1, 2, 3, 4, 5]


def test_ids_and_groups_in_memory_are_texts_by_the_same_rule() -> None:
    ids = [NFD, "Genève", "A\u00a01", "A  1", " ", None, "NA", "none", "7.0", "7", "07", "TRUE", "true"]
    for column in (ids, pd.Series(ids, dtype=object), pd.Series(ids, dtype="category"), pa.array(ids), [*ids, 7]):
        codes = People.of(column).codes[: len(ids)].tolist()
        assert [codes.index(code) if code >= 0 else -1 for code in codes] == [
            0, 0, 2, 2, -1, -1, -1, -1, 8, 8, 10, 11, 11
        ]  # fmt: skip
        words = words_of(column, 1, Key(b"k" * 32), whole=False)[: len(ids)]
        assert [tuple(one) == tuple(two) for one in words for two in words] == [
            at == other or one == two >= 0 for at, one in enumerate(codes) for other, two in enumerate(codes)
        ]
    assert sizes([NFD, "Genève", "A\u00a01", "B"], ["Genève", "A 1"]) == [2, 1]
    assert sizes(GroupColumn(np.array([0, 1], np.int32), ("1", "true")), [1, "TRUE"]) == [1, 1]


def test_a_database_has_the_same_names(tmp_path: Any) -> None:
    url = f"sqlite:///{tmp_path / 'names.db'}"
    engine = sql.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sql.text("CREATE TABLE t (at TEXT, who TEXT, v REAL)"))
        for at in CITY:
            connection.execute(sql.text("INSERT INTO t VALUES (:at, :at, 1)"), {"at": at})
    rows = Database(url, table="t").rows(["v"], person="who", by=["at"])
    assert rows.people is not None
    assert rows.people.count == 3
    assert sizes(rows.groups[0], ["Genève", "Zürich", "St. Gallen"]) == [4, 1, 4]


TEXTS = st.text(alphabet=st.sampled_from("aé\u0301\u00a0 \t\u2009\u200b1.0-:T"), max_size=12) | st.text(max_size=12)


@given(TEXTS)
@example("2024-01-01T00:00:00.000")
@example("-0.0")
@example("TRUE ")
def test_a_name_has_one_form(text: str) -> None:
    for form in (plain_text, name_in_file):
        found = form(text)
        if found is None:
            assert not plain_text(text)
            continue
        assert form(found) == found
        assert form(f" {unicodedata.normalize('NFD', text)}\u00a0") == found


@pytest.mark.slow
@given(st.lists(TEXTS | st.none(), min_size=1, max_size=8))
def test_a_column_of_texts_has_the_form_of_each(cells: list[str | None]) -> None:
    found = read_groups(as_parquet([*cells, "end"]), "at")
    named = [None if cell is None else name_in_file(cell) for cell in [*cells, "end"]]
    assert [found.found[code] if code >= 0 else None for code in found.codes.tolist()] == named
