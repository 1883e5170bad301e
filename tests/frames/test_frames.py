"""Releases and studies as tables: data frames, CSV, Arrow, and what a notebook shows."""

import io
import json
import os
import pickle
import re
import sys
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import inf, nan
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import dpq_core as dpq
from dpq_core import Column, Domain, Plan, Release, Study
from dpq_core import frame as rows
from dpq_core import tabular as notebook
from dpq_core.columns_plan import ColumnsPlan
from dpq_core.frame import level_text
from dpq_core.privacy.budgets import Guarantee
from dpq_core.release import Cells

DOMAIN = Domain(0, 100, 1)
PLAN = Plan(["1/3", "1/2"], "aq", epsilon=1)
SURE = Plan([0.01, 0.5, 0.99], "aq", epsilon=1, intervals=0.95, about_n=1000)
VALUES = np.arange(1000) % 90
SAMPLE = Column.from_values(VALUES, DOMAIN, seed=0)
GUARANTEE = Guarantee(epsilon=1.0, delta=0.0, rho=None, adjacency=dpq.Adjacency.ADD_REMOVE, exact=True)
HOSTILE = "<script>alert(1)</script>"


NORTH_AND_SOUTH: dict[Any, tuple[float, ...]] = {"north": (30.0, 40.0), "south": (31.0, 41.0)}


def grouped(values: dict[Any, tuple[float, ...]] = NORTH_AND_SOUTH, **changed: Any) -> Release:
    cells = Cells(groups=tuple(values), values=tuple(values.values()), guarantee=GUARANTEE, plan=PLAN, domain=DOMAIN)
    cells = replace(cells, **changed)
    return Release(cells=(cells,), guarantee=cells.guarantee, plan=ColumnsPlan.of([cells.column], cells.plan), made="")


def whole(values: tuple[float, ...] = (30.0, 40.0), **changed: Any) -> Release:
    return grouped({(): values}, **changed)


def columns(**releases: Release) -> Release:
    cells = tuple(replace(each.cells[0], column=name) for name, each in releases.items())
    plan = ColumnsPlan.of(releases, {each.column: each.plan for each in cells})
    return Release(cells=cells, guarantee=GUARANTEE, plan=plan, made="")


def study(trials: int = 3, column: Any = SAMPLE, **changed: Any) -> Study:
    found = dpq.simulate(column, PLAN, trials=trials, seed=5)
    return replace(found, cells=(replace(found.cells[0], **changed),))


def group_study(trials: int = 3, **changed: Any) -> Study:
    groups = Column.from_values(VALUES, DOMAIN, groups=["a", "b"] * 500, names=["a", "b"], seed=0)
    return study(trials, groups, **changed)


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────────────────────

ENDS = (((0.0, 35.0), (38.0, 100.0)),)
NOTHING = replace(PLAN, quantiles=())
TURNED = whole(plan=replace(PLAN, quantiles=(Fraction(1, 2), Fraction(1, 3))))
PAIRS: dict[Any, tuple[float, ...]] = {("north", 2): (30.0, 40.0), ("south", 1): (31.0, 41.0)}
REPEATED = whole(plan=Plan(["1/2", "1/3", "1/2"], "aq", epsilon=1), values=(40.0, 30.0, 40.5))
ERRORS = np.array([[[0.0, -1.0]], [[2.0, 3.0]], [[-4.0, 0.5]]])
fixed = partial(study, values=30 + ERRORS, signed_rank_errors=ERRORS)
SOME_FOUND = group_study(
    values=np.stack([[[30.0, 40.0], [nan, nan]], [[nan, nan]] * 2, [[31.0, 41.0], [32.0, 42.0]]]),
    signed_rank_errors=np.stack([[[1.0, -2.0], [nan, nan]], [[nan, nan]] * 2, [[3.0, 0.0], [4.0, 5.0]]]),
)
NO_NUMBERS = np.empty((3, 1, 0))
TABLES: dict[str, Any] = {
    "a column": whole(), "intervals, with an end at a bound": whole(intervals=ENDS),
    "no levels": whole(plan=NOTHING, values=()),
    "rho": whole(plan=Plan(PLAN.quantiles, "aq", rho=0.5), guarantee=replace(GUARANTEE, epsilon=inf, rho=0.5)),
    "persons": whole(guarantee=replace(GUARANTEE, protects="person")),
    "replaced": whole(guarantee=replace(GUARANTEE, adjacency=dpq.Adjacency.REPLACE_ONE, delta=1e-6)),
    "groups": grouped(), "no groups": grouped({}),
    "groups by two columns, one of which is called as a heading": grouped(PAIRS, by=("office", "level")),
    "groups of unnamed columns": grouped(PAIRS),
    "names that are not all whole numbers": grouped({"1": (30.0, 40.0), 2: (31.0, 41.0)}),
    "groups by a column that is called as a level": grouped(by=("50 % · median",)),
    "columns": columns(age=TURNED, pay=grouped(by=("office",)), days=grouped(PAIRS, by=("office", "year"))),
    "a level asked twice": columns(age=REPEATED, pay=grouped(by=("1/3",))), "a study": fixed(),
    "a study with intervals": fixed(covered=np.array([[[True, False]]] * 2 + [[[False, False]]])),
    "a study of a sketch": fixed(rank_error_slack=7), "a study of groups that a trial did not find": SOME_FOUND,
    "a study without levels": study(plan=NOTHING, values=NO_NUMBERS, signed_rank_errors=NO_NUMBERS),
}  # fmt: skip
APPROVED = Path(__file__).with_name("tables.txt")


