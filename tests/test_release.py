"""The door: what may leave, what it refuses, what its results say, and what it warns of, whatever the data are."""

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpq_core as dpq
from dpq_core.__main__ import main
from dpq_core.calibrations import Calibrated, calibrate
from dpq_core.domain.finding import at_bound, warnings_at_bounds, warnings_of_groups
from dpq_core.draw import cells_of
from dpq_core.far_answers import far_answers, warnings_of_far
from dpq_core.frame import iso_date
from dpq_core.groups.names import GroupName
from dpq_core.mechanisms.aq import mechanism as aq
from dpq_core.privacy.budgets import Guarantee
from dpq_core.release import Cells, Release
from dpq_core.study import simulate_column
from tests.harness import distribution_distance
from tests.narrowing import present

AGES = dpq.Domain(17, 90, 1)
VALUES = np.arange(17, 91).repeat(5)
LARGE = dpq.Plan([0.5], privacy=dpq.PureDP(8.0))
SEEDED: dict[str, Callable[[int | None], Any]] = {
    "a column": lambda seed: dpq.Column.from_values(VALUES, AGES, seed=seed),
    "groups": lambda seed: dpq.Column.from_values(VALUES, AGES, groups=["a", "b"] * 185, names=["a", "b"], seed=seed),
    "bounds to be found": lambda seed: dpq.Column.from_values(VALUES, dpq.FindBounds(), seed=seed),
    "columns": lambda seed: {"age": dpq.Column.from_values(VALUES, AGES, seed=seed)},
}


def test_a_release_carries_what_was_chosen_and_nothing_of_the_truth():
    plan = dpq.Plan([0.5, 0.25], privacy=dpq.PureDP(0.3))
    answer = dpq.release(dpq.Column.from_values(VALUES, AGES), plan)
    (cells,) = answer.cells
    assert (answer.plan.first, cells.plan, cells.domain, answer.version) == (plan, plan, AGES, dpq.__version__)
    held = "plan guarantee cells warnings description question id account made version"
    assert vars(answer).keys() == set(held.split())
    of_column = "column by groups plan guarantee domain values intervals basis find_bounds notes"
    assert vars(cells).keys() == set(of_column.split())
    assert all(type(value) is float for value in answer.values["column"])
    with pytest.raises(AttributeError):
        answer.cells = ()  # type: ignore[misc]


def test_two_releases_differ():
    column = dpq.Column.from_values(VALUES, dpq.Domain(17, 90))
    assert dpq.release(column, dpq.Plan([0.5])).values != dpq.release(column, dpq.Plan([0.5])).values


@pytest.mark.parametrize("seed", [0, 1])
def test_a_seeded_sample_is_refused_and_may_be_simulated(seed):
    column = dpq.Column.from_values(VALUES, AGES, seed=seed)
    with pytest.raises(dpq.ParameterError) as caught:
        dpq.release(column, dpq.Plan([0.5]))
    assert caught.value.name == "seed"
    assert dpq.simulate(column, dpq.Plan([0.5]), trials=1).values["column"].shape == (1, 1)


@pytest.mark.parametrize("run", [dpq.release, dpq.simulate])
def test_missing_values_need_a_public_stand_in_where_one_is_replaced(run):
    plan = dpq.Plan([0.5], adjacency=dpq.Adjacency.REPLACE_ONE)
    with pytest.raises(dpq.DataError, match="`missing`"):
        run(dpq.Column.from_values([20.0, np.nan], AGES), plan)
    assert run(dpq.Column.from_values([20.0, np.nan], AGES, missing=17), plan) is not None
    assert run(dpq.Column.from_values([20.0, np.nan], AGES), dpq.Plan([0.5])) is not None


def test_the_number_of_records_is_public_where_one_is_replaced_and_nowhere_else():
    column = dpq.Column.from_values(VALUES, AGES)
    found = {each: Calibrated.for_column(column, dpq.Plan([0.5], adjacency=each)).n_public for each in dpq.Adjacency}
    assert found == {dpq.Adjacency.ADD_REMOVE: None, dpq.Adjacency.REPLACE_ONE: VALUES.size}


