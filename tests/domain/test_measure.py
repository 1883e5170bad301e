"""A public measure with more room for round numbers: places, records, answers, exact losses, groups and counts."""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

import dpq_core as dpq
from dpq_core.calibrations import calibrate, mechanism_of
from dpq_core.domain import measure
from dpq_core.domain.measure import AT_ONCE, BaseMeasure, RoundPlaces, round_places
from dpq_core.mechanisms.exponential.density import log_density
from dpq_core.mechanisms.exponential.distribution import Ranges, Rate, Target, range_of_draw, rounded_rate
from dpq_core.mechanisms.indexp.mechanism import IndExpParameters
from dpq_core.studies.design import even_levels
from tests.audit.extremes import pairs
from tests.harness import ROUNDING, SAMPLERS
from tests.narrowing import only

SALARIES = dpq.Domain(0, 200_000, 1, measure="round")
FINE = dpq.Domain(0, 200_000)
GRIDS = [(0, 1, 61), (-7, Fraction(1, 2), 115), (3, Fraction(1, 4), 333), (-1000, 20, 101), (-12, 1, 2500)]


def assert_own_places(places, sizes):
    """Of each value, and of the value of each place: the first place, how many, and the first one behind them."""
    behind = np.cumsum(sizes)
    first, own = places.own(np.arange(sizes.size).reshape(1, -1))
    assert first.tolist() == [(behind - sizes).tolist()]
    assert own.tolist() == [sizes.tolist()]
    around = places.around(np.arange(places.count).reshape(-1, 1))
    for found, of_values in zip(around, (behind - sizes, behind), strict=True):
        assert found.shape == (places.count, 1)
        assert found[:, 0].tolist() == np.repeat(of_values, sizes).tolist()
    for each in range(min(places.count, 50)):  # few places are searched for, not looked up
        assert [int(end[0]) for end in places.around(np.array([each]))] == [int(end[each, 0]) for end in around]


@pytest.mark.parametrize(("cells", "bits"), [(1, 0), (7, 0), (5, 3)])
def test_values_of_one_size_have_their_own_places(cells, bits):
    assert_own_places(BaseMeasure(cells, bits), np.full(cells, 1 << bits))


def scales(lower, step, cells):
    """The distances of the multiples of each scale, in grid indices, from fine to coarse."""
    return sorted(period for part in measure._scales(lower, step, cells) for period in part.periods)


@pytest.mark.parametrize("bits", [0, 3])
@pytest.mark.parametrize("grid", GRIDS)
def test_every_place_belongs_to_one_value(grid, bits, monkeypatch):
    """Each kind of round numbers has its part of the room, evenly."""
    monkeypatch.setattr(measure, "FEWEST", 2)
    lower, step, cells = Fraction(grid[0]), Fraction(grid[1]), grid[2]
    places, of = round_places.__wrapped__(lower, step, cells, bits), scales(lower, step, cells)
    assert isinstance(places, RoundPlaces)
    assert len(of) >= 3
    sizes = np.full(cells, 1 << bits)
    for period in of:
        own = [cell for cell in range(cells) if (lower / step + cell) % period == 0]
        sizes[own] += int((cells << bits) * measure.HEAPED / (1 - measure.HEAPED) / len(of) / len(own))
    assert places.count == sizes.sum()
    assert places.cells_of(np.arange(places.count)).tolist() == np.repeat(np.arange(cells), sizes).tolist()
    assert places.before(np.arange(cells + 1)).tolist() == [0, *np.cumsum(sizes).tolist()]
    assert_own_places(places, sizes)


@pytest.mark.parametrize("bounds", [(0, 480), (0, 1), (-(10**6), 10**6), (0, 2**60, 1), (0, 2**61 - 1, 1)])
def test_places_fit_into_whole_numbers_of_64_bits(bounds):
    domain = dpq.Domain(*bounds, measure="round")
    places = domain.places(min(20, 61 - (domain.cells - 1).bit_length()))
    at = np.unique(np.random.default_rng(3).integers(0, domain.cells, 20_000))
    assert 0.25 < 1 - (domain.cells << places.bits) / places.count <= measure.HEAPED
    assert places.cells_of(places.before(at)).tolist() == at.tolist()
    assert places.cells_of(places.before(at + 1) - 1).tolist() == at.tolist()
    first, own = places.own(at)
    assert np.array_equal(first, places.before(at))
    assert np.array_equal(first + own, places.before(at + 1))
    for place in (first, first + own - 1):
        assert all(map(np.array_equal, places.around(place), (first, first + own)))
    assert dpq.Domain.from_dict(domain.as_dict()) == domain
    assert eval(repr(domain), {**vars(dpq)}) == domain


