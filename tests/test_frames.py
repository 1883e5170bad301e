"""Releases and studies as tables: data frames, CSV, Arrow, and what a notebook shows."""

from __future__ import annotations

import io
import json
import pickle
import re
import warnings
from dataclasses import replace
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import dpq_core as dpq
from dpq_core import Domain, GroupedRelease, Groups, GroupStudy, Plan, QuantileRelease, Sample, Study
from dpq_core.frames import cells, level_text, notebook

DOMAIN = Domain(0, 100, 1)
PLAN = Plan(["1/3", "1/2"], "aq", epsilon=1)
SURE = Plan([0.01, 0.5, 0.99], "aq", epsilon=1, intervals=0.95, about_n=1000)
VALUES = np.arange(1000) % 90
SAMPLE = Sample.from_values(VALUES, DOMAIN, seed=0)
GUARANTEE = dpq.Guarantee(epsilon=1.0, delta=0.0, rho=None, adjacency=dpq.Adjacency.ADD_REMOVE, exact=True)
COLUMNS = ["column", "level", "quantile", "value", "low", "high"]
HOSTILE = "<script>alert(1)</script>"


def whole(**changed: Any) -> QuantileRelease:
    return replace(QuantileRelease(values=(30.0, 40.0), guarantee=GUARANTEE, plan=PLAN, domain=DOMAIN), **changed)


def grouped(**changed: Any) -> GroupedRelease:
    values: dict[Any, tuple[float, ...]] = {"north": (30.0, 40.0), "south": (31.0, 41.0)}
    return replace(GroupedRelease(values=values, guarantee=GUARANTEE, plan=PLAN, domain=DOMAIN), **changed)


def columns(**releases: QuantileRelease | GroupedRelease) -> dpq.ColumnsRelease[Any]:
    plan = dpq.columns.ColumnsPlan.of(releases, {name: each.plan for name, each in releases.items()})
    return dpq.ColumnsRelease(releases=releases, guarantee=GUARANTEE, plan=plan)


def study(trials: int = 3, **changed: Any) -> Study:
    return replace(dpq.simulate(SAMPLE, PLAN, trials=trials, seed=5), **changed)


def group_study(trials: int = 3) -> GroupStudy:
    groups = Groups.from_values(VALUES, ["a", "b"] * 500, DOMAIN, names=["a", "b"], seed=0)
    return dpq.simulate(groups, PLAN, trials=trials, seed=5)


# ── releases ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_release_of_one_column():
    frame = whole().to_frame()
    assert list(frame) == COLUMNS
    assert frame["column"].tolist() == ["column"] * 2
    assert frame["level"].tolist() == [1 / 3, 0.5]
    assert frame["quantile"].tolist() == ["33.33 % (1/3)", "50 % · median"]
    assert frame["value"].tolist() == [30.0, 40.0]
    assert frame[["low", "high"]].isna().all(axis=None)
    assert frame.dtypes.astype(str).to_dict() == {
        "column": "str", "level": "float64", "quantile": "str", "value": "float64", "low": "float64", "high": "float64",
    }  # fmt: skip


def test_what_a_frame_says_of_itself_can_be_written_with_it(tmp_path):
    frame = whole().to_frame()
    assert frame.attrs == {
        "private": False,
        "guarantee": GUARANTEE.as_dict(),
        "adjacency": "add_remove",
        "version": dpq.__version__,
    }
    frame.to_parquet(tmp_path / "answers.parquet")
    assert pd.read_parquet(tmp_path / "answers.parquet").attrs == frame.attrs
    assert json.loads(json.dumps(study().to_frame().attrs))["seed"] == 5


def test_an_end_at_a_bound_is_open():
    ends = ((0.0, 35.0), (38.0, 100.0))
    frame = whole(intervals=ends).to_frame()
    assert frame["low"].tolist() == [-inf, 38.0]
    assert frame["high"].tolist() == [35.0, inf]
    assert "-inf" in whole(intervals=ends).to_csv()


def test_intervals_of_a_drawn_release_are_those_that_it_holds():
    release = dpq.release(Sample.from_values(VALUES, DOMAIN), SURE)
    frame = release.to_frame()
    held = [(low if low > 0 else -inf, high if high < 100 else inf) for low, high in release.intervals]
    assert list(zip(frame["low"], frame["high"], strict=True)) == held
    assert frame["low"].iloc[0] == -inf


