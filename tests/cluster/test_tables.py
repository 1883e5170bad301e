"""A table on two workers: the records, claims and refusals of a table in memory, and nothing of a row leaves them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpq_core as dpq
from dpq_core import DataError, ParameterError
from dpq_core.calibrations import Calibrated, mechanism_of
from dpq_core.column import Column
from dpq_core.noise.fast import SeededSampler
from tests.cluster.frames import Received, Unread, below, blocks_of, distributed, spread, table_of, task_texts
from tests.harness import Plan

COLUMNS = {"pay": (0, 100, "0.1"), "days": (-5, 5, "0.01")}
BY = {"ward": ["west", "nobody here", "north", "east"]}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Rows of 400 persons, whose ids are texts with blanks around some of them, or missing; and missing values."""
    rng, rows = np.random.default_rng(5), 5000
    ids = rng.integers(0, 400, rows)
    made = pd.DataFrame(
        {
            "id": [f" secret-{each}" if row % 3 else f"secret-{each}" for row, each in enumerate(ids)],
            "number": ids,
            "pay": rng.normal(50, 25, rows).round(1),
            "days": rng.normal(0, 2, rows),
            "ward": rng.choice(["north", "east", "west", "hidden"], rows),
            "sex": rng.choice(["f", "m"], rows),
        }
    )
    made.loc[::40, "pay"] = np.nan
    made.loc[::70, "id"] = None
    return made


ONE_RECORD = (
    {"per_person": "mean"}, {"per_person": "median"}, {"per_person": "min"}, {"per_person": "first"},
    {"per_person": "last"},
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule", [{}, *ONE_RECORD, {"per_person": "weight"}], ids=lambda rule: rule.get("per_person", "rows")
)
@pytest.mark.parametrize("person", ["id", "number"])
def test_whole_columns_have_the_records_as_in_memory(frame: pd.DataFrame, rule: dict[str, Any], person: str) -> None:
    if not rule and person == "number":
        pytest.skip("the same without persons")
    rule = rule | ({"person": person} if rule else {})
    there, here = (table_of(each, COLUMNS, **rule) for each in (spread(frame), frame))
    assert there.columns.in_all == here.columns.in_all
    for name in COLUMNS:
        one, other = there[name], here[name]
        assert (one.n, one.dropped, one.unit, one.protects) == (other.n, other.dropped > 0, other.unit, other.protects)
        assert (one.per_person, one.max_rows_per_person, one.missing) == (
            other.per_person, other.max_rows_per_person, other.missing,
        )  # fmt: skip
        assert np.array_equal(below(one), below(other))
        assert not one.is_in_memory


@pytest.mark.slow
def test_round_numbers_have_as_much_room_as_in_memory(frame: pd.DataFrame) -> None:
    domain = dpq.Domain(0, 100)
    there, here = (table_of(each, {"pay": domain})["pay"] for each in (spread(frame), frame))
    assert there.domain == here.domain == domain
    assert there.domain.measure != "uniform"
    whole = here.places.own(domain.encode(np.array([10.0, 50.0])))
    assert [each.tolist() for each in there.places.own(domain.encode(np.array([10.0, 50.0])))] == [
        each.tolist() for each in whole
    ]
    assert abs(dpq.release(there, dpq.Plan("median", "aq", epsilon=4)).values["column"][0] - 50) < 5


@pytest.mark.slow
def test_missing_ids_may_be_persons_and_missing_values_may_count(frame: pd.DataFrame) -> None:
    rule = {"person": "id", "per_person": "weight", "missing_is_person": True, "missing": {"pay": 7}}
    there, here = (table_of(each, COLUMNS, **rule) for each in (spread(frame), frame))
    for name in COLUMNS:
        assert (there[name].n, there[name].dropped) == (here[name].n, here[name].dropped > 0)
        assert np.array_equal(below(there[name]), below(here[name]))


