"""SliceQuantiles from outside: what is refused and how, what is answered, how well, and that both samplers agree."""

import re
from fractions import Fraction

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, Infeasible, ParameterError, PureDP
from dpq_core.audit import printed
from dpq_core.mechanisms.slices.draws import SliceStep, slice_target_level
from dpq_core.mechanisms.slices.layout import arrange, ranks_at, ranks_of
from dpq_core.mechanisms.slices.mechanism import calibrate, run, trace
from dpq_core.privacy.budgets import Privacy
from tests.harness import ExactEntropy, Plan, SeededSampler, even_levels, load_example, usual_column
from tests.narrowing import all_of, present

QUARTILES = ["1/4", "1/2", "3/4"]
DOMAIN = Domain(0, 100, "0.5")
BUDGETS: list[Privacy] = [ApproxDP(1.0, 1e-6), PureDP(2.0)]
BOTH = list(Adjacency)


def column_of_group(n, domain=DOMAIN, seed=1):
    return usual_column(np.random.default_rng(0).gamma(2, 12, n), domain, seed=seed)


def public(column, adjacency):
    return column.n if adjacency is Adjacency.REPLACE_ONE else None


# ── what is answered ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize("privacy", BUDGETS)
@pytest.mark.parametrize("noise", ["flat", "two_level", "binary"])
@pytest.mark.parametrize("entropy", [ExactEntropy(), SeededSampler(1, 30)])
def test_answers_lie_in_order_and_near_the_truth(entropy, noise, privacy, adjacency):
    column = column_of_group(20_000)
    parameters = calibrate(Plan(QUARTILES, "slice", privacy, adjacency, {"noise": noise}), public(column, adjacency))
    cells = run(column, parameters, entropy)
    assert cells.shape == (entropy.trials, 3)
    # With a pure budget one draw in a thousand is uniform by design: the median of many draws never is.
    cells = np.concatenate([cells, *(run(column, parameters, entropy) for _ in range(8))])
    assert (np.diff(cells, axis=1) >= 0).all()
    ranks = np.searchsorted(column.cells, cells)
    assert np.median(np.abs(ranks - np.array([5000, 10_000, 15_000]))) < 200
    assert parameters.guarantee.covers(privacy)


@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize("values", [[], [50.0], [50.0] * 30])
def test_one_quantile_of_tiny_and_tied_data_needs_no_delta(values, adjacency):
    column = usual_column(values, DOMAIN, seed=1)
    for level in (0, "1/2", 1):
        for privacy in BUDGETS:
            parameters = calibrate(Plan([level], "slice", privacy, adjacency), public(column, adjacency))
            assert parameters.guarantee.delta == 0
            for entropy in (ExactEntropy(), SeededSampler(1, 5)):
                assert run(column, parameters, entropy).shape == (entropy.trials, 1)


@pytest.mark.parametrize("levels", [["1/4", "3/4"], [Fraction(10**20 + 1, 3 * 10**20), "2/3"]])
def test_ranks_are_exact_whatever_the_denominators(levels):
    plan = Plan(levels, "slice")
    counts = np.array([-5, 0, 1, 999, 10**12])
    expected = [ranks_of(plan.quantiles, count) for count in counts.tolist()]
    assert np.array_equal(ranks_at(plan.quantiles, counts), expected)


# ── what is claimed and refused ──────────────────────────────────────────────────────────────────────────────────────


def test_the_delta_achieved_is_reported_where_n_is_public():
    plan = Plan(QUARTILES, "slice", ApproxDP(1.0, 1e-6), Adjacency.REPLACE_ONE, {"half_width": 200})
    close, far = calibrate(plan, 3000).guarantee, calibrate(plan, 4000).guarantee
    assert 0 < far.delta < close.delta < 1e-6
    assert close.epsilon == 1.0
    assert close.rho is None


def test_the_number_of_records_is_never_read_where_it_is_private():
    plan = Plan(QUARTILES, "slice", ApproxDP(1.0, 1e-6), Adjacency.ADD_REMOVE)
    assert calibrate(plan, None) == calibrate(plan, 12345)
    assert calibrate(plan, None).guarantee.delta == 1e-6


@pytest.mark.parametrize("adjacency", BOTH)
def test_a_refusal_names_what_would_do_and_it_does(adjacency):
    column = column_of_group(400)
    plan = Plan(QUARTILES, "slice", ApproxDP(1.0, 1e-6), adjacency)
    with pytest.raises(Infeasible, match="`quantiles` must be further apart") as caught:
        run(column, calibrate(plan, public(column, adjacency)), ExactEntropy())
    text, error = str(caught.value), caught.value
    assert error.name == "quantiles"
    n = int(present(re.search(r"n of ([\d,]+) or more", text))[1].replace(",", ""))
    epsilon = float(present(re.search(r"ε of ([\d.]+) or more", text))[1])
    assert "`merge_close`, with" in text
    if adjacency is Adjacency.REPLACE_ONE:
        assert (error.noisy_count, error.charged) == (None, 0)
        assert "apart for 400 people: " in text
        calibrate(plan, n)
        calibrate(Plan(QUARTILES, "slice", ApproxDP(epsilon, 1e-6), adjacency), 400)
        with pytest.raises(Infeasible):
            calibrate(plan, int(n * 0.98))
    else:
        assert abs(present(error.noisy_count) - 400) < 300
        assert 0 < error.charged < 1
        assert f"a noisy number of {error.noisy_count:,} people" in text
        assert arrange(calibrate(plan, None).rules, n, 2)