def shown() -> str:
    """Return what every table says in files, of itself, in a shell and in a notebook; one version stands for all."""
    lines = []
    for name, found in TABLES.items():
        lines += [
            f"════ {name}",
            found.to_csv(),
            found.to_csv(wide=True),
            str(dict(found.to_frame().dtypes.astype(str))),
        ]
        lines += [found.summary().to_csv(index=False)] if isinstance(found, Study) else []
        lines += [
            json.dumps(found.to_frame().attrs),
            repr(found),
            re.sub(r"(?s)<style.*?</style>|\n\s*", "", found._repr_html_()),
        ]
    text = "\n".join(lines).replace(dpq.__version__, "VERSION") + "\n"
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", "MADE", text)


@pytest.mark.slow
def test_tables_are_those_that_were_approved():
    """`APPROVE=1` writes them anew."""
    if os.environ.get("APPROVE"):
        APPROVED.write_text(shown(), encoding="utf-8")
    assert shown() == APPROVED.read_text(encoding="utf-8")


@pytest.mark.slow
def test_an_end_at_a_bound_is_open():
    frame = whole(intervals=ENDS).to_frame()
    assert frame["low"].tolist() == [-inf, 38.0]
    assert frame["high"].tolist() == [35.0, inf]
    release = dpq.release(Column.from_values(VALUES, DOMAIN), SURE)
    held = [(low if low > 0 else -inf, high if high < 100 else inf) for low, high in release.intervals["column"]]
    assert list(zip(release.to_frame()["low"], release.to_frame()["high"], strict=True)) == held


def test_what_a_frame_says_of_itself_can_be_written_with_it(tmp_path):
    frame = whole().to_frame()
    frame.to_parquet(tmp_path / "answers.parquet")
    assert pd.read_parquet(tmp_path / "answers.parquet").attrs == frame.attrs


@pytest.mark.parametrize("names", [("1", 2), (1, 2**63), ("other", 2)])
def test_names_that_are_not_all_whole_numbers_are_texts(names):
    frame = grouped(dict.fromkeys(names, (30.0, 40.0))).to_frame()
    assert frame["group"].tolist() == [str(names[0])] * 2 + [str(names[1])] * 2


def test_a_heading_that_is_taken_twice_is_numbered_on():
    found = rows.different(["level", "level", "x", "level (2)"], ["level"])
    assert found == ["level (2)", "level (3)", "x", "level (2) (2)"]


@pytest.mark.parametrize("level", ["1/3", "1/7", "0.0001", "1/2", "0", "1", "0.123456", "1e-9"])
def test_no_spreadsheet_takes_a_level_for_a_date(level):
    assert re.match(r"[\d.e-]+ %", level_text(Fraction(level)))