@pytest.mark.parametrize("run", [cells_of, lambda data, plan: simulate_column(data, plan, trials=1, seed=0)])
def test_a_plan_that_was_calibrated_for_another_number_of_records_is_not_drawn(run):
    calibrated = Calibrated.for_column(
        dpq.Column.from_values(VALUES, AGES), dpq.Plan([0.5], adjacency=dpq.Adjacency.REPLACE_ONE)
    )
    with pytest.raises(AssertionError, match="calibrated for other data"):
        run(dpq.Column.from_values(VALUES[1:], AGES), calibrated)


@pytest.mark.parametrize("spent", [{"epsilon": 0.3000001}, {"delta": 1e-9}])
def test_a_mechanism_that_spends_more_than_was_requested_is_stopped(monkeypatch, spent):
    honest = aq.calibrate

    def spending(plan, n_public):
        parameters = honest(plan, n_public)
        return replace(parameters, guarantee=replace(parameters.guarantee, **spent))

    monkeypatch.setattr(aq, "calibrate", spending)
    with pytest.raises(AssertionError, match="no more than requested"):
        calibrate(dpq.Plan([0.5], privacy=dpq.PureDP(0.3)))


def test_no_budget_is_too_small_to_be_divided():
    column = dpq.Column.from_values(VALUES, AGES)
    assert len(dpq.release(column, dpq.Plan([0.5], privacy=dpq.PureDP(1e-6))).values["column"]) == 1
    many = dpq.Plan([f"{j}/1001" for j in range(1, 1001)], "indexp", dpq.PureDP(1e-9))
    assert len(dpq.release(column, many).values["column"]) == 1000


@pytest.mark.parametrize("mechanism", ["aq", "indexp", "jointexp", "freetotal", "aggtree"])
def test_no_record_at_all_is_a_public_number_too(mechanism):
    plan = dpq.Plan(["1/2"], mechanism, adjacency=dpq.Adjacency.REPLACE_ONE)
    assert calibrate(plan, 0).guarantee.covers(plan.privacy)
    assert len(dpq.release(dpq.Column.from_values([], dpq.Domain(0, 9, 1)), plan).values["column"]) == 1


@pytest.mark.parametrize("size", [1, 7, 500])
def test_a_synthetic_column_has_the_public_size_and_is_close(size):
    sample = dpq.Column.from_values(VALUES, AGES)
    found = dpq.synthesize(sample, size, dpq.Plan([], privacy=dpq.PureDP(2.0)))
    column = found.values["column"]
    assert len(column) == size
    assert list(column) == sorted(column)
    assert found.guarantee.covers(dpq.PureDP(2.0))
    if size == 500:
        assert distribution_distance(sample, column) < 0.25


@pytest.mark.slow
def test_a_generous_budget_makes_a_close_copy():
    column = dpq.Column.from_values(np.random.default_rng(0).normal(50, 10, 5000), AGES)
    close, rough = (
        dpq.synthesize(column, 200, dpq.Plan([], privacy=dpq.PureDP(e))).values["column"] for e in (50.0, 0.05)
    )
    assert distribution_distance(column, close) < 0.02
    assert distribution_distance(column, close) < distribution_distance(column, rough)


# ── warnings ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_odd_but_legal_budgets_are_answered_with_a_warning():
    column = dpq.Column.from_values(VALUES, AGES)
    assert not dpq.release(column, dpq.Plan([0.5])).warnings
    (sentence,) = dpq.release(column, LARGE).warnings
    assert "ε = 8" in sentence
    assert len(dpq.release(column, dpq.Plan([0.5], privacy=dpq.ApproxDP(8.0, 0.01))).warnings) == 2