def test_a_refusal_names_only_what_would_really_do():
    """Two levels 10^-30 apart: no number of records and no budget tells them apart, but one answer serves both."""
    close = [Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**30)]
    with pytest.raises(Infeasible) as caught:
        calibrate(Plan(close, "slice", ApproxDP(1.0, 1e-6), Adjacency.REPLACE_ONE), 10**6)
    assert "two are 0 ranks apart" in str(caught.value)
    assert str(caught.value).endswith("It would do to have `merge_close`, with 1 answer for the 2 quantiles.")
    merged = Plan(close, "slice", ApproxDP(1.0, 1e-6), Adjacency.REPLACE_ONE, {"merge_close": True})
    assert calibrate(merged, 10**6).notes == ("2 quantiles share 1 answer: their ranks are too close for more.",)


def test_among_many_trials_one_without_room_is_answered_at_random():
    plan = Plan(QUARTILES, "slice", ApproxDP(1.0, 1e-6), options={"half_width": 30})
    parameters = calibrate(plan, None)
    needed = next(n for n in range(100, 1000) if arrange(parameters.rules, n, 2))
    answers = run(column_of_group(needed), parameters, SeededSampler(1, 64))
    assert (np.diff(answers, axis=1) >= 0).all()


@pytest.mark.parametrize("adjacency", BOTH)
def test_levels_that_are_too_close_share_answers_and_say_so(adjacency):
    column = column_of_group(3000)
    levels = [f"{i}/40" for i in range(1, 40)]
    plan = Plan(levels, "slice", ApproxDP(1.0, 1e-6), adjacency, {"merge_close": True})
    parameters = calibrate(plan, public(column, adjacency))
    cells = run(column, parameters, SeededSampler(1, 20))
    assert (np.diff(cells, axis=1) >= 0).all()
    distinct = {len(set(row)) for row in cells.tolist()}
    assert max(distinct) < 20
    assert any("share" in note for note in parameters.notes)
    errors = np.searchsorted(column.cells, cells) - np.array([75 * i for i in range(1, 40)])
    assert np.median(np.abs(errors)) < 600
    assert run(column, parameters, ExactEntropy()).shape == (1, 39)
    assert len(trace(column, parameters, SeededSampler(1))) == 39
    assert calibrate(Plan(QUARTILES, "slice", ApproxDP(1.0, 1e-6), adjacency), public(column, adjacency)).notes == ()


@pytest.mark.parametrize(("levels", "count"), [(QUARTILES, 10**6), (["1/2"], 10)])
def test_merging_that_was_not_needed_is_not_mentioned(levels, count):
    plan = Plan(levels, "slice", ApproxDP(1.0, 1e-6), Adjacency.REPLACE_ONE, {"merge_close": True})
    assert calibrate(plan, count).notes == ()


@pytest.mark.parametrize("adjacency", BOTH)
def test_the_budget_is_shared_as_asked(adjacency):
    times = 1 if adjacency is Adjacency.ADD_REMOVE else 2
    plan = Plan(QUARTILES, "slice", ApproxDP(1.0, 1e-6), adjacency, {"rank_share": 0.3})
    rules = calibrate(plan, 10**6).rules
    assert (rules.rank_epsilon, rules.draw_epsilon) == (Fraction(3, 10) / times, Fraction(7, 10) / times)


def test_concentrated_budgets_and_pure_ones_for_thousands_of_levels_are_refused():
    with pytest.raises(ParameterError, match="AQ serves") as caught:
        calibrate(Plan(QUARTILES, "slice", ZCDP(0.1)), None)
    assert caught.value.name == "privacy"
    with pytest.raises(ParameterError, match="`quantiles` must be at most 1,000"):
        calibrate(Plan([f"{i}/2000" for i in range(2000)], "slice", PureDP(1.0)), None)


def test_the_printed_constants_cost_more():
    plan = Plan(QUARTILES, "slice", ApproxDP(1.0, 1e-6), Adjacency.REPLACE_ONE)
    paper = Plan(QUARTILES, "slice", ApproxDP(1.0, 1e-6), Adjacency.REPLACE_ONE, {"calibration": "paper"})
    ours, theirs = calibrate(plan, 10**5), calibrate(paper, 10**5)
    printed, sharp = theirs.rules, ours.rules
    assert printed.kind == "binary"
    assert not printed.bridged
    assert 2 * printed.rank_epsilon + 3 * printed.draw_epsilon == 1
    assert 2 * sharp.rank_epsilon + 2 * sharp.draw_epsilon == 1
    assert theirs.guarantee.delta == 1e-6