@pytest.mark.slow
@pytest.mark.parametrize("rule", [{"per_person": "random"}, {"max_rows_per_person": 3}], ids=str)
def test_rows_chosen_at_random_are_the_persons_own_and_as_many(rule: dict[str, Any]) -> None:
    rng = np.random.default_rng(2)
    persons = rng.permutation(np.repeat(np.arange(50), rng.integers(1, 9, 50)))
    own = pd.Series(persons).groupby(persons).cumcount()
    frame = pd.DataFrame({"id": persons, "x": persons * 10 + own})
    there = table_of(spread(frame), {"x": (0, 1000, 1)}, person="id", **rule)["x"]
    kept = np.flatnonzero(np.diff(below(there)))
    most = rule.get("max_rows_per_person", 1)
    assert np.array_equal(np.bincount(kept // 10), np.minimum(np.bincount(persons), most))
    assert set(kept.tolist()) <= set(frame["x"].tolist())
    again = table_of(spread(frame), {"x": (0, 1000, 1)}, person="id", **rule)["x"]
    assert not np.array_equal(below(there), below(again))  # the same 50 choices: below 1e-12


RULES_IN_GROUPS: tuple[dict[str, Any], ...] = (
    {},
    {"person": "id", "per_person": "mean", "max_groups_per_person": 3},
    {"person": "number", "per_person": "weight"},
    {"person": "id", "max_rows_per_person": 1000, "max_groups_per_person": "any"},
)


@pytest.mark.slow(keep="listed-rows")
@pytest.mark.parametrize("rule", RULES_IN_GROUPS, ids=["rows", "means", "shares", "all rows"])
@pytest.mark.parametrize(
    "by", [{"by": BY}, {"by": BY, "other": "rest"}, {"by": {**BY, "sex": ["m", "f"]}}], ids=["listed", "pooled", "two"]
)
def test_groups_have_the_records_of_the_table_in_memory(
    client: Any, frame: pd.DataFrame, rule: dict[str, Any], by: dict[str, Any]
) -> None:
    if "other" in by and rule.get("max_groups_per_person") == 3:
        rule = rule | {"max_groups_per_person": 4}  # of as many groups as there are, all are kept
    elif len(by["by"]) == 2 and rule.get("max_groups_per_person") == 3:
        rule = rule | {"max_groups_per_person": 6}
    there, here = (table_of(each, COLUMNS, **by, **rule) for each in (spread(frame), frame))
    for name in COLUMNS:
        one, other = there[name], here[name]
        assert (one.names, one.by, one.pooled, one.dropped) == (other.names, other.by, other.pooled, 0)
        blocks = blocks_of(client, one)
        assert [each for block in blocks for each in block.names] == list(other.names)
        assert np.array_equal(np.concatenate([block.sizes for block in blocks]), other.sizes)
        assert np.array_equal(np.concatenate([block.masses for block in blocks]), other.masses)
        for block in blocks:
            for at, group in enumerate(block.names):
                assert np.array_equal(below(block.column(at)), below(other.column_of_group(group)))


MECHANISMS: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("aq", {}, {"epsilon": 1}), ("aq", {"draws": "several"}, {"epsilon": 1}), ("indexp", {}, {"rho": 0.1}),
    ("jointexp", {}, {"epsilon": 1}), ("freetotal", {}, {"epsilon": 1}), ("aggtree", {}, {"epsilon": 1}),
    ("binhist", {}, {"epsilon": 1}), ("slice", {}, {"epsilon": 1, "delta": 1e-6}),
    ("gkexp", {"n_max": 10_000}, {"epsilon": 1}),
    ("normal", {"sigma": 25, "mean_bound": 1000}, {"epsilon": 1, "delta": 1e-6}),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "options", "budget"), MECHANISMS, ids=lambda each: str(each))
def test_every_mechanism_draws_what_it_draws_of_the_same_records_in_memory(
    frame: pd.DataFrame, mechanism: str, options: dict[str, Any], budget: dict[str, Any]
) -> None:
    adjacency: Any = "replaced" if mechanism == "normal" else "joins"
    plan = Plan("quartiles", mechanism, adjacency=adjacency, options=options, **budget)
    there = table_of(spread(frame, 3), {"pay": COLUMNS["pay"]}, missing=50)["pay"]
    cells = there.records[np.arange(there.n)]
    here = Column(cells, there.domain, there.tie_bits, None, there.dropped, missing=there.missing)
    drawn = [
        mechanism_of(plan).run(each, Calibrated.for_column(each, plan).parameters, SeededSampler(3, 4))
        for each in (there, here)
    ]
    assert np.array_equal(drawn[0], drawn[1])
    released = dpq.release(there, plan)
    assert released.guarantee == dpq.release(here, plan).guarantee