@pytest.mark.parametrize(("kind", "plan"), [
    *((kind, LARGE) for kind in SEEDED),
    ("a column", dpq.Plan([0.5], privacy=dpq.PureDP(8.0), intervals=0.9, about_n="noisy")),
], ids=[*SEEDED, "a number to be counted"])  # fmt: skip
def test_a_release_and_a_study_warn_of_a_large_budget(kind, plan):
    """A release warns where it was asked for; a study in its result alone."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        released = dpq.release(SEEDED[kind](None), plan)
    assert [str(each.message) for each in caught] == list(released.warnings)
    assert {(each.category, Path(each.filename)) for each in caught} == {(dpq.PrivacyWarning, Path(__file__))}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study = dpq.simulate(SEEDED[kind](0), plan, trials=2)
    for found in (released, study):
        assert any("ε = 8" in each for each in found.warnings)
        assert found.plan.first == plan


def test_the_command_tells_its_warnings_in_the_answer_alone(tmp_path, monkeypatch, capsys, read_in_place):
    monkeypatch.chdir(tmp_path)
    Path("ages.csv").write_text("age\n" + "31\n47\n" * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error", dpq.PrivacyWarning)
        assert main(["release", "ages.csv", "--column", "age=0:99:1", "--quantiles", "median", "--epsilon", "8"]) == 0
    assert "ε = 8" in json.loads(capsys.readouterr().out)["warnings"][0]


# ── results of all shapes ────────────────────────────────────────────────────────────────────────────────────────────

PAY, ROWS = dpq.Domain(0, 500, 10), 40
FRAME: dict[str, Any] = {"age": 20 + np.arange(ROWS), "pay": 10 * np.arange(ROWS), "sex": ["f", "m"] * (ROWS // 2)}
BY = {"sex": ["f", "m"]}
PLAN = dpq.Plan("quartiles", "indexp", epsilon=8, intervals=0.5, about_n=ROWS // 2)
SHAPES: dict[str, list[tuple[str, tuple[GroupName, ...]]]] = {
    "column": [("column", ((),))], "groups": [("column", ("f", "m"))],
    "table": [("age", ((),)), ("pay", ((),))], "table in groups": [("age", ("f", "m")), ("pay", ("f", "m"))],
}  # fmt: skip


def asked(shape: str, seed: int | None = None) -> Any:
    """One column, its groups, or the columns of a table in groups."""
    if shape == "column":
        return dpq.Column.from_values(FRAME["age"], AGES, seed=seed)
    if shape == "groups":
        return dpq.Column.from_values(FRAME["age"], AGES, groups=FRAME["sex"], names=["f", "m"], seed=seed)
    by = BY if shape == "table in groups" else None
    return dpq.Table.from_frame(FRAME, {"age": AGES, "pay": PAY}, by=by, seed=seed)


@pytest.mark.parametrize("shape", SHAPES)
def test_results_of_every_shape_are_read_column_by_column(shape: str) -> None:
    """Cells for each column, with all its groups."""
    found = dpq.release(asked(shape), PLAN)
    frame = found.to_frame()
    assert [value for each in found.cells for row in each.values for value in row] == frame["value"].tolist()
    ends = [low for each in found.cells for row in each.intervals for low, _ in row]
    assert len(ends) == len(frame) == 3 * sum(len(groups) for _, groups in SHAPES[shape])
    assert all(low == there or there == -np.inf for low, there in zip(ends, frame["low"], strict=True))
    assert all(each.basis is not None and each.domain in {AGES, PAY} for each in found.cells)
    assert sum(each.guarantee.epsilon for each in found.cells) == pytest.approx(found.guarantee.epsilon)
    study = dpq.simulate(asked(shape, seed=0), PLAN, trials=5)
    for each in study.cells:
        assert each.values.shape == each.signed_rank_errors.shape == (5, len(each.groups), 3)
        assert present(each.intervals).shape == (5, len(each.groups), 3, 2)
    in_rows = np.concatenate([each.values.reshape(5, -1) for each in study.cells], axis=1)
    assert study.to_frame()["value"].tolist() == in_rows.ravel().tolist()
    assert [(each.column, each.groups) for each in found.cells] == SHAPES[shape]
    assert [(each.column, each.groups) for each in study.cells] == SHAPES[shape]
    assert Release.from_json(found.to_json()) == found


def test_a_column_has_its_own_share_of_the_budget_and_says_how_its_bounds_were_found() -> None:
    table = dpq.Table.from_frame(FRAME, {"age": AGES, "pay": dpq.FindBounds(step=10)}, by=BY)
    found = dpq.release(table, dpq.Plan("median", "indexp", epsilon=8, weights={"age": 1, "pay": 3}))
    age, pay = found.cells
    assert (age.plan.privacy, pay.plan.privacy) == (dpq.PureDP(2.0), dpq.PureDP(6.0))
    assert (age.find_bounds, pay.find_bounds) == (None, dpq.FindBounds(step=10))
    assert (age.by, pay.by) == (("sex",), ("sex",))
    assert tuple(found.values["pay"].values()) == pay.values


# ── answers at a bound, and far beyond all others ────────────────────────────────────────────────────────────────────

NARROW = dpq.Domain(0, 1000, 1)
DECILES = dpq.Plan([f"{k}/10" for k in range(1, 10)], "aq", dpq.PureDP(1.0))
INCOMES = np.full(4000, 28_000.0)
TOO_LOW = "All 9 answers lie at the highest possible value"
FIVE = tuple(Fraction(share, 100) for share in (5, 25, 50, 75, 95))


@pytest.mark.parametrize(("values", "domain", "said"), [
    ((1000,) * 9, NARROW, [TOO_LOW]), ((0,) * 9, NARROW, ["All 9 answers lie at the lowest possible value"]),
    ((1000,), NARROW, ["The answer lies at the highest possible value"]),
    ((0, 5, 1000), NARROW, ["1 of 3 answers lies at the highest", "1 of 3 answers lies at the lowest possible"]),
    ((5, 6, 999), NARROW, []), ((98,), dpq.Domain(0, 100, 7), ["The answer lies at the highest possible value"]),
    ((9, 9), dpq.Domain.significant(1, 1, 9), ["All 2 answers lie at the highest"]),
    ((*range(1, 99), 1000), NARROW, []), ((), NARROW, []),
])  # fmt: skip
def test_a_bound_with_answers_is_called_that(values: Sequence[float], domain: dpq.Domain, said: list[str]) -> None:
    found = warnings_at_bounds(values, domain)
    assert [sentence[: len(start)] for sentence, start in zip(found, said, strict=True)] == said


def test_a_release_and_its_stored_answer_tell_bounds_from_the_answers_alone() -> None:
    released = dpq.release(dpq.Column.from_values(INCOMES, NARROW), DECILES)
    assert set(released.values["column"]) == {1000}
    assert [warning for warning in released.warnings if warning.startswith(TOO_LOW)]
    assert dpq.release(dpq.Column.from_values(INCOMES, dpq.Domain(0, 100_000, 1)), DECILES).warnings == ()
    assert Release.from_json(released.to_json()).warnings == released.warnings


def test_groups_and_columns_tell_bounds_with_their_names() -> None:
    values, labels = np.append(INCOMES, np.full(4000, 500.0)), ["a"] * 4000 + ["b"] * 4000
    released = dpq.release(dpq.Column.from_values(values, NARROW, groups=labels, names=["a", "b"]), DECILES)
    assert released.warnings[0].startswith("All answers of 1 of 2 groups lie at the highest possible value (a): the bo")
    assert Release.from_json(released.to_json()).warnings == released.warnings
    table = dpq.release({name: dpq.Column.from_values(INCOMES, NARROW) for name in ("income", "wage")}, DECILES)
    assert table.warnings[0].startswith(f"income: {TOO_LOW}")
    assert TOO_LOW in json.loads(table.to_json())["warnings"][0]


def test_an_answer_is_at_a_bound_of_the_grid_and_nowhere_else() -> None:
    assert [at_bound(value, NARROW) for value in (0.0, 1.0, 999.0, 1000.0)] == ["lowest", "", "", "highest"]
    many = {str(at): (1000.0,) for at in range(9)}
    assert "(0, 1, 2, 3, 4 and 4 more)" in warnings_of_groups(many, NARROW)[0]


@pytest.mark.parametrize(
    ("values", "far"),
    [
        ((-5.6e13, 27, 41, 55, 74), [0]),
        ((20, 27, 41, 55, 7.4e6), [4]),
        ((-1e9, 27, 41, 55, 1e9), [0, 4]),
        ((18, 27, 41, 55, 74), []),
        ((1.05, 1.33, 2, 4, 20), []),  # a Pareto tail of index 1
        ((0, 0, 0, 0, 40), []),  # most are 0, and nothing is a measure
        ((20, 40, 40, 40, 60), []),
        ((20, 40, 40, 40, 6e8), [4]),
        ((39, 39.9, 40, 40.1, 80), []),  # two humps
        ((-0.015, 36, 55, 4.1e9, 5.1e10), [3, 4]),
        ((0, 0, 5, 40_000, 200_000), []),  # half gave nothing or little
        ((-1e12, -1e10, 5, 1e12, 2e12), []),  # the quartiles themselves are noise: that is the forecast's to say
    ],
)
def test_outer_answers_are_compared_with_those_between_the_quartiles(values: Sequence[float], far: list[int]) -> None:
    assert [at for at, is_far in enumerate(far_answers(FIVE, values)) if is_far] == far
    assert bool(warnings_of_far(FIVE, values)) is bool(far)


def test_a_tail_farther_out_may_reach_farther_and_a_lone_level_is_never_judged() -> None:
    levels = [*FIVE, Fraction(999, 1000)]
    assert not any(far_answers(levels, (1.05, 1.33, 2, 4, 20, 1000)))
    assert far_answers(levels, (1.05, 1.33, 2, 4, 20, 1e5))[-1]
    assert far_answers([Fraction(19, 20)], (1e13,)) == (False,)
    assert far_answers([], ()) == ()
    assert far_answers([Fraction(0), *FIVE, Fraction(1)], (-1e15, 18, 27, 41, 55, 74, 1e15)) == (False,) * 7


def test_a_release_its_stored_answer_and_its_codebook_tell_a_far_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """-5.6e13 was printed as an age."""
    plan, values = dpq.Plan(FIVE, "aq", dpq.PureDP(0.125)), np.array([[-5.6e13, 27.0, 41.0, 55.0, 74.0]])
    monkeypatch.setattr(Calibrated, "values_and_intervals", lambda *_: (values[:, None], None))
    column = dpq.Column.from_values(np.arange(18, 90.0), dpq.Domain.significant(2))
    released = dpq.release(column, plan)
    read = Release.from_json(released.to_json())
    for each in (released, read):
        assert each.warnings[0].startswith("The answer at 5 % is not usable")


def test_the_work_grows_with_the_number_of_answers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A synthetic column has up to 100,000 answers, and a page asks for each level of a report."""
    looked, counts = list[Fraction](), list[int]()

    def is_inner(level: Fraction) -> bool:
        looked.append(level)
        return Fraction(1, 4) <= level <= Fraction(3, 4)

    monkeypatch.setattr("dpq_core.far_answers._is_inner", is_inner)
    for levels in (99, 999):
        looked.clear()
        far_answers([Fraction(at, levels + 1) for at in range(1, levels + 1)], [float(at) for at in range(levels)])
        counts.append(len(looked))
    assert counts[1] <= 11 * counts[0]