def test_pure_budgets_need_many_records_or_few_cells():
    plan = Plan(QUARTILES, "slice", PureDP(1.0), Adjacency.REPLACE_ONE)
    parameters = calibrate(plan, 2500)
    run(usual_column(np.arange(2500) % 10, Domain(0, 9, 1), seed=1), parameters, SeededSampler(1, 3))
    with pytest.raises(Infeasible, match="`half_width` of at most"):
        run(usual_column(np.arange(2500), Domain(0, 5000), seed=1), parameters, SeededSampler(1, 3))


# ── inside ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_trace_shows_ranks_slices_and_slack():
    column = column_of_group(20_000)
    parameters = calibrate(Plan(QUARTILES, "slice", ApproxDP(1.0, 1e-6), Adjacency.REPLACE_ONE), column.n)
    steps = all_of(SliceStep, trace(column, parameters, SeededSampler(4)))
    assert [step.level for step in steps] == list(parameters.levels)
    assert np.array_equal(
        column.values_of(run(column, parameters, SeededSampler(4)))[0], [step.value for step in steps]
    )
    for step in steps:
        assert step.records == (step.noisy_rank - step.half_width, step.noisy_rank + step.half_width)
        assert (step.padded, step.good, step.shared) == (0, True, False)
        assert step.bounds[0] <= step.value <= step.bounds[1]
        assert sum(step.distribution[1]) == pytest.approx(1)
    assert steps[0].slack == steps[1].noisy_rank - steps[0].noisy_rank - 2 * steps[0].half_width
    assert steps[-1].slack is None


def test_a_trace_among_many_trials_is_the_first_one_or_its_refusal():
    parameters = calibrate(Plan(QUARTILES, "slice", ApproxDP(1.0, 1e-6), options={"half_width": 30}), None)
    needed = next(n for n in range(100, 1000) if arrange(parameters.rules, n, 2))
    column, refused = column_of_group(needed), []
    for seed in range(8):
        answers = column.values_of(run(column, parameters, SeededSampler(seed, 64)))
        try:
            steps = trace(column, parameters, SeededSampler(seed, 64))
        except Infeasible as error:
            refused.append(error.noisy_count)
        else:
            assert [step.value for step in steps] == answers[0].tolist()
    assert 0 < len(refused) < 8, "the number of records is at the limit"
    assert not any(arrange(parameters.rules, count, 2) for count in refused)


# ── the printed variant, and how large errors are ────────────────────────────────────────────────────────────────────


def test_printed_ranks_of_the_private_number_lose_far_more_than_they_claim():
    each = Fraction(5, 9)  # the printed claim eps1 + 2 eps2 is 1.667, the sharp one for fixed ranks 1.111
    assert printed.loss_of_private_ranks(63, each, each, 20) > 4.6
    assert printed.loss_of_private_ranks(127, each, each, 12) > 7.8
    assert printed.loss_of_private_ranks(63, each, each, 20, printed=False) <= float(2 * each)


def test_noisy_ranks_must_not_be_shown():
    """The loss at one output when a record joins below all others and noisy ranks are shown."""
    ranks, spacing = np.arange(1, 11) * 80, printed.SPACING
    records = np.arange(1, int(ranks[-1]) + 80) * spacing
    outputs, grid, target = (ranks - 10) * spacing, int(records[-1]) + spacing, slice_target_level(Fraction(1))
    laws = [
        printed.log_draws(outputs, data, ranks[None], 20, target, grid) for data in (records, np.append(0, records))
    ]
    assert abs((laws[0] - laws[1]).sum()) == pytest.approx(5.0)


LIMITS = [  # m, at most: REPLACE_ONE, ADD_REMOVE with the noisy number of records paid for
    (10, 35, 20),
    (100, 90, 50),
    (200, 102, 52),
]


@pytest.mark.statistical
@pytest.mark.parametrize(("m", "replaced", "joined"), LIMITS)
def test_errors_on_adult_ages_twelve_times(m, replaced, joined):
    """Mean maximal rank error of 40 runs, eps = 1, delta = 1e-16, n = 586,104; standard errors are 3 to 7 %."""
    ages = np.tile(load_example("adult-age-full").values, 12)
    column = usual_column(ages, Domain(17, 90, 1), seed=0)
    levels = even_levels(m)
    for adjacency, limit in ((Adjacency.REPLACE_ONE, replaced), (Adjacency.ADD_REMOVE, joined)):
        parameters = calibrate(Plan(levels, "slice", ApproxDP(1.0, 1e-16), adjacency), public(column, adjacency))
        cells = run(column, parameters, SeededSampler(1, 40))
        errors = np.abs(np.searchsorted(column.cells, cells) - np.array(ranks_of(levels, column.n)))
        assert errors.max(axis=1).mean() <= limit
