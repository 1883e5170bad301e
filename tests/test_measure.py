"""A public measure with more room for round numbers: places, records, answers, exact losses, and what refuses it."""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpq_core import (
    Adjacency,
    BinCounts,
    Domain,
    GKSketch,
    Groups,
    ParameterError,
    People,
    Plan,
    PureDP,
    Sample,
    calibrate,
    explain,
    privacy_loss,
    release,
    simulate,
)
from dpq_core.calibrations import mechanism_of
from dpq_core.domain import measure
from dpq_core.domain.measure import Heap, Places, Shifted, round_places, scales
from dpq_core.mechanisms import DrawStep
from dpq_core.mechanisms.exponential import Partitions, Rate, TargetLevel, guarded, log_density, range_of_draw
from dpq_core.mechanisms.indexp.mechanism import IndExpParameters
from dpq_core.studies.grid import even_levels
from tests.audit.enumerated import SAMPLERS
from tests.audit.extremes import ROUNDING, pairs
from tests.narrowing import all_of, only

SALARIES = Domain(0, 200_000, 1, measure="round")
places_of_any = st.builds(
    Places,
    st.integers(1, 60),
    st.integers(0, 3),
    st.lists(st.builds(Heap, st.integers(0, 20), st.integers(1, 9), st.integers(0, 7)), max_size=3).map(tuple),
)


@given(places_of_any)
def test_every_place_belongs_to_one_value(places):
    sizes = [
        (1 << places.bits) + sum(h.more for h in places.heaps if cell >= h.first and (cell - h.first) % h.period == 0)
        for cell in range(places.cells)
    ]
    assert places.count == sum(sizes)
    assert places.cells_of(np.arange(places.count)).tolist() == np.repeat(np.arange(places.cells), sizes).tolist()
    assert places.before(np.arange(places.cells + 1)).tolist() == [0, *np.cumsum(sizes).tolist()]


@given(places_of_any)
def test_a_record_takes_its_own_places_evenly(places):
    for cell in range(places.cells):
        low = np.arange(1 << places.bits)
        taken = places.place_of(np.full(low.shape, cell), low) - int(places.before(np.array(cell)))
        size = int(places.before(np.array(cell + 1)) - places.before(np.array(cell)))
        assert taken.tolist() == [size * each >> places.bits for each in low.tolist()]


def test_sizes_beyond_floats_and_products_beyond_int64_are_exact():
    places = Places(1000, 20, (Heap(0, 10, 10**16 + 1),))
    size = (1 << 20) + 10**16 + 1
    low = np.array([0, 1, (1 << 20) - 1])
    assert places.place_of(np.zeros(3, np.int64), low).tolist() == [size * each >> 20 for each in low.tolist()]


def test_round_numbers_are_multiples_of_one_two_and_five_times_powers_of_ten():
    assert [period for _, period in scales(Fraction(0), Fraction(1), 121)] == [2, 5]
    assert [period for _, period in scales(Fraction(0), Fraction(1), 200_001)][-1] == 10_000
    assert scales(Fraction(-7), Fraction(1, 2), 400)[:2] == [
        (0, 2),
        (2, 4),
    ]  # -7 is whole, and the first even number is -6
    assert scales(Fraction(1, 2), Fraction(1), 400) == []


@pytest.mark.parametrize(
    "domain", [SALARIES, Domain(-50, 50, "0.5", measure="round"), Domain(0, 2**60, 1, measure="round")]
)
def test_round_numbers_have_a_tenth_of_the_room_and_no_value_has_less_than_its_own(domain):
    bits = min(20, 61 - domain.cells.bit_length())
    places = round_places(domain.lower, domain.step, domain.cells, bits)
    assert places.heaps
    assert 0.08 < 1 - (domain.cells << bits) / places.count <= measure.HEAPED
    assert places.count < 2**62
    assert all(heap.more >= 0 for heap in places.heaps)


def test_a_domain_records_its_measure_and_is_uniform_without_one():
    kept = {"lower": "0", "upper": "200000", "step": "1"}
    assert SALARIES.as_dict() == {**kept, "measure": "round"}
    assert Domain.from_dict(SALARIES.as_dict()) == SALARIES
    assert Domain.from_dict(kept).measure == "uniform" != SALARIES.measure
    assert Domain.from_dict(kept) != SALARIES
    assert Domain.from_dict(kept).as_dict() == kept
    assert isinstance(Domain.from_dict(kept).places(3), Shifted)
    assert repr(SALARIES) == "Domain(lower='0', upper='200000', step='1', measure='round')"
    assert Domain.significant().measure == "uniform"