@pytest.mark.slow
def test_a_release_of_a_table_is_close_with_the_guarantee_of_one_in_memory(frame: pd.DataFrame) -> None:
    plan, singly = (dpq.Plan("quartiles", each, epsilon=20) for each in ("best", "indexp"))
    for rule in (
        {},
        {"by": BY},
        {"person": "id", "per_person": "weight"},
        {"by": BY, "person": "id", "per_person": "weight"},
    ):
        there, here = (table_of(each, COLUMNS, **rule) for each in (spread(frame), frame))
        asked = singly if rule.get("per_person") == "weight" else plan  # AQ draws shares on a cluster one at a time
        one, other = dpq.release(there, asked), dpq.release(here, asked)
        assert one.guarantee == other.guarantee
        assert list(one.to_frame().columns) == list(other.to_frame().columns)
        assert one.to_frame()["column"].tolist() == other.to_frame()["column"].tolist()
    names = [name for name in BY["ward"] if name != "nobody here"]
    grouped = dpq.release(table_of(spread(frame), COLUMNS, by=BY), plan).values["pay"]
    assert list(grouped) == BY["ward"]
    for name in names:  # of 1,200 records an answer misses by 60 ranks with a chance below 1e-100
        values = np.sort(frame.loc[(frame["ward"] == name) & frame["pay"].notna(), "pay"])
        ranks = np.searchsorted(values, grouped[name]) / values.size
        assert np.allclose(ranks, [0.25, 0.5, 0.75], atol=0.05)


@pytest.mark.slow
def test_groups_are_counted_and_simulated_where_they_are(frame: pd.DataFrame) -> None:
    there = table_of(spread(frame), COLUMNS, by=BY)
    plan = dpq.Plan("median", "aq", epsilon=4, intervals=0.9, about_n="noisy")
    released = dpq.release(there, plan)
    for each in released.cells:
        (note,) = (note for note in each.notes if note.startswith("Noisy counts"))
        assert [name for name in BY["ward"] if f"{name}: " in note] == BY["ward"]
        assert list(released.intervals[each.column]) == BY["ward"]
    studied = table_of(spread(frame), COLUMNS, by=BY, seed=1)
    study = dpq.simulate(studied, dpq.Plan("median", "aq", epsilon=4), trials=8, seed=2)
    errors = study.rank_errors["pay"]
    assert errors.shape == (8, 4, 1)
    assert (errors[:, 1] == 0).all()  # an empty group
    assert 0 < errors[:, [0, 2, 3]].mean() < 20
    with pytest.raises(ParameterError, match="seed"):
        dpq.release(studied, plan)


@pytest.mark.parametrize(("asked", "setting"), [
    ({"columns": {"x": (0, 9, 1)}, "by": {"g": dpq.FindGroups()}, "seed": 1}, "by"),
    ({"columns": {"y": (0, 9, 1)}}, "columns"),
    ({"columns": {"x": (0, 9, 1)}, "person": "who", "per_person": "mean"}, "person"),
    ({"columns": {"x": (0, 9, 1)}, "person": "id"}, "person"),
], ids=str)  # fmt: skip
def test_what_a_cluster_cannot_do_is_refused_unread(asked: dict[str, Any], setting: str) -> None:
    with pytest.raises(ParameterError) as refused:
        table_of(Unread(), **asked)
    assert refused.value.name == setting


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", ["jointexp", "freetotal"])
def test_joint_draws_of_shares_are_refused_before_anything_is_charged(frame: pd.DataFrame, mechanism: str) -> None:
    there = table_of(spread(frame), {"pay": COLUMNS["pay"]}, person="id", per_person="weight")["pay"]
    with pytest.raises(ParameterError, match="one quantile at a time") as refused:
        Calibrated.for_column(there, dpq.Plan("quartiles", mechanism, epsilon=1))
    assert refused.value.name == "mechanism"
    assert (
        len(vars(Calibrated.for_column(there, dpq.Plan("quartiles", "aq", epsilon=1)).parameters)["root"].levels) == 1
    )