def test_places_of_a_fine_grid_are_exact():
    places, at = FINE.places(20), np.random.default_rng(1).integers(0, FINE.cells, 50_000)
    at = np.concatenate([at, np.arange(0, FINE.cells, 10**10), [FINE.cells - 1]])
    first, beyond = places.before(at), places.before(at + 1)
    assert (beyond - first >= 1 << 20).all()
    assert places.cells_of(first).tolist() == places.cells_of(beyond - 1).tolist() == at.tolist()
    thousands = FINE.encode(np.array([0.0, 1000.0, 57_000.0, 200_000.0]))
    ordinary = thousands[1:3] + 1
    assert (np.diff(places.before(np.stack([thousands, thousands + 1])), axis=0) > 10**12).all()
    assert (np.diff(places.before(np.stack([ordinary, ordinary + 1])), axis=0) == 1 << 20).all()


@pytest.mark.parametrize("domain", [SALARIES, dpq.Domain(0, 60, 1, measure="round")])
@pytest.mark.parametrize("bits", [0, 1, 4])
def test_a_record_takes_its_own_places_evenly(domain, bits):
    places, low = domain.places(bits), np.arange(1 << bits)
    for cell in [*range(61), domain.cells - 1]:
        if cell < domain.cells:
            at = np.full(low.shape, cell)
            first, size = int(places.before(at[:1])[0]), int(np.diff(places.before(np.array([cell, cell + 1])))[0])
            assert (places.place_of(at, low) - first).tolist() == [size * each >> bits for each in low.tolist()]


def test_sizes_whose_products_exceed_int64_are_exact():
    places, cell = FINE.places(20), FINE.encode(np.array([0.0, 100_000.0, 3000.0]))
    sizes = (places.before(cell + 1) - places.before(cell)).tolist()
    assert max(sizes) > 2**50
    for at, size in zip(cell, sizes, strict=True):
        low = np.array([0, 1, 12_345, (1 << 20) - 1])
        taken = places.place_of(np.full(4, at), low) - places.before(at)
        assert taken.tolist() == [size * each >> 20 for each in low.tolist()]


def test_round_numbers_are_multiples_of_one_two_and_five_times_powers_of_ten():
    assert scales(Fraction(0), Fraction(1), 121) == [2, 5]
    assert scales(Fraction(0), Fraction(1), 200_001)[-1] == 5_000
    assert scales(Fraction(-7), Fraction(1, 2), 400)[:2] == [2, 4]
    assert scales(Fraction(1, 2), Fraction(1), 400) == []
    assert scales(Fraction(0), Fraction(15), 400) == []
    found = [period * FINE.step for period in scales(FINE.lower, FINE.step, FINE.cells)]
    assert min(found) == Fraction(5, 100_000)
    assert max(found) == 5_000


@pytest.mark.parametrize(
    "domain", [SALARIES, FINE, dpq.Domain(-50, 50, "0.5", measure="round"), dpq.Domain(0, 2**60, 1, measure="round")]
)
def test_round_numbers_have_a_third_of_the_room_and_no_value_has_less_than_its_own(domain):
    bits = min(20, 61 - domain.cells.bit_length())
    places = domain.places(bits)
    assert isinstance(places, RoundPlaces)
    assert 0.3 < 1 - (domain.cells << bits) / places.count <= measure.HEAPED
    assert places.count < 2**62
    assert all((parts.more >= 0).all() for parts in places.parts)