def test_a_study_has_a_row_for_each_answer_of_each_trial():
    found, frame = study(trials=50), study(trials=50).to_frame()
    assert frame["trial"].tolist() == np.arange(50).repeat(2).tolist()
    assert frame["value"].tolist() == found.values["column"].ravel().tolist()
    assert frame["rank_error"].tolist() == found.rank_errors["column"].ravel().tolist()
    summary = found.summary()
    low, high = np.percentile(found.signed_rank_errors["column"], [2.5, 97.5], axis=0)
    assert summary["mean_rank_error"].tolist() == pytest.approx(found.rank_errors["column"].mean(axis=0).tolist())
    assert summary["rank_error_low"].tolist() == pytest.approx(low.tolist())
    assert summary["rank_error_high"].tolist() == pytest.approx(high.tolist())


def test_several_columns_of_a_study_follow_each_other_in_each_trial():
    groups = Column.from_values(VALUES, DOMAIN, groups=["a", "b"] * 500, names=["a", "b"], seed=0)
    found = dpq.simulate({"x": SAMPLE, "y": groups}, PLAN, trials=2, seed=5)
    frame = found.to_frame()
    assert frame["column"].tolist() == (["x"] * 2 + ["y"] * 4) * 2
    assert frame["trial"].tolist() == [0] * 6 + [1] * 6
    of_y = frame[frame["column"] == "y"]["value"].to_numpy().reshape(2, 2, 2)
    assert (of_y == found.values["y"]).all()
    assert found.summary()["group"].tolist() == ["", "", "a", "a", "b", "b"]
    assert "Simulation, not private." in repr(found)


# ── files and Arrow ──────────────────────────────────────────────────────────────────────────────────────────────────


OF_FILES = ["remark", "mechanism", "account", "release_id", "date", "label"]
"""What files of releases say at the end of each row."""


def test_csv_is_the_frame():
    found = columns(age=whole(intervals=(((0.0, 35.0), (38.0, 45.0)),)), pay=grouped())
    read = pd.read_csv(io.StringIO(found.to_csv()), keep_default_na=True)
    frame = found.to_frame()
    assert list(read) == [*frame, *OF_FILES]
    for name in ("level", "value", "low", "high"):
        assert np.array_equal(read[name], frame[name], equal_nan=True)
    wide = pd.read_csv(io.StringIO(found.to_csv(wide=True)))
    assert list(wide) == [*found.to_frame(wide=True), *OF_FILES[1:]]


def test_csv_goes_to_a_path_and_computes_nothing(tmp_path):
    found = grouped({"=1+1": (30.0, 40.0), "ü": (1.0, 2.0)}, by=("@office",))
    path = tmp_path / "answers.csv"
    assert found.to_csv(path) is None
    assert found.to_csv(str(path)) is None
    text = path.read_bytes().decode("utf-8")
    assert text == found.to_csv()
    assert text.startswith("column,'@office,level")
    assert "\ncolumn,'=1+1,0.3333" in text


def test_csv_of_a_study_says_that_it_is_not_private():
    found = group_study(by=("label",))
    read = pd.read_csv(io.StringIO(found.to_csv()))
    assert list(read)[-2:] == ["unit", "label (2)"]
    assert set(read["label (2)"]) == {"Simulation, not private."}
    assert "not private" not in whole().to_csv()


def test_arrow_reads_releases_and_studies():
    for found in (whole(), grouped(), columns(a=whole(), b=grouped()), study(), group_study()):
        table: pa.Table = pa.table(found)
        frame = found.to_frame()
        assert table.column_names == list(frame)
        assert table["value"].to_pylist() == frame["value"].tolist()
        assert table["quantile"].to_pylist() == frame["quantile"].tolist()
    assert pa.table(whole())["low"].null_count == 2


def test_a_release_is_no_column_of_data():
    for found in (whole(), grouped(), columns(a=whole())):
        with pytest.raises(dpq.DataError):
            Column.from_values(found, DOMAIN)


# ── notebooks ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_long_table_is_shown_in_part():
    many = grouped({f"group {at}": (1.0, 2.0) for at in range(16)})
    assert repr(many).splitlines()[-1] == "... and 12 more rows"
    assert len(re.findall(r"group \d", repr(many))) == 20
    assert "... and 12 more rows" in many._repr_html_()
    assert "more row" not in repr(grouped())
    assert repr(grouped(dict.fromkeys("abcdefghij", (1.0, 2.0)))).count("\n") == 21