def test_a_table_needs_a_connected_cluster(frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> None:
        raise ValueError("No clients found")

    monkeypatch.setattr(distributed, "default_client", nobody)
    with pytest.raises(ParameterError, match="connect first"):
        table_of(spread(frame), COLUMNS)


@pytest.mark.slow
def test_what_reads_all_groups_says_that_they_are_on_a_cluster(frame: pd.DataFrame) -> None:
    groups = table_of(spread(frame), COLUMNS, by=BY)["pay"]
    read_by = [
        lambda: groups.masses, lambda: groups.column_of_group("west"), lambda: groups.starts[0],
        lambda: groups.people_in,
    ]  # fmt: skip
    for read in read_by:
        with pytest.raises((DataError, AssertionError), match=r"cluster|private"):
            read()
    assert "5" not in repr(groups).split("Domain")[0]


@pytest.mark.slow
def test_keys_and_logs_hold_no_id_no_group_and_no_value(client: Any) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "id": [f"secret-{each}" for each in rng.integers(0, 50, 400)],
            "g": rng.choice(["hiddenward", "listed"], 400),
            "x": np.full(400, 77.123457),
        }
    )
    table = table_of(
        spread(frame, 2), {"x": (0, 100, "0.000001")}, by={"g": ["listed"]}, person="id", per_person="mean",
        max_groups_per_person=1,
    )  # fmt: skip
    whole = table_of(spread(frame, 2), {"x": (0, 100, "0.000001")}, person="id", per_person="weight")
    dpq.release(table, dpq.Plan("median", "aq", epsilon=1))
    dpq.release(whole, dpq.Plan("median", "aq", epsilon=1))
    texts = task_texts(client)
    assert "take-" in texts
    assert "_block-" in texts
    cell = str(77_123_457 << 20)[:8]
    # of eight digits: shorter ones are in some random number or time
    assert [hidden for hidden in ("secret", "hiddenward", "77.123457", "77123457", cell) if hidden in texts] == []


@pytest.mark.slow
def test_a_cell_that_is_no_number_is_a_sentence_and_in_no_log(client: Any, frame: pd.DataFrame) -> None:
    wrong = frame.assign(pay=frame["pay"].astype(object))
    wrong.loc[3, "pay"] = "unspeakable"
    for rule in ({}, {"person": "id", "per_person": "mean"}):
        with pytest.raises(DataError) as refused:
            table_of(spread(wrong), {"pay": COLUMNS["pay"]}, **rule)
        assert "unspeakable" not in str(refused.value) + task_texts(client)


def test_the_client_receives_answers_and_no_records(frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    received = Received(monkeypatch)
    table = table_of(spread(frame, 2), COLUMNS, by=BY, person="id", per_person="mean", max_groups_per_person=1)
    assert all(isinstance(each, int | bool) for each in received.each())
    received.answers.clear()
    dpq.release(table, dpq.Plan("median", "aq", epsilon=1))
    assert {type(each).__name__ for each in received.each()} == {"Drawn"}
    assert sum(each.values.size for each in received.each()) == len(COLUMNS) * len(BY["ward"])


IN_GROUPS = {"by": BY, "max_groups_per_person": 1}


def counting(part: pd.DataFrame, told: str) -> pd.DataFrame:
    """A partition whose reader writes how many of those that were read before its worker still holds."""
    held = [key for key in distributed.get_worker().data if "read_partition" in str(key)]
    with Path(told).open("a") as file:
        file.write(f"{len(held)}\n")
    return part


@pytest.mark.slow
@pytest.mark.parametrize("by", [{}, IN_GROUPS], ids=str)
def test_workers_hold_no_rows_that_they_have_sent(frame: pd.DataFrame, tmp_path: Path, by: dict[str, Any]) -> None:
    told = tmp_path / "held"
    parts = spread(frame, 24).map_partitions(counting, str(told), meta=frame.iloc[:0])
    table_of(parts, COLUMNS, person="id", per_person="mean", **by)
    held = [int(line) for line in told.read_text().splitlines()]
    assert len(held) == 24
    assert max(held) <= 3  # of 12 for each worker