def test_a_warning_calls_a_group_by_several_columns_as_people_do() -> None:
    plan, names = dpq.Plan(["1/2"], "aq"), (("north", "f"), ("north", "m"))
    guarantee = Guarantee.of(plan.privacy, plan.adjacency, "record")
    cells = Cells(plan=plan, guarantee=guarantee, domain=dpq.Domain(0, 9, 1), groups=names, values=((9.0,), (5.0,)))
    assert "(north · f)" in cells.unusual[0]


DAYS = pd.DataFrame({"visit": pd.to_datetime(["2015-03-01", "2016-05-01", "2017-08-15"] * 400)})


def test_bounds_that_were_found_for_dates_are_dates_in_the_warning() -> None:
    found = dpq.quantiles(DAYS, {"visit": dpq.FindBounds()}, "quartiles", epsilon=1)
    bounds = (np.datetime64(int(bound), "D") for bound in (found["visit"].domain.lower, found["visit"].domain.upper))
    assert "The bounds {} and {} were found".format(*bounds) in Release.from_json(found.to_json()).warnings[-1]


@pytest.mark.parametrize("far", [1e9, -1e15, 1e300])
def test_days_beyond_the_calendar_are_shown_as_numbers(far: float) -> None:
    stored = dpq.quantiles(DAYS, {"visit": (date(2015, 1, 1), date(2018, 1, 1))}, [0.5], epsilon=1).as_dict()
    stored["cells"][0]["values"] = [[far]]
    assert pd.isna(Release.from_json(json.dumps(stored)).to_frame()["value"].iloc[0])
    assert iso_date(far) == f"{far:,.0f}"