@pytest.mark.parametrize("trials", [1, 2, 7, 30])
def test_what_is_shown_of_a_study_are_its_first_rows(trials):
    groups = Column.from_values(VALUES, DOMAIN, groups=["a", "b"] * 500, names=["a", "b"], seed=0)
    found = dpq.simulate({"y": groups, "x": SAMPLE}, PLAN, trials=trials, seed=5)
    for each in (study(trials), group_study(trials), found):
        shown = each._first_rows()
        pd.testing.assert_frame_equal(shown, each.to_frame().head(20)[list(shown)])
        assert {"trial", "column", "value", "rank_error"} <= set(shown)


def test_a_large_study_is_not_built_to_be_shown(monkeypatch):
    built = []

    def watched(parts: list[rows.Rows], **chosen: bool) -> pd.DataFrame:
        built.append(sum(numbers.size for part in parts for numbers in part.numbers.values()))
        return frame_of(parts, **chosen)

    frame_of = rows.frame_of
    monkeypatch.setattr(notebook, "frame_of", watched)
    shape = (1000, 2000, 2)
    numbers = np.broadcast_to(np.float64(1), shape)  # 4 million answers, in one number
    names = tuple(f"g{at}" for at in range(2000))
    large = group_study(values=numbers, signed_rank_errors=numbers, groups=names)
    assert repr(large).endswith("... and 3,999,980 more rows")
    assert "1,000 trials of 4,000 answers" in large._repr_html_()
    assert max(built) <= 3 * 20


def test_remarks_on_a_release_are_made_once(monkeypatch):
    judge = Mock(return_value=(False, False))
    monkeypatch.setattr(sys.modules["dpq_core.release"], "far_answers", judge)
    found = columns(c=grouped({"f": (1.0, 2.0), "m": (3.0, 4.0)}))
    assert [found.to_csv() and repr(found) and found._repr_html_() for _ in range(2)]
    assert judge.call_count == 2


def test_a_study_says_on_top_that_it_is_not_private():
    assert repr(study()).startswith(
        "Simulation, not private. 3 trials of 2 answers · a release would spend ε = 1 where one record joins or leaves"
        " · seed 5\n"
    )
    assert study()._repr_html_().startswith("<div><p><strong>Simulation, not private.</strong></p>")
    assert "not private" not in repr(whole()) + whole()._repr_html_()


def test_no_name_is_markup_in_a_notebook(monkeypatch):
    found = columns(**{f"{HOSTILE}c": grouped({HOSTILE: (1.0, 2.0)}, by=(f"{HOSTILE}b",))})
    monkeypatch.setattr(type(found), "warnings", (f"{HOSTILE}c: {HOSTILE}w",))
    shown = found._repr_html_()
    assert "<script" not in shown
    assert shown.count("&lt;script&gt;") == 2 + 1 + 2 * 2, (
        "in the warning, in the heading, and in two cells of two rows"
    )
    assert shown.index("w</p>") < shown.index("answers")


# ── by name ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_answers_are_looked_up_by_name():
    found = columns(age=whole(), pay=grouped({("north", "f"): (1.0, 2.0)}))
    assert found.values == {"age": (30.0, 40.0), "pay": {("north", "f"): (1.0, 2.0)}}
    assert found["age"] is found.cells[0]
    assert (list(found), len(found)) == (["age", "pay"], 2)
    assert dict(found.items()) == {"age": found["age"], "pay": found["pay"]}
    assert "pay" in found
    assert "north" not in found
    assert found._ipython_key_completions_() == ["age", "pay"]
    assert not hasattr(found, "keys")


def test_a_name_that_is_not_there_is_refused_with_the_nearest_one():
    found = columns(north=whole())
    with pytest.raises(
        dpq.ParameterError, match=r"`name` must be one of this release's, such as 'north', got 'norht'\."
    ):
        found["norht"]
    with pytest.raises(dpq.ParameterError, match=r"`name` must be one of this release's, got 'salary'\."):
        found["salary"]


# ── what stays ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_releases_compare_by_what_they_hold():
    assert whole() == whole()
    assert whole() != whole(values=(30.0, 41.0))
    assert grouped() == pickle.loads(pickle.dumps(grouped()))
    assert columns(a=whole()) == columns(a=whole())
    with pytest.raises(AttributeError):
        whole().cells = ()  # type: ignore[misc]


def test_the_package_lists_its_public_names():
    assert dir(dpq) == sorted(dpq.__all__)