def test_groups_are_rows_in_their_order():
    frame = grouped().to_frame()
    assert list(frame) == ["column", "group", *COLUMNS[1:]]
    assert frame["group"].tolist() == ["north", "north", "south", "south"]
    assert frame["value"].tolist() == [30.0, 40.0, 31.0, 41.0]


def test_each_column_of_groups_has_its_own_name():
    found = grouped(values={("north", 2): (30.0, 40.0), ("south", 1): (31.0, 41.0)}, by=("office", "level"))
    frame = found.to_frame()
    assert list(frame) == ["column", "office", "level (2)", "level", "quantile", "value", "low", "high"]
    assert frame["office"].tolist() == ["north", "north", "south", "south"]
    assert frame["level (2)"].dtype == np.int64
    assert frame["level (2)"].tolist() == [2, 2, 1, 1]
    unknown = grouped(values=found.values).to_frame()
    assert list(unknown)[:3] == ["column", "group", "group (2)"]


@pytest.mark.parametrize("names", [("1", 2), (1, 2**63), ("other", 2)])
def test_names_that_are_not_all_whole_numbers_are_texts(names):
    frame = grouped(values=dict.fromkeys(names, (30.0, 40.0))).to_frame()
    assert frame["group"].tolist() == [str(names[0])] * 2 + [str(names[1])] * 2


def test_a_heading_that_is_taken_twice_is_numbered_on():
    assert cells.different(["level", "level", "x", "level (2)"], ["level"]) == [
        "level (2)", "level (3)", "x", "level (2) (2)",
    ]  # fmt: skip


def test_several_columns_of_which_some_have_groups():
    by_office = grouped(by=("office",))
    by_both = grouped(values={("north", 1): (30.0, 40.0)}, by=("office", "year"))
    found = columns(
        age=whole(plan=replace(PLAN, quantiles=(Fraction(1, 2), Fraction(1, 3)))), pay=by_office, days=by_both
    )
    frame = found.to_frame()
    assert list(frame) == ["column", "office", "year", *COLUMNS[1:]]
    assert frame["column"].tolist() == ["age"] * 2 + ["pay"] * 4 + ["days"] * 2
    assert frame["office"].tolist() == ["", "", "north", "north", "south", "south", "north", "north"]
    assert frame["year"].tolist() == [""] * 6 + ["1", "1"]
    assert frame["level"].tolist() == [0.5, 1 / 3, *[1 / 3, 0.5] * 3]


def test_wide_has_a_row_for_each_group_and_a_column_for_each_level():
    repeated = Plan(["1/2", "1/3", "1/2"], "aq", epsilon=1)
    found = columns(age=whole(plan=repeated, values=(40.0, 30.0, 40.5)), pay=grouped(by=("1/3",)))
    frame = found.to_frame(wide=True)
    assert list(frame) == ["column", "1/3", "50 % · median", "33.33 % (1/3)", "50 % · median (2)"]
    assert frame["column"].tolist() == ["age", "pay", "pay"]
    assert frame["33.33 % (1/3)"].tolist() == [30.0, 30.0, 31.0]
    assert frame["50 % · median"].tolist() == [40.0, 40.0, 41.0]
    assert frame["50 % · median (2)"].isna().tolist() == [False, True, True]
    taken = grouped(by=("50 % · median",)).to_frame(wide=True)
    assert list(taken) == ["column", "50 % · median (2)", "33.33 % (1/3)", "50 % · median"]
    assert frame.attrs == found.to_frame().attrs


def test_without_levels_or_groups_a_table_has_no_rows():
    nothing = replace(PLAN, quantiles=())
    for found in (
        whole(plan=nothing, values=()),
        grouped(values={}),
        grouped(plan=nothing, values={"a": ()}),
        columns(a=grouped(values={})),
        study(plan=nothing, values=np.empty((3, 0)), signed_rank_errors=np.empty((3, 0))),
    ):
        assert found.to_frame().empty
        assert found.to_frame()["level"].dtype == np.float64
        assert "0 answers" in repr(found)
        assert "<table" not in found._repr_html_()
    assert whole(plan=nothing, values=()).to_frame(wide=True)["column"].tolist() == ["column"]


@pytest.mark.parametrize("level", ["1/3", "1/7", "0.0001", "1/2", "0", "1", "0.123456", "1e-9"])
def test_no_spreadsheet_takes_a_level_for_a_date(level):
    assert re.match(r"[\d.e-]+ %", level_text(Fraction(level)))


