"""Shares: all rows of a person weigh 1 together, ranks are sums of weights, and nobody else's rows matter."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpq_core as dpq
from dpq_core.people.shares import UNIT, WeightedCells, share_cells, share_rows
from dpq_core.plan import OptionValue

GRID = dpq.Domain(0, 9, 1)
FINE = dpq.Domain(0, 9)
TABLES = st.lists(st.tuples(st.sampled_from("abcde"), st.integers(0, 9)), max_size=30)


def shares(values, ids, domain=GRID, **settings):
    return dpq.Column.from_values(values, domain, people=dpq.People.of(ids), per_person="weight", **settings)


def weights_of(ids, unit=UNIT):
    rows, weights = share_rows(dpq.People.of(ids).codes, dpq.People.of(ids).count, unit)
    found = np.zeros(len(ids), np.int64)
    found[rows] = weights
    return found


@given(st.lists(st.sampled_from("abcde"), max_size=40), st.sampled_from([1, 2, 4, UNIT]))
def test_rows_of_a_person_weigh_one_together_and_alike(ids, unit):
    found = weights_of(ids, unit)
    for person in set(ids):
        own = found[[each == person for each in ids]]
        assert own.sum() == unit
        assert own.max() - own.min() <= 1
        assert np.cumsum(own).tolist() == [(place + 1) * unit // own.size for place in range(own.size)]
        alone = weights_of([person] * own.size, unit)
        assert own.tolist() == alone.tolist()


@given(TABLES)
def test_ranks_are_sums_of_weights_in_whatever_way_rows_are_sorted(rows):
    ids, values = [row[0] for row in rows], np.array([row[1] for row in rows], np.int64)
    weights, persons = weights_of(ids), len(set(ids))
    column = shares(values, ids, tie_bits=0, seed=0)
    assert (column.n, column.unit, column.records.size, column.dropped) == (persons, UNIT, persons * UNIT, 0)
    below = [int(weights[values < each].sum()) for each in range(11)]
    assert column.count_below(np.arange(11)).tolist() == below
    order = np.argsort(values, kind="stable")
    plain = WeightedCells.of(values[order], weights[order])
    wide = WeightedCells.of(
        *share_cells(values << 59, np.zeros(values.size), dpq.People.of(ids), False)[:2]
    )  # no room beside a weight
    places = np.array([0, 1, persons * UNIT // 2, persons * UNIT - 1]) if rows else np.empty(0, np.int64)
    assert column.records[places].tolist() == plain[places].tolist() == (wide[places] >> 59).tolist()
    for start, end in [(0, persons * UNIT), (UNIT // 3, persons * UNIT - 5)]:
        part = plain[start:end]
        assert part.size == max(min(end, persons * UNIT) - min(start, persons * UNIT), 0)
        assert part.searchsorted(np.arange(11)).tolist() == np.clip(np.array(below) - start, 0, part.size).tolist()


@pytest.mark.parametrize("at_once", [10, 2999, 1 << 14])
def test_many_rows_on_a_wide_grid_are_sorted_with_their_weights(at_once, monkeypatch):
    """Slots that differ in their low bits only, too: they do not fit beside the place of a row."""
    monkeypatch.setattr("dpq_core.arrays.AT_ONCE", at_once)
    rng = np.random.default_rng(0)
    cells = rng.integers(1 << 59, 1 << 60, 3000) >> 8 << 8
    cells[::2] = (1 << 59) + rng.integers(0, 50, 1500)
    people = dpq.People.of(rng.integers(0, 400, 3000))
    found = WeightedCells.of(*share_cells(cells.copy(), np.zeros(3000), people, False)[:2])
    weights = np.zeros(3000, np.int64)
    rows, own = share_rows(people.codes, people.count)
    weights[rows] = own
    wanted = np.unique(cells)
    assert (np.diff(found.rows) >= 0).all()
    assert found.searchsorted(wanted).tolist() == [int(weights[cells < each].sum()) for each in wanted]


def test_weights_of_one_unit_are_records():
    """The same seeds, the same answers: of unweighted data nothing is different."""
    cells = np.sort(np.random.default_rng(1).integers(0, 1 << 40, 500))
    plain = dpq.Column(cells, dpq.Domain(0, (1 << 40) - 1, 1), 0, 1, 0)
    weighted = dpq.Column(WeightedCells.of(cells, np.ones(500, np.int64), unit=1), plain.domain, 0, 1, 0)
    for key in ("aq", "indexp", "aggtree", "binhist"):
        plan = dpq.Plan(["1/10", "1/3", "1/2", "9/10"], key)
        one, other = (dpq.simulate(data, plan, 70, 5).values["column"].tolist() for data in (plain, weighted))
        assert one == other


def test_a_large_number_of_rows_is_never_written_down():
    column = shares(np.arange(3000) % 10, np.arange(3000) // 300, FINE)
    assert (column.n, column.cells.size) == (10, 3000)
    assert len(dpq.release(column, dpq.Plan(["1/4", "1/2"])).values["column"]) == 2


def test_quantiles_and_rank_errors_are_weighted_and_in_persons():
    """Of ten rows 9 and of one row 3: half of the weight lies at 3, however many rows lie at 9."""
    column = shares([3, *[9] * 10], ["a", *["b"] * 10], tie_bits=0)
    assert dpq.true_quantiles(column, [0.5, 0.4, 0.6, 1]).tolist() == [3, 3, 9, 9]
    found = dpq.rank_errors(column, [0.5, 0.25, 0.75, 0.75], [3, 9, 3, 0])
    assert found.tolist() == [0, 0.5, 0.5, 1.5]
    half = shares([1, 9, 9], ["a", "a", "b"], tie_bits=0)
    assert dpq.rank_errors(half, [0.5], [5]) == pytest.approx([0.5])
    study = dpq.simulate(half, dpq.Plan(["1/2"], "aq", dpq.PureDP(50.0)), 20, 0)["column"]
    assert set(study.values.ravel().tolist()) <= set(map(float, range(10)))
    assert study.rank_errors.max() <= 1


def test_missing_values_and_ids():
    values, ids = [1.0, np.nan, np.nan, np.nan, 5.0, 2.0], ["a", "a", "b", "b", None, "c"]
    column = shares(values, ids, tie_bits=0)
    assert (column.n, column.dropped, column.cells.tolist()) == (2, 2, [1, 2])
    replaced = shares(values[:4], ids[:4], missing=7, tie_bits=0)
    assert (replaced.n, replaced.dropped, replaced.cells.tolist()) == (2, 0, [1, 7])
    plan = dpq.Plan(["1/2"], "aq", dpq.PureDP(1.0), dpq.Adjacency.REPLACE_ONE)
    assert dpq.release(replaced, plan).guarantee.protects == "person"
    with pytest.raises(dpq.DataError, match="not public"):
        dpq.release(column, plan)


@pytest.mark.parametrize("key", dpq.MECHANISMS)
def test_a_mechanism_takes_shares_or_says_what_to_take(key):
    needed: dict[str, dict[str, OptionValue]] = {"gkexp": {"n_max": 100}, "normal": {"sigma": 1.0, "mean_bound": 9.0}}
    adjacency = dpq.Adjacency.REPLACE_ONE if key == "normal" else dpq.Adjacency.ADD_REMOVE
    plan = dpq.Plan(["1/2"], key, dpq.PureDP(1.0), adjacency, needed.get(key))
    column = shares([1, 2, 2, 8], ["a", "a", "b", "c"])
    if dpq.MECHANISMS[key].PROFILE.reads_shares:
        guarantee = dpq.release(column, plan).guarantee
        assert guarantee.protects == "person"
        assert guarantee.epsilon == pytest.approx(1.0)
    else:
        with pytest.raises(dpq.ParameterError, match="`per_person` must make one record of each person") as refused:
            dpq.release(column, plan)
        assert [way.value for way in refused.value.remedies] == ["aq"]


def test_what_shows_single_records_and_noise_beyond_integers_are_refused():
    column = shares([1, 2], ["a", "a"])
    with pytest.raises(dpq.ParameterError, match="`per_person` must"):
        dpq.explain(column, dpq.Plan(["1/2"]))
    with pytest.raises(dpq.ParameterError, match="one record of each person"):
        dpq.GKSketch.from_column(column, 0.1, 100)
    for key in ("aggtree", "binhist"):
        with pytest.raises(dpq.ParameterError, match="`privacy` must be larger for shares"):
            dpq.release(column, dpq.Plan(["1/2"], key, dpq.PureDP(1e-9), dpq.Adjacency.REPLACE_ONE))


def test_a_sample_of_shares_tells_nothing_and_comes_back_whole():
    column = shares([1, 2, 2, 8], ["a", "a", "b", "c"])
    again = pickle.loads(pickle.dumps(column))
    assert again.records.rows.tolist() == column.records.rows.tolist()
    assert not again.records.rows.flags.writeable
    assert repr(column.records) == "WeightedCells()"