def test_a_domain_records_its_measure_and_is_uniform_without_one():
    kept = {"lower": "0", "upper": "200000", "step": "1"}
    assert SALARIES.as_dict() == {**kept, "measure": "round"}
    for domain in (SALARIES, FINE, dpq.Domain.significant(2)):
        assert dpq.Domain.from_dict(domain.as_dict()) == domain
        assert eval(repr(domain), {**vars(dpq)}) == domain
        assert domain.uniform.measure == "uniform"
        assert domain.uniform.grid == domain.grid
    assert dpq.Domain.from_dict(kept).measure == "uniform" != SALARIES.measure
    assert dpq.Domain.from_dict(kept) != SALARIES
    assert dpq.Domain.from_dict(kept).as_dict() == kept
    assert dpq.Domain.from_dict({"lower": 0, "upper": 9}) == dpq.Domain(0, 9, measure="uniform") != dpq.Domain(0, 9)
    assert type(dpq.Domain.from_dict(kept).places(3)) is BaseMeasure
    assert repr(SALARIES) == "Domain(lower='0', upper='200000', step='1', measure='round')"
    assert dpq.Domain.significant().measure == dpq.Domain(0, 9, 1).measure == "uniform"


@pytest.mark.parametrize(
    "bounds", [(0, 200_000), (17, 90), ("-0.5", 7), (-1e9, 1e9), (0, "0.0003"), (10**6, 10**6 + 1)]
)
def test_without_a_step_round_numbers_are_values_and_have_more_room(bounds):
    domain = dpq.Domain(*bounds)
    assert domain.measure == "round"
    assert 10**12 < domain.cells <= 10**13
    assert isinstance(domain.places(9), RoundPlaces)
    assert (domain.exact_value(0), domain.exact_value(domain.cells - 1)) == (domain.lower, domain.upper)


@pytest.mark.parametrize("bounds", [(0, Fraction(1, 3)), (0.1234567890123456, 7)])
def test_bounds_of_many_digits_have_values_with_the_same_room(bounds):
    assert dpq.Domain(*bounds) == dpq.Domain(*bounds, measure="uniform")
    assert dpq.Domain(*bounds).cells == 2**40 + 1


@pytest.mark.parametrize(("upper", "step", "measure", "said"), [
    (Fraction(1, 3), None, "round", "must be given where"), (100, 1, "heaps", "`measure`"),
    (100, None, "Round", "`measure`"), (2**61, 1, "round", r"more than 2\^61"),
])  # fmt: skip
def test_a_measure_that_does_not_fit_is_refused(upper, step, measure, said):
    with pytest.raises(dpq.ParameterError, match=said):
        dpq.Domain(0, upper, step, measure=measure)


def test_made_up_columns_have_no_round_numbers():
    evenly = np.linspace(0, 1, 1001)
    found = FINE.at_fractions(evenly)
    assert found == pytest.approx(evenly * 200_000, abs=0.2)
    assert (found[0], found[-1]) == (0, 200_000)
    assert (np.diff(found) > 0).all()
    places, cell = FINE.places(20), FINE.encode(found[1:-1])
    assert (places.before(cell + 1) - places.before(cell) < 10**8).all()
    assert (FINE.uniform.at_fractions(evenly) == evenly * 200_000).all()


def heaped(rng, n):
    """Salaries, half of them rounded to 1,000."""
    exact = rng.lognormal(10.6, 0.5, n)
    return np.where(rng.random(n) < 0.5, np.round(exact, -3), np.round(exact))


def test_records_keep_their_values_and_nobody_moves_another():
    values = heaped(np.random.default_rng(1), 500)
    column = dpq.Column.from_values(values, SALARIES, seed=3)
    assert column.values_of(column.cells).tolist() == np.sort(np.clip(values, 0, 200_000)).tolist()
    fewer = dpq.Column.from_values(values[:-1], SALARIES, seed=3)
    assert len(np.setdiff1d(column.cells, fewer.cells)) <= 1
    assert np.setdiff1d(fewer.cells, column.cells).size == 0
    batches = dpq.Column.from_values(iter([values[:123], values[123:]]), SALARIES, seed=3)
    assert batches.cells.tolist() == column.cells.tolist()
    unseeded = dpq.Column.from_values(values, SALARIES)
    assert unseeded.cells.tolist() != dpq.Column.from_values(values, SALARIES).cells.tolist()
    cells = SALARIES.encode(values)
    assert unseeded.count_below(cells).tolist() == [int((values < each).sum()) for each in values.tolist()]