# ── studies ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_study_has_a_row_for_each_answer_of_each_trial():
    found = study()
    frame = found.to_frame()
    assert list(frame) == ["trial", "column", "level", "quantile", "value", "rank_error", "covered"]
    assert frame["trial"].tolist() == [0, 0, 1, 1, 2, 2]
    assert frame["value"].tolist() == found.values.ravel().tolist()
    assert frame["rank_error"].tolist() == found.rank_errors.ravel().tolist()
    assert str(frame["covered"].dtype) == "boolean"
    assert frame["covered"].isna().all()
    assert frame.attrs["private"] is True
    assert (frame.attrs["seed"], frame.attrs["version"]) == (5, dpq.__version__)
    assert list(found.to_frame(wide=True)) == ["trial", "column", "33.33 % (1/3)", "50 % · median"]


def test_a_study_with_intervals_says_which_held():
    found = dpq.simulate(SAMPLE, SURE, trials=4, seed=1)
    held = np.array([[True, False, True]] * 3 + [[False, False, True]])
    found = replace(found, covered=held)
    assert found.to_frame()["covered"].tolist() == held.ravel().tolist()
    assert found.summary()["coverage"].tolist() == found.coverage.tolist() == [0.75, 0.0, 1.0]


def test_a_summary_is_over_all_trials():
    found = study(trials=50)
    frame = found.summary()
    assert list(frame) == [
        "column", "level", "quantile", "mean_rank_error", "rank_error_low", "rank_error_high", "coverage",
    ]  # fmt: skip
    assert frame["mean_rank_error"].tolist() == pytest.approx(found.rank_errors.mean(axis=0).tolist())
    low, high = np.percentile(found.signed_rank_errors, [2.5, 97.5], axis=0)
    assert frame["rank_error_low"].tolist() == pytest.approx(low.tolist())
    assert frame["rank_error_high"].tolist() == pytest.approx(high.tolist())
    assert frame["coverage"].isna().all()
    assert frame.attrs == found.to_frame().attrs


def test_groups_that_a_trial_did_not_find_are_missing_in_it():
    found = group_study()
    values, errors = found.values.copy(), found.signed_rank_errors.copy()
    values[:, 1], errors[:, 1] = nan, nan
    values[1, 0], errors[1, 0] = nan, nan
    found = replace(found, values=values, signed_rank_errors=errors)
    frame = found.to_frame()
    assert frame["group"].tolist() == ["a", "a", "b", "b"] * 3
    assert frame["value"].isna().tolist() == [False, False, True, True] + [True] * 4 + [False, False, True, True]
    summary = found.summary().set_index(["group", "level"])["mean_rank_error"]
    assert summary["a", 0.5] == np.abs(errors[[0, 2], 0, 1]).mean()
    assert summary["b"].isna().all()


def test_several_columns_of_a_study_follow_each_other_in_each_trial():
    groups = Groups.from_values(VALUES, ["a", "b"] * 500, DOMAIN, names=["a", "b"], seed=0)
    found = dpq.simulate({"x": SAMPLE, "y": groups}, PLAN, trials=2, seed=5)
    frame = found.to_frame()
    assert frame["column"].tolist() == (["x"] * 2 + ["y"] * 4) * 2
    assert frame["trial"].tolist() == [0] * 6 + [1] * 6
    rows = frame[frame["column"] == "y"]["value"].to_numpy().reshape(2, 2, 2)
    assert (rows == found.values["y"]).all()
    assert found.summary()["group"].tolist() == ["", "", "a", "a", "b", "b"]
    assert "Simulation, not private." in repr(found)


def test_a_study_of_a_sketch_says_how_far_its_errors_may_be_understated():
    found = replace(study(), rank_error_slack=7)
    assert found.to_frame().attrs["rank_error_slack"] == 7
    assert "rank errors may be 7 records larger" in repr(found)


# ── files and Arrow ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_csv_is_the_frame():
    found = columns(age=whole(intervals=((0.0, 35.0), (38.0, 45.0))), pay=grouped())
    read = pd.read_csv(io.StringIO(found.to_csv()), keep_default_na=True)
    frame = found.to_frame()
    assert list(read) == list(frame)
    for name in ("level", "value", "low", "high"):
        assert np.array_equal(read[name], frame[name], equal_nan=True)
    wide = pd.read_csv(io.StringIO(found.to_csv(wide=True)))
    assert list(wide) == list(found.to_frame(wide=True))