@pytest.mark.parametrize(
    ("given", "what"), [({"measure": "heaps", "step": 1}, "measure"), ({"measure": "round"}, "step")]
)
def test_an_unknown_measure_and_one_without_a_step_are_refused(given, what):
    with pytest.raises(ParameterError) as refused:
        Domain(0, 100, **given)
    assert refused.value.name == what


def heaped(rng, n):
    """Salaries, half of them rounded to 1,000."""
    exact = rng.lognormal(10.6, 0.5, n)
    return np.where(rng.random(n) < 0.5, np.round(exact, -3), np.round(exact))


def test_records_keep_their_values_and_nobody_moves_another():
    values = heaped(np.random.default_rng(1), 500)
    sample = Sample.from_values(values, SALARIES, seed=3)
    assert sample.values_of(sample.cells).tolist() == np.sort(np.clip(values, 0, 200_000)).tolist()
    fewer = Sample.from_values(values[:-1], SALARIES, seed=3)
    assert len(np.setdiff1d(sample.cells, fewer.cells)) <= 1
    assert np.setdiff1d(fewer.cells, sample.cells).size == 0
    batches = Sample.from_batches([values[:123], values[123:]], SALARIES, seed=3)
    assert batches.cells.tolist() == sample.cells.tolist()
    unseeded = Sample.from_values(values, SALARIES)
    assert unseeded.cells.tolist() != Sample.from_values(values, SALARIES).cells.tolist()
    cells = SALARIES.encode(values)
    assert unseeded.count_below(cells).tolist() == [int((values < each).sum()) for each in values.tolist()]


@pytest.mark.parametrize("mechanism", ["aq", "indexp", "jointexp", "freetotal", "aggtree", "slice"])
def test_every_mechanism_that_reads_an_order_answers_on_it(mechanism):
    sample = Sample.from_values(heaped(np.random.default_rng(1), 3000), SALARIES)
    plan = Plan(["1/4", "1/2", "3/4"], mechanism, PureDP(5.0), Adjacency.SUBSTITUTE)
    answers = np.array(release(sample, plan).values)
    assert (answers == np.round(answers)).all()
    assert (np.diff(answers) >= 0).all()
    assert np.abs(answers - np.quantile(sample.values_of(sample.cells), [0.25, 0.5, 0.75])).max() < 5000
    study = simulate(Sample.from_values([5.0] * 2000, SALARIES, seed=1), plan, trials=3, seed=1)
    assert (study.rank_errors == 0).mean() > 0.5 or mechanism in ("aggtree", "slice")


def test_shares_intervals_and_steps_work_on_it():
    values = heaped(np.random.default_rng(1), 2000)
    people = People.of([each % 700 for each in range(2000)])
    shares = Sample.from_values(values, SALARIES, people=people, take="share")
    plan = Plan(["1/2"], "aq", PureDP(2.0))
    assert 20_000 < release(shares, plan).values[0] < 80_000
    sure = release(Sample.from_values(values, SALARIES), Plan(["1/2"], "aq", PureDP(2.0), intervals=0.9, about_n=2000))
    assert sure.intervals[0][0] <= sure.values[0] <= sure.intervals[0][1]
    (step,) = all_of(DrawStep, explain(Sample.from_values(values, SALARIES, seed=1), plan, seed=1).steps)
    starts, chances = step.distribution
    assert sum(chances) == pytest.approx(1)
    assert all(start == round(start) for start in starts)


@pytest.mark.parametrize("m", [5, 20])
def test_heaped_salaries_are_answered_with_less_error(m):
    """With a third less at least, at five and at twenty levels; no more than a tenth more where nothing is heaped."""
    plan, errors = Plan(even_levels(m), "aq", PureDP(1.0)), defaultdict(list)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        for name, values in (("heaped", heaped(rng, 1000)), ("plain", np.round(rng.lognormal(10.6, 0.5, 1000)))):
            for domain in (SALARIES, Domain(0, 200_000, 1)):
                sample = Sample.from_values(values, domain, seed=seed)
                errors[name, domain.measure].append(simulate(sample, plan, 100, seed=seed).rank_errors.mean())
    mean = {key: np.mean(found) for key, found in errors.items()}
    assert mean["heaped", "round"] < mean["heaped", "uniform"]
    assert mean["plain", "round"] < 1.15 * mean["plain", "uniform"]


# ── exact losses ─────────────────────────────────────────────────────────────────────────────────────────────────────

BITS = 1
GRID = 5