@pytest.mark.parametrize("mechanism", ["aq", "indexp", "jointexp", "freetotal", "aggtree", "slice"])
def test_every_mechanism_that_reads_an_order_answers_on_it(mechanism):
    column = dpq.Column.from_values(heaped(np.random.default_rng(1), 3000), SALARIES)
    plan = dpq.Plan(["1/4", "1/2", "3/4"], mechanism, dpq.PureDP(5.0), dpq.Adjacency.REPLACE_ONE)
    answers = np.array(dpq.release(column, plan).values["column"])
    assert (answers == np.round(answers)).all()
    assert (np.diff(answers) >= 0).all()
    assert np.abs(answers - np.quantile(column.values_of(column.cells), [0.25, 0.5, 0.75])).max() < 5000
    study = dpq.simulate(dpq.Column.from_values([5.0] * 2000, SALARIES, seed=1), plan, trials=3, seed=1)
    assert (study.rank_errors["column"] == 0).mean() > 0.5 or mechanism in ("aggtree", "slice")


@pytest.mark.slow(keep="5")
@pytest.mark.parametrize("m", [5, 20])
def test_heaped_salaries_are_answered_with_less_error(m):
    """With a third less at least, at five and at twenty levels; no more than a tenth more where nothing is heaped."""
    plan, errors = dpq.Plan(even_levels(m), "aq", dpq.PureDP(1.0)), defaultdict(list)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        for name, values in (("heaped", heaped(rng, 1000)), ("plain", np.round(rng.lognormal(10.6, 0.5, 1000)))):
            for domain in (SALARIES, dpq.Domain(0, 200_000, 1)):
                column = dpq.Column.from_values(values, domain, seed=seed)
                errors[name, domain.measure].append(
                    dpq.simulate(column, plan, 100, seed=seed)["column"].rank_errors.mean()
                )
    mean = {key: np.mean(found) for key, found in errors.items()}
    assert mean["heaped", "round"] < mean["heaped", "uniform"]
    assert mean["plain", "round"] < 1.15 * mean["plain", "uniform"]


# ── exact losses ─────────────────────────────────────────────────────────────────────────────────────────────────────

BITS = 1
GRID = 5


@pytest.fixture
def uneven(monkeypatch):
    """A grid of five values with 5, 2, 5, 2 and 5 places."""
    monkeypatch.setattr(measure, "FEWEST", 3)
    monkeypatch.setattr(measure, "HEAPED", Fraction(1, 2))
    round_places.cache_clear()
    domain = dpq.Domain(0, GRID - 1, 1, measure="round")
    assert np.diff(domain.places(BITS).before(np.arange(GRID + 1))).tolist() == [5, 2, 5, 2, 5]
    yield domain
    round_places.cache_clear()


def samples_of(domain, values):
    """The samples that places for all records may make, each as likely."""
    places = domain.places(BITS)
    for low in product(range(1 << BITS), repeat=len(values)):
        records = np.sort(places.place_of(np.array(values, np.int64), np.array(low, np.int64)))
        yield dpq.Column(records, domain, BITS, 0, 0)


def law_of_values(domain, values, target_level):
    """Chances of the five values, averaged over the places of all records, as stated for one draw."""
    places, found = domain.places(BITS), []
    outputs = np.arange(places.count)[:, None]
    for column in samples_of(domain, values):
        parts = Ranges.whole(column.n, places.count, outputs.shape, places)
        chances = np.exp(log_density(column.cells, parts, (target_level,), outputs)[:, 0])
        found.append(np.bincount(places.cells_of(outputs[:, 0]), chances, GRID))
    return np.mean(found, axis=0)


def largest_loss(domain, level, adjacency, times):
    replaced = adjacency is dpq.Adjacency.REPLACE_ONE
    rate = Rate(rounded_rate(1 / range_of_draw(level, replaced)) * times)
    law = cache(lambda values: law_of_values(domain, values, Target((level,), rate, replaced, signed=True)))
    compared = pairs(GRID, (2, 3) if replaced else (0, 1, 2), adjacency)
    return max(float(np.abs(np.log(law(one) / law(other))).max()) for one, other in compared)