def test_csv_goes_to_a_path_and_computes_nothing(tmp_path):
    found = grouped(values={"=1+1": (30.0, 40.0), "ü": (1.0, 2.0)}, by=("@office",))
    path = tmp_path / "answers.csv"
    assert found.to_csv(path) is None
    assert found.to_csv(str(path)) is None
    text = path.read_bytes().decode("utf-8")
    assert text == found.to_csv()
    assert text.startswith("column,'@office,level")
    assert "\ncolumn,'=1+1,0.3333" in text


def test_csv_of_a_study_says_that_it_is_not_private():
    found = replace(group_study(), by=("label",))
    read = pd.read_csv(io.StringIO(found.to_csv()))
    assert list(read)[-2:] == ["covered", "label (2)"]
    assert set(read["label (2)"]) == {"Simulation, not private."}
    assert "label" not in whole().to_csv()


def test_arrow_reads_releases_and_studies():
    for found in (whole(), grouped(), columns(a=whole(), b=grouped()), study(), group_study()):
        table: pa.Table = pa.table(found)
        frame = found.to_frame()
        assert table.column_names == list(frame)
        assert table["value"].to_pylist() == frame["value"].tolist()
        assert table["quantile"].to_pylist() == frame["quantile"].tolist()
    assert pa.table(whole())["low"].null_count == 2


def test_polars_reads_releases_and_studies():
    polars = pytest.importorskip("polars")
    for found in (whole(), grouped(), columns(a=whole(), b=grouped()), study(), group_study()):
        assert polars.DataFrame(found).columns == list(found.to_frame())


def test_a_release_is_no_column_of_data():
    for found in (whole(), grouped(), columns(a=whole())):
        with pytest.raises(dpq.DataError):
            Sample.from_values(found, DOMAIN)


# ── notebooks ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_repr_is_the_price_and_the_table():
    first, *rows = repr(whole()).splitlines()
    assert first == "2 answers · ε = 1 where one record joins or leaves"
    assert rows[0].split() == COLUMNS
    assert len(rows) == 3
    one = whole(plan=replace(PLAN, quantiles=(Fraction(1, 2),)), values=(40.0,))
    assert repr(one).startswith("1 answer · ")


@pytest.mark.parametrize(
    ("changed", "price"),
    [
        ({"protects": "person"}, "ε = 1 where one person with all rows joins or leaves"),
        ({"adjacency": dpq.Adjacency.SUBSTITUTE}, "ε = 1 where one record is replaced by another"),
        ({"delta": 1e-6}, "ε = 1, δ = 0.000001 where one record joins or leaves"),
    ],
)
def test_the_price_says_who_is_protected_from_what(changed, price):
    assert repr(whole(guarantee=replace(GUARANTEE, **changed))).startswith(f"2 answers · {price}\n")


def test_the_price_of_a_concentrated_budget_is_rho():
    found = whole(plan=Plan(PLAN.quantiles, "aq", rho=0.5), guarantee=replace(GUARANTEE, epsilon=inf, rho=0.5))
    assert "ρ = 0.5 where" in repr(found)


def test_a_long_table_is_shown_in_part():
    many = grouped(values={f"group {at}": (1.0, 2.0) for at in range(16)})
    assert repr(many).splitlines()[-1] == "... and 12 more rows"
    assert len(re.findall(r"group \d", repr(many))) == 20
    assert "... and 12 more rows" in many._repr_html_()
    assert "more row" not in repr(grouped())
    assert repr(grouped(values=dict.fromkeys("abcdefghij", (1.0, 2.0)))).count("\n") == 21


@pytest.mark.parametrize("trials", [1, 2, 7, 30])
def test_what_is_shown_of_a_study_are_its_first_rows(trials):
    groups = Groups.from_values(VALUES, ["a", "b"] * 500, DOMAIN, names=["a", "b"], seed=0)
    found = dpq.simulate({"y": groups, "x": SAMPLE}, PLAN, trials=trials, seed=5)
    for each in (study(trials), group_study(trials), found):
        shown = each._contents().first_rows()
        pd.testing.assert_frame_equal(shown, each.to_frame().head(20))