@pytest.fixture
def uneven(monkeypatch):
    """A grid of five values with 5, 2, 5, 2 and 5 places."""
    monkeypatch.setattr(measure, "FEWEST", 2)
    monkeypatch.setattr(measure, "HEAPED", Fraction(1, 2))
    domain = Domain(0, GRID - 1, 1, measure="round")
    assert np.diff(domain.places(BITS).before(np.arange(GRID + 1))).tolist() == [5, 2, 5, 2, 5]
    return domain


def samples_of(domain, values):
    """The samples that places for all records may make, each as likely."""
    places = domain.places(BITS)
    for low in product(range(1 << BITS), repeat=len(values)):
        records = np.sort(places.place_of(np.array(values, np.int64), np.array(low, np.int64)))
        yield Sample(records, domain, BITS, 0, 0)


def law_of_values(domain, values, target_level):
    """Chances of the five values, averaged over the places of all records, as stated for one draw."""
    places, found = domain.places(BITS), []
    outputs = np.arange(places.count)[:, None]
    for sample in samples_of(domain, values):
        parts = Partitions.whole(sample.n, places.count, outputs.shape, places)
        chances = np.exp(log_density(sample.cells, parts, (target_level,), outputs)[:, 0])
        found.append(np.bincount(places.cells_of(outputs[:, 0]), chances, GRID))
    return np.mean(found, axis=0)


def largest_loss(domain, level, adjacency, times):
    replaced = adjacency is Adjacency.SUBSTITUTE
    rate = Rate(guarded(1 / range_of_draw(level, replaced)) * times)
    law = cache(lambda values: law_of_values(domain, values, TargetLevel(level, rate, replaced, signed=True)))
    compared = pairs(GRID, (2, 3) if replaced else (0, 1, 2), adjacency)
    return max(float(np.abs(np.log(law(one) / law(other))).max()) for one, other in compared)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("level", [Fraction(0), Fraction(1, 3), Fraction(1, 2)])
def test_no_answers_lose_more_than_the_claim_and_less_noise_does(level, adjacency, uneven):
    """All data sets of up to three records, the places that break ties averaged over, as in a release."""
    assert 0.3 < largest_loss(uneven, level, adjacency, Fraction(1)) <= 1 + ROUNDING
    assert largest_loss(uneven, level, adjacency, Fraction(4)) > 1


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("values", [(), (2, 2), (1, 2, 2, 4)])
def test_both_samplers_draw_values_as_stated(values, sampler, uneven):
    """Along all outcomes, for each choice of places."""
    plan = Plan(["1/3"], "indexp", PureDP(1.0))
    parameters, found, count = only(IndExpParameters, calibrate(plan)), np.zeros(GRID), 0
    for sample in samples_of(uneven, values):
        law = SAMPLERS[sampler](
            lambda entropy, sample=sample: int(mechanism_of(plan).run(sample, parameters, entropy)[0, 0])
        )
        for place, chance in law.chances.items():
            found[int(sample.places.cells_of(np.array(place)))] += float(chance)
        count += 1
    assert found / count == pytest.approx(law_of_values(uneven, values, parameters.target_levels[0]), abs=1e-9)


# ── what refuses it ──────────────────────────────────────────────────────────────────────────────────────────────────


def refusals():
    values, plan = [1000.0, 2000.0], Plan(["1/2"], "indexp", PureDP(1.0))
    sample = Sample.from_values(values, SALARIES)
    normal = Plan(["1/2"], "normal", PureDP(1.0), Adjacency.SUBSTITUTE, {"sigma": 10, "mean_bound": 1000})
    return {
        "groups": lambda: Groups.from_values(values, ["a", "b"], SALARIES, names=["a", "b"]),
        "values with counts": lambda: Sample.from_counts(values, [3, 4], SALARIES),
        "sketches": lambda: GKSketch(alpha=0.1, domain=SALARIES, n_max=100),
        "counts in bins": lambda: BinCounts(SALARIES),
        "an exact loss": lambda: privacy_loss(plan, [1.0], [1.0, 2.0], Domain(0, 40, 1, measure="round")),
        "normal": lambda: release(sample, normal),
        "bins": lambda: release(sample, Plan(["1/2"], "binhist", PureDP(1.0))),
        "a sketch of a sample": lambda: release(sample, Plan(["1/2"], "gkexp", PureDP(1.0), options={"n_max": 100})),
    }


@pytest.mark.parametrize("what", refusals())
def test_what_reads_more_than_an_order_refuses_it(what):
    with pytest.raises(ParameterError, match="must have the `measure` uniform"):
        refusals()[what]()
