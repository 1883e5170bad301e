"""Table: read from every kind of data frame, in groups by one or several columns; what is half said is refused."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from inspect import signature
from itertools import product
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import dpq_core as dpq
from tests.ledger.alone import opened

AGES = [17.0, 25.0, 31.0, 44.0, 44.0, 58.0, 63.0, 80.0]
SEX = ["f", "m", "f", "m", "f", "x", None, "f"]
OFFICE = ["north", "north", "south", "south", "north", "north", "north", "south"]
IDS = [1, 1, 2, 3, 4, 5, 6, 7]
FRAME: dict[str, Any] = {"age": AGES, "sex": SEX, "office": OFFICE, "id": IDS}
AGE = {"age": (0, 120, 1)}
BOTH = {"office": ["north", "south"], "sex": ["f", "m"]}
DOMAIN = dpq.Domain(0, 120, 1)
PLAN = dpq.Plan("quartiles", "aq", epsilon=1)


def of_duckdb() -> Any:
    duckdb = pytest.importorskip("duckdb")
    return duckdb.from_arrow(pa.table(FRAME))


@pytest.mark.parametrize("frame", [
    lambda: FRAME, lambda: {name: np.array(column) for name, column in FRAME.items()}, lambda: pd.DataFrame(FRAME),
    lambda: pd.DataFrame(FRAME).convert_dtypes(dtype_backend="pyarrow"), lambda: pa.table(FRAME), of_duckdb,
    lambda: pytest.importorskip("polars").DataFrame(FRAME),
])  # fmt: skip
def test_every_frame_gives_the_same_records(frame: Callable[[], Any]) -> None:
    table: dpq.Table = dpq.Table.from_frame(
        frame(), AGE, by=BOTH, person="id", per_person="max", max_groups_per_person=4
    )
    found = table["age"]
    assert isinstance(found, dpq.Column)
    records = {name: np.asarray(found.column_of_group(name).records) >> found.tie_bits for name in found.names}
    held = {name: cells.tolist() for name, cells in records.items()}
    assert held == {("north", "f"): [17, 44], ("north", "m"): [25], ("south", "f"): [31, 80], ("south", "m"): [44]}


def test_one_column_is_the_sample_that_it_was() -> None:
    table = dpq.Table.from_frame(FRAME, AGE, seed=3)
    alone = dpq.Column.from_values(AGES, DOMAIN, seed=3)
    whole = dpq.simulate(table, PLAN, trials=5, seed=1).values["age"]
    assert whole.tolist() == dpq.simulate({"age": alone}, PLAN, trials=5, seed=1).values["age"].tolist()


def test_rows_of_other_groups_are_pooled_under_a_name() -> None:
    pooled = dpq.Table.from_frame(FRAME, AGE, by={"sex": ["f"]}, other="rest", seed=0)["age"]
    assert isinstance(pooled, dpq.Column)
    assert (pooled.names, pooled.sizes.tolist(), pooled.dropped) == (("f", "rest"), [4, 4], 0)
    found = dpq.Table.from_frame(FRAME, {"age": dpq.FindBounds()}, by={"sex": ["f"]}, other="rest", seed=0)
    assert set(dpq.simulate(found, PLAN, 1)["age"].groups) == {"f", "rest"}


def test_groups_by_several_columns_are_the_groups_of_their_pairs() -> None:
    pairs = list(product(*BOTH.values()))
    table: dpq.Table = dpq.Table.from_frame(FRAME, AGE, by=BOTH, seed=3)
    joined = ["/".join(map(str, pair)) for pair in zip(OFFICE, SEX, strict=True)]
    alone = dpq.Column.from_values(AGES, DOMAIN, groups=joined, names=["/".join(pair) for pair in pairs], seed=3)
    of_table = dpq.simulate(table, PLAN, trials=5, seed=1)["age"]
    of_pairs = dpq.simulate({"age": alone}, PLAN, trials=5, seed=1)["age"]
    assert (of_table.groups, of_table.by) == (tuple(pairs), ("office", "sex"))
    assert of_table.values.tolist() == of_pairs.values.tolist()
    assert of_table.guarantee == of_pairs.guarantee


def test_some_combinations_in_any_order() -> None:
    chosen = [("south", "m"), ("north", "f")]
    table: dpq.Table = dpq.Table.from_frame(FRAME, AGE, by=["office", "sex"], groups=chosen)
    answers = dpq.release(table, PLAN).values["age"]
    assert list(answers) == chosen
    single = dpq.release(dpq.Table.from_frame(FRAME, AGE, by="office", groups=["south"]), PLAN)
    assert list(single.values["age"]) == ["south"]


def test_dates_are_days_and_a_missing_value_counts_as_what_is_said() -> None:
    days = pd.to_datetime(["1970-01-11", None, "1970-02-01"])
    frame = pd.DataFrame({"day": days, "pay": [1.0, np.nan, 3.0]})
    bounds = {"day": (0, 100, 1), "pay": (0, 10, 1)}
    table = dpq.Table.from_frame(frame, bounds, missing={"day": 50, "pay": 7})
    assert [dpq.true_quantiles(column, ["1"])[0] for _, column in table.items()] == [50.0, 7.0]
    assert [column.missing for _, column in table.items()] == [Fraction(50), Fraction(7)]


DAY, LATER = date(1970, 1, 1), date(1970, 4, 11)
DAYS = [date(1970, 1, 1) + timedelta(days=int(days)) for days in np.linspace(0, 100, 400)]


@pytest.mark.parametrize("bounds", [
    (DAY, LATER), (DAY, LATER, 1), (DAY, LATER, timedelta(days=1)),
    (np.datetime64("1970-01-01"), np.datetime64("1970-04-11T00:00")), (pd.Timestamp(DAY), pd.Timestamp(LATER), 1),
    (0, 100, 1),
])  # fmt: skip
def test_bounds_of_dates_are_days_and_answers_are_dates_in_tables(bounds: Any) -> None:
    frame = pd.DataFrame({"day": pd.to_datetime(DAYS), "pay": np.arange(400.0)})
    answers = dpq.quantiles(frame, {"day": bounds}, "quartiles", epsilon=100)
    assert answers["day"].domain == dpq.Domain(0, 100, 1)
    assert all(abs(value - near) <= 2 for value, near in zip(answers.values["day"], (25, 50, 75), strict=True))
    found, wide = answers.to_frame(), answers.to_frame(wide=True)
    assert list(found["value"]) == [pd.Timestamp(0, unit="D") + pd.Timedelta(days=at) for at in answers.values["day"]]
    assert found["low"].isna().all()
    assert [str(kind) for kind in (*found.dtypes[["value", "low", "high"]], *wide.dtypes[1:-1])] == [
        "datetime64[us]"
    ] * 6
    assert pa.table(answers).schema.field("value").type == pa.timestamp("us")
    both = dpq.quantiles(frame, {"day": bounds, "pay": (0, 400, 1)}, "median", epsilon=100)
    assert list(both.to_frame()["value"]) == [*both.values["day"], *both.values["pay"]]
    assert both.to_frame().attrs["dates"] == ["day"]
    written = str(date(1970, 1, 1) + timedelta(days=both.values["day"][0]))
    assert all(written in text for text in (both.to_csv(), both.to_csv(wide=True), repr(both), both._repr_html_()))
    study = dpq.simulate(dpq.Table.from_frame(frame, {"day": bounds}, seed=0), PLAN, trials=2)
    assert [str(study.to_frame().dtypes[name]) for name in ("value", "rank_error")] == ["datetime64[us]", "float64"]
    assert study.summary().attrs["dates"] == ["day"]


def test_a_date_beside_a_number_is_no_pair_of_bounds() -> None:
    with pytest.raises(dpq.ParameterError, match="two dates, or two numbers, for 'day'"):
        dpq.Table.from_frame({"day": [1.0]}, {"day": (DAY, 3)})


def test_a_run_of_a_table_is_explained_as_it_is_simulated() -> None:
    bounds: dict[str, Any] = AGE | {"id": dpq.FindBounds(step=1), "more": (0, 100, 1)}
    frame = FRAME | {"more": AGES}
    table = dpq.Table.from_frame(frame, bounds, seed=0)
    study = dpq.simulate(table, PLAN, trials=5, seed=3)
    for name in bounds:
        for run in (0, 3):
            trace = dpq.explain(table, PLAN, seed=3, trials=5, run=run, column=name)
            assert list(trace.values) == study.values[name][run].tolist()
            assert trace.guarantee == study[name].guarantee
    grouped: dpq.Table = dpq.Table.from_frame(frame, bounds, by=BOTH, seed=0)
    for name in bounds:
        assert len(dpq.explain(grouped, PLAN, column=name, group=("north", "f")).values) == 3


@pytest.mark.parametrize(("column", "group", "plan", "setting"), [
    (None, None, PLAN, "column"), ("Age", None, PLAN, "column"), ("age", "north", PLAN, "group"),
    ("age", None, dpq.Plan("median", "aq", epsilon=1, intervals=0.5, about_n="noisy"), "about_n"),
])  # fmt: skip
def test_what_cannot_be_explained_of_a_table_is_refused(column: Any, group: Any, plan: Any, setting: str) -> None:
    table = dpq.Table.from_frame(FRAME, AGE | {"id": (0, 10, 1)}, seed=0)
    with pytest.raises(dpq.ParameterError) as refused:
        dpq.explain(table, plan, column=column, group=group)
    assert refused.value.name == setting


def test_a_table_shows_no_count_and_no_group() -> None:
    table: dpq.Table = dpq.Table.from_frame(FRAME, AGE, by={"sex": ["f", "m"]}, seed=5)
    assert repr(table) == "Table(['age'], by=['sex'], seed=5)"
    assert (list(table), len(table)) == (["age"], 1)
    with pytest.raises(dpq.ParameterError, match="seed"):
        dpq.release(table, PLAN)


MANY: dict[str, Any] = {
    "group": ["a", "b"] * 1000 + ["rare"], "sex": ["f", "f", "m", "m"] * 500 + ["f"],
    "id": [*range(1500), *range(500), 1500], "age": [30.0, 50.0] * 1000 + [70.0],
    "pay": [2000.0, nan] * 999 + [2000.0, 900.0, 700.0],
}  # fmt: skip
"""Of group b one row alone has a pay."""
FOUND: dict[str, Any] = {
    "by": {"group": dpq.FindGroups()}, "person": "id", "per_person": "mean", "max_groups_per_person": 2,
}  # fmt: skip


def test_groups_are_found_once_for_all_columns(tmp_path: Any) -> None:
    columns: dict[str, Any] = {"age": (0, 120, 1), "pay": dpq.FindBounds(step=1)}
    table: dpq.Table = dpq.Table.from_frame(MANY, columns, **FOUND)
    persons = [source.people_in.tolist() for _, source in table.items()]
    assert persons == [[750, 750, 1]] * 2, "whatever values are missing"
    plan = dpq.Plan("median", "aq", epsilon=2, delta=1e-6)
    account = opened(tmp_path, plan.privacy, "all", one_row_is="visit")
    answers, again = (dpq.release(table, plan, account=account, release_id="1") for _ in range(2))
    assert again == answers
    assert answers.guarantee.covers(plan.privacy)
    assert answers.guarantee.protects == "person"
    assert [list(own) for own in answers.values.values()] == [["a", "b"]] * 2
    assert answers.values["age"]["a"] == (30,)
    pay = answers["pay"]
    assert pay.find_bounds == columns["pay"]
    assert pay.domain.upper >= 2000
    other: dpq.Table = dpq.Table.from_frame(MANY, columns | {"pay": dpq.FindBounds(step=2)}, **FOUND)
    with pytest.raises(dpq.ParameterError, match="another way to find bounds"):
        dpq.release(other, plan, account=account, release_id="1")


def test_a_study_names_the_same_groups_in_all_columns_of_a_run() -> None:
    """At chances around a half, so that names differ from run to run."""
    few = {name: values[:8] for name, values in MANY.items()}
    columns: dict[str, Any] = {"age": (0, 120, 1), "pay": dpq.FindBounds(step=1)}
    table: dpq.Table = dpq.Table.from_frame(few, columns, **FOUND, seed=1)
    plan = dpq.Plan("median", "aq", epsilon=2, delta=0.4)
    study, again = (dpq.simulate(table, plan, trials=30, seed=3) for _ in range(2))
    age, pay = (np.isnan(values[..., 0]) for values in study.values.values())
    assert age.shape == (30, 2)
    assert (age == pay).all()
    assert 0 < age.mean() < 1
    assert (np.isnan(study.rank_errors["pay"][..., 0]) == pay).all()
    assert all(np.array_equal(study.values[name], again.values[name], equal_nan=True) for name in columns)
    assert study.guarantee.covers(plan.privacy)


@pytest.mark.parametrize("by", [None, {"group": ["a", "b"]}], ids=["whole", "groups"])
@pytest.mark.parametrize("adjacency", ["joins", "replaced"])
def test_bounds_are_found_by_shares(by: Any, adjacency: Any) -> None:
    columns: dict[str, Any] = {"age": dpq.FindBounds(step=1)}
    plan = dpq.Plan("median", "aq", epsilon=4, adjacency=adjacency)
    table: dpq.Table = dpq.Table.from_frame(MANY, columns, by=by, person="id", per_person="weight")
    answers = dpq.release(table, plan)
    assert answers.guarantee.covers(plan.privacy)
    assert answers["age"].domain.upper >= 50
    found = answers.values["age"]
    assert (found if by is None else found["a"]) == pytest.approx((30,), abs=20)
    seeded: dpq.Table = dpq.Table.from_frame(MANY, columns, by=by, person="id", per_person="weight", seed=0)
    study = dpq.simulate(seeded, plan, trials=3)
    assert (study.rank_errors["age"] < 400).all()


def test_quantiles_is_release_of_a_table() -> None:
    answers = dpq.quantiles(FRAME, AGE, "quartiles", epsilon=1, by={"office": ["north", "south"]})
    assert answers.guarantee.epsilon == 1
    assert list(answers.values["age"]) == ["north", "south"]
    assert len(answers.values["age"]["north"]) == 3
    with pytest.raises(dpq.ParameterError, match="every call spends a budget"):
        dpq.quantiles(FRAME, AGE, "quartiles")


def test_quantiles_takes_everything_that_a_table_and_a_plan_take() -> None:
    taken = set(signature(dpq.quantiles).parameters)
    assert set(signature(dpq.Table.from_frame).parameters) - taken == {"seed"}, "for studies only"
    assert set(signature(dpq.Plan).parameters) - taken == {"quantiles", "privacy"}, "here levels and numbers"


def test_a_frame_comes_out_with_the_columns_of_groups_as_they_were_named() -> None:
    answers = dpq.quantiles(FRAME, AGE, "median", epsilon=1, by=BOTH, intervals=0.9, about_n=3)
    frame = answers.to_frame()
    assert list(frame) == ["column", "office", "sex", "level", "quantile", "value", "low", "high", "unit"]
    assert list(zip(frame["office"], frame["sex"], strict=True)) == list(product(*BOTH.values()))
    assert tuple(frame["value"]) == tuple(values[0] for values in answers.values["age"].values())
    assert (frame["low"] <= frame["value"]).all()


def test_an_account_is_charged_once_and_gives_the_stored_answer(tmp_path: Any) -> None:
    account = opened(tmp_path, dpq.PureDP(3), "staff", one_row_is="employee")
    table: dpq.Table = dpq.Table.from_frame(FRAME, AGE, by=BOTH)
    first, again = (dpq.release(table, PLAN, account=account, release_id="2026-11") for _ in range(2))
    assert first == again
    assert again.values == first.values
    assert list(first.values["age"]) == list(product(*BOTH.values()))
    with pytest.raises(dpq.ParameterError, match="release_id"):
        dpq.release(dpq.Table.from_frame(FRAME, AGE), PLAN, account=account, release_id="2026-11")
    of_column = dpq.release(dpq.Column.from_values(AGES, DOMAIN), PLAN, account=account)
    of_groups = dpq.release(
        dpq.Column.from_values(AGES, DOMAIN, groups=OFFICE, names=["north"]), dpq.Plan("median", "best", epsilon=1),
        account=account,
    )  # fmt: skip
    assert len(of_column.values["column"]) == 3
    assert list(of_groups.values["column"]) == ["north"]
    with pytest.raises(dpq.BudgetError):
        dpq.quantiles(FRAME, AGE, "median", epsilon=1, account=account)


def test_an_account_by_name_is_opened_once_and_never_changes(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DPQ_LEDGER_URL", str(tmp_path / "ledger.sqlite"))
    monkeypatch.setenv("DPQ_LEDGER_HEADS", str(tmp_path))
    monkeypatch.setenv("DPQ_LEDGER_KEY", "k" * 40)
    opened = dpq.account("staff", epsilon=3, one_row_is="employee")
    assert (opened.budget, opened.one_row_is) == (dpq.PureDP(3.0), "employee")
    assert dpq.account("staff", epsilon=3, one_row_is="employee").number == opened.number
    for other in ({"epsilon": 4}, {"epsilon": 3, "adjacency": "replaced"}, {"epsilon": 3, "one_row_is": "row"}):
        with pytest.raises(dpq.ParameterError, match="never changes"):
            dpq.account("staff", **{"one_row_is": "employee"} | other)
    assert dpq.account("staff").number == opened.number
    with pytest.raises(dpq.ParameterError, match="epsilon"):
        dpq.account("visits")


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "bounds without a step": ({"columns": {"age": (0, 120)}}, r"step between two values of 'age' too.*\(0, 120, 1\)"),
    "an unknown column": ({"columns": {"agee": (0, 120, 1)}}, "Did you mean 'age'"),
    "no bounds": ({"columns": ["age"]}, "possible values"),
    "groups without a list": ({"by": "sex"}, r"by=\{'sex': \['north'.*FindGroups"),
    "groups without a list, as a mapping": ({"by": {"sex": None}}, "FindGroups"),
    "a text for a list": ({"by": {"sex": "fm"}}, "FindGroups"),
    "lists twice": ({"by": {"sex": ["f"]}, "groups": ["f"]}, "groups"),
    "groups alone": ({"groups": ["f"]}, "must go with `by`"),
    "a name with too few parts": ({"by": ["office", "sex"], "groups": ["f"]}, "one name for each of 2 columns"),
    "found and listed": ({"by": {"office": dpq.FindGroups(), "sex": ["f"]}}, "for every column"),
    "an unknown column of groups": ({"by": {"offic": ["north"]}}, "Did you mean 'office'"),
    "persons without a rule": ({"person": "id"}, r"per_person='weight'.*max_rows_per_person=3"),
    "a rule without persons": ({"per_person": "mean"}, "must go with `person`"),
    "groups of nobody": ({"by": {"sex": ["f"]}, "max_groups_per_person": 2}, "must go with `person`"),
    "another column's stand-in": ({"missing": {"pay": 1}}, "must name columns that are answered"),
    "a share of groups": ({"by": {"sex": dpq.FindGroups}}, "list of names"),
    "no group in a list": ({"by": {"sex": []}}, "`by` of 'sex': the names must be from 1 to"),
    "a group twice": ({"by": {"sex": ["f", "f"]}}, "`by` of 'sex': the names must be different"),
    "a combination twice": ({"by": ["sex", "office"], "groups": [("f", "north")] * 2}, "`groups` must be different"),
    "dates as texts": ({"columns": {"age": ("2020-01-01", "2026-01-01")}}, "must give dates for 'age', not texts"),
    "others of no groups": ({"other": "rest"}, "list of groups by one column"),
    "others of found groups": ({"by": {"sex": dpq.FindGroups()}, "other": "rest"}, "list of groups by one column"),
    "others of two columns": ({"by": BOTH, "other": "rest"}, "list of groups by one column"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_half_said_is_refused_with_what_to_type(case: str) -> None:
    given, sentence = REFUSED[case]
    with pytest.raises(dpq.ParameterError, match=sentence):
        dpq.Table.from_frame(FRAME, **{"columns": AGE} | given)


def test_frames_that_are_no_tables_are_refused_with_the_next_line() -> None:
    for frame in (pd.DataFrame(FRAME), pa.table(FRAME)):
        with pytest.raises(dpq.ParameterError, match=r"Table\.from_frame"):
            dpq.release(frame, PLAN)
    with pytest.raises(dpq.DataError, match=r"Table\.from_frame"):
        dpq.release(FRAME, PLAN)
    others: tuple[Any, ...] = (3, np.array(AGES), pd.Series(AGES, name="age"), pa.array(AGES))
    for no_table in others:
        with pytest.raises(dpq.ParameterError, match=r"pandas, polars.*as in \{'age': ages\}"):
            dpq.Table.from_frame(no_table, AGE)
        with pytest.raises(dpq.DataError, match=r"Column\.from_values"):
            dpq.release(no_table, PLAN)
    with pytest.raises(dpq.ParameterError, match="pandas, polars"):
        dpq.Table.from_frame(pa.chunked_array([AGES]), AGE)
    with pytest.raises(dpq.DataError, match="same number of rows"):
        dpq.Table.from_frame({"age": [1, 2], "pay": [1]}, AGE)
    with pytest.raises(dpq.DataError, match="more than one column"):
        dpq.Table.from_frame(pd.DataFrame([[1, 2]], columns=["age", "age"]), AGE)


def test_what_polars_has_besides_data_frames_is_refused_with_the_next_line() -> None:
    polars = pytest.importorskip("polars")
    for made, words in (
        (polars.LazyFrame({"age": AGES}), r"call \.collect\(\)"),
        (polars.Series("age", AGES), "polars.*as in"),
    ):
        with pytest.raises(dpq.ParameterError, match=words):
            dpq.Table.from_frame(made, AGE)


@pytest.mark.parametrize(("column", "bounds", "first"), [
    (np.array(["2024"] * 9, "M8[Y]"), (0, 30_000, 1), 19_723),
    (np.array(["2024-02"] * 9, "M8[M]"), (0, 30_000, 1), 19_754),
    (np.array(["2024-01-04"] * 9, "M8[W]"), (0, 30_000, 1), 19_726),
    (np.array(["2024-01-01T12"] * 9, "M8[h]"), (0, 30_000, "0.5"), 19_723.5),
    (np.array([2] * 9, "m8[D]"), (0, 10**6, 1), 172_800), (np.array([2] * 9, "m8[h]"), (0, 10**6, 1), 7200),
], ids=str)  # fmt: skip
def test_dates_and_durations_of_numpy_are_read_in_every_fixed_unit(column: Any, bounds: Any, first: float) -> None:
    held = dpq.Table.from_frame({"when": column}, {"when": bounds}, seed=1)["when"]
    assert isinstance(held, dpq.Column)
    assert held.domain.decode(held.coarse_cells[:1]).tolist() == [first]


@pytest.mark.parametrize(("column", "first"), [
    (pd.Series([None] + [date(2024, 1, 31)] * 9, dtype=object), 19_753), ([datetime(2024, 1, 31, 12)] * 9, 19_753.5),
    (pd.Series([timedelta(hours=2)] * 9, dtype=object), 7200), ([time(0, 0, 5)] * 9, 5),
    (pd.arrays.SparseArray([7.5] * 9), 7.5), (pd.Categorical([20] * 9), 20), ([Decimal("10.5")] * 9, 10.5),
    (pa.array([Decimal("0.5")] * 9, pa.decimal256(50, 2)), 0.5),
], ids=range(8))  # fmt: skip
def test_a_column_is_read_as_python_pandas_or_arrow_holds_it(column: Any, first: float) -> None:
    held = dpq.Table.from_frame({"v": column}, {"v": (0, 30_000, "0.5")}, seed=1)["v"]
    assert isinstance(held, dpq.Column)
    assert held.domain.decode(held.coarse_cells[:1]).tolist() == [first]


@pytest.mark.parametrize("column", [
    lambda: pytest.importorskip("polars").Series([10] * 9, dtype=pytest.importorskip("polars").Int128),
    lambda: pytest.importorskip("polars").Series([[1]] * 9), lambda: ["a"] * 9, lambda: pd.Categorical(["a"] * 9),
    lambda: np.array([1j] * 9), lambda: pa.array([{"a": 1}] * 9), lambda: [date(2024, 1, 31), 5],
], ids=range(7))  # fmt: skip
def test_a_column_that_is_none_of_numbers_is_refused_with_its_name(column: Callable[[], Any]) -> None:
    with pytest.raises(dpq.DataError, match=r"the column 'v' (holds values of the type|cannot be read)"):
        dpq.Table.from_frame({"v": column()}, {"v": (0, 10, 1)})


@pytest.mark.parametrize("column", [
    np.array([1] * 9, "m8[Y]"), np.array([1] * 9, "M8[as]"), np.array([10**15] * 9, "M8[Y]"), np.array(["NaT"], "M8"),
], ids=str)  # fmt: skip
def test_other_units_are_refused_with_the_name_of_the_column(column: Any) -> None:
    with pytest.raises(dpq.DataError, match=r"the column 'when' cannot be read: it holds .* in a unit that"):
        dpq.Table.from_frame({"when": column}, {"when": (0, 10, 1)})