def test_a_large_study_is_not_built_to_be_shown(monkeypatch):
    built = []

    def watched(parts: list[cells.Cells], **chosen: bool) -> pd.DataFrame:
        built.append(sum(numbers.size for part in parts for numbers in part.numbers.values()))
        return frame_of(parts, **chosen)

    frame_of = cells.frame_of
    monkeypatch.setattr(notebook, "frame_of", watched)
    shape = (1000, 2000, 2)
    numbers = np.broadcast_to(np.float64(1), shape)  # 4 million answers, in one number
    names = tuple(f"g{at}" for at in range(2000))
    large = replace(group_study(), values=numbers, signed_rank_errors=numbers, names=names)
    assert repr(large).endswith("... and 3,999,980 more rows")
    assert "1,000 trials of 4,000 answers" in large._repr_html_()
    assert max(built) <= 3 * 20


def test_a_study_says_on_top_that_it_is_not_private():
    assert repr(study()).startswith(
        "Simulation, not private. 3 trials of 2 answers · a release would spend ε = 1 where one record joins or leaves"
        " · seed 5\n"
    )
    assert study()._repr_html_().startswith("<div><p><strong>Simulation, not private.</strong></p>")
    assert "not private" not in repr(whole()) + whole()._repr_html_()


def test_no_name_is_markup_in_a_notebook():
    by = grouped(values={HOSTILE: (1.0, 2.0)}, by=(f"{HOSTILE}b",), warnings=(f"{HOSTILE}w",))
    shown = columns(**{f"{HOSTILE}c": by})._repr_html_()
    assert "<script" not in shown
    assert shown.count("&lt;script&gt;") == 2 + 1 + 2 * 2, (
        "in the warning, in the heading, and in two cells of two rows"
    )
    assert shown.index("w</p>") < shown.index("answers")


# ── by name ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_answers_are_looked_up_by_name():
    of_groups, of_columns = grouped(), columns(age=whole(), pay=grouped())
    assert of_groups["north"] == (30.0, 40.0)
    assert grouped(values={("north", "f"): (1.0, 2.0)})["north", "f"] == (1.0, 2.0)
    assert of_columns["age"] is of_columns.releases["age"]
    assert (list(of_groups), list(of_columns)) == (["north", "south"], ["age", "pay"])
    assert (len(of_groups), len(of_columns)) == (2, 2)
    assert dict(of_groups.items()) == of_groups.values
    assert "north" in of_groups
    assert "east" not in of_groups
    assert of_columns._ipython_key_completions_() == ["age", "pay"]
    assert not hasattr(of_columns, "keys")


def test_a_name_that_is_not_there_is_refused_with_the_nearest_one():
    with pytest.raises(
        dpq.ParameterError, match=r"`name` must be one of this release's, such as 'north', got 'norht'\."
    ):
        grouped()["norht"]
    with pytest.raises(dpq.ParameterError, match=r"`name` must be one of this release's, got 'salary'\."):
        columns(x=whole())["salary"]


# ── what stays ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_releases_compare_by_what_they_hold():
    assert whole() == whole()
    assert whole() != whole(values=(30.0, 41.0))
    assert grouped() == pickle.loads(pickle.dumps(grouped()))
    assert columns(a=whole()) == columns(a=whole())
    with pytest.raises(AttributeError):
        whole().values = ()  # type: ignore[misc]


def test_the_package_lists_its_public_names():
    assert dir(dpq) == sorted(dpq.__all__)


def test_a_release_warns_where_it_was_asked_for():
    plan = Plan(["1/2"], "aq", epsilon=8)
    groups = Groups.from_values(VALUES, ["a", "b"] * 500, DOMAIN, names=["a", "b"])
    sample = Sample.from_values(VALUES, DOMAIN)
    raw = dpq.RawSample.from_values(VALUES, dpq.FindBounds())
    for data in (sample, groups, raw, {"age": sample}):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found: Any = dpq.release(data, plan)
        assert [str(each.message) for each in caught] == list(found.warnings)
        assert any("ε = 8" in str(each.message) for each in caught)
        assert {each.category for each in caught} == {dpq.PrivacyWarning}
        assert {Path(each.filename) for each in caught} == {Path(__file__)}


def test_a_usual_release_and_a_study_do_not_warn():
    sample = Sample.from_values(VALUES, DOMAIN)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dpq.release(sample, Plan(["1/2"], "aq", epsilon=1))
        dpq.simulate(sample, Plan(["1/2"], "aq", epsilon=8), trials=2)