@pytest.mark.slow(keep="level2-replace_one")
@pytest.mark.parametrize("adjacency", dpq.Adjacency)
@pytest.mark.parametrize("level", [Fraction(0), Fraction(1, 3), Fraction(1, 2)])
def test_no_answers_lose_more_than_the_claim_and_less_noise_does(level, adjacency, uneven):
    """All data sets of up to three records, the places that break ties averaged over, as in a release."""
    assert 0.3 < largest_loss(uneven, level, adjacency, Fraction(1)) <= 1 + ROUNDING
    assert largest_loss(uneven, level, adjacency, Fraction(4)) > 1


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("values", [(), (2, 2), (1, 2, 2, 4)])
def test_both_samplers_draw_values_as_stated(values, sampler, uneven):
    """Along all outcomes, for each choice of places."""
    plan = dpq.Plan(["1/3"], "indexp", dpq.PureDP(1.0))
    parameters, found, count = only(IndExpParameters, calibrate(plan)), np.zeros(GRID), 0
    for column in samples_of(uneven, values):
        law = SAMPLERS[sampler](
            lambda entropy, column=column: int(mechanism_of(plan).run(column, parameters, entropy)[0, 0])
        )
        for place, chance in law.chances.items():
            found[int(column.places.cells_of(np.array(place)))] += float(chance)
        count += 1
    assert found / count == pytest.approx(law_of_values(uneven, values, parameters.target_levels[0]), abs=1e-9)


# ── groups, and what reads values alone ───────────────────────────────────────────────────────────────────────────────

MEASURED = [SALARIES, FINE]


@pytest.mark.parametrize("domain", MEASURED)
def test_what_reads_values_alone_reads_the_same_of_every_measure(domain):
    """A normal sample, bins and sketches: for the same noise they answer as on the values with the same room."""
    values, equal = heaped(np.random.default_rng(1), 2000), domain.uniform
    normal = dpq.Plan(
        ["1/2"], "normal", dpq.PureDP(1.0), dpq.Adjacency.REPLACE_ONE, {"sigma": 20_000, "mean_bound": 100_000}
    )
    plans = [
        dpq.Plan(["1/2"], "binhist", dpq.PureDP(1.0), intervals=0.9),
        dpq.Plan(["1/2"], "gkexp", dpq.PureDP(1.0), options={"n_max": 2000}),
    ]
    for plan in [normal, *plans]:
        found = [
            dpq.simulate(dpq.Column.from_values(values, each, seed=1), plan, 20, 1)["column"]
            for each in (domain, equal)
        ]
        assert found[0].values.tolist() == found[1].values.tolist()
        assert found[0].rank_errors.tolist() == found[1].rank_errors.tolist()
        ends, equal_ends = (each.intervals for each in found)
        assert (ends is None) == (equal_ends is None) == (plan.intervals is None)
        if ends is not None and equal_ends is not None:
            assert ends.tolist() == equal_ends.tolist()
    counts = [dpq.BinCounts(each) for each in (domain, equal)]
    sketches = [dpq.GKSketch(0.1, each, 2000) for each in (domain, equal)]
    for one, other in (counts, sketches):
        one.update(values)
        other.update(values)
    assert counts[0].counts.tolist() == counts[1].counts.tolist()
    at = domain.encode(values)
    assert [x.tolist() for x in sketches[0].rank_bounds(at)] == [x.tolist() for x in sketches[1].rank_bounds(at)]


def test_exact_losses_need_the_same_room_or_a_lemma():
    plan = dpq.Plan(["1/2"], "indexp", dpq.PureDP(1.0))
    with pytest.raises(dpq.ParameterError, match="must have the `measure` uniform"):
        dpq.privacy_loss(plan, [1.0], [1.0, 2.0], dpq.Domain(0, 40, 1, measure="round"))
    by_lemma = dpq.Plan(["1/2"], "binhist", dpq.PureDP(1.0))
    for domain in (FINE, dpq.Domain(0, 40, 1, measure="round")):
        found, equal = (dpq.privacy_loss(by_lemma, [1.0], [1.0, 2.0], each) for each in (domain, domain.uniform))
        assert found == equal
        assert found.method == "lemma"
        assert 0.9 < found.epsilon <= 1


def test_places_of_many_records_are_those_of_each() -> None:
    measure = dpq.Domain(0, 1000).places(20)
    cells, low = np.arange(3 * AT_ONCE + 5) * 10**8, np.arange(3 * AT_ONCE + 5)
    found = measure.place_of(cells, low)
    for some in (slice(0, 9), slice(AT_ONCE - 4, AT_ONCE + 4), slice(3 * AT_ONCE - 4, None)):
        assert (found[some] == [int(measure.place_of(cells[at], low[at])) for at in range(cells.size)[some]]).all()
