"""Changes to the fast sampler, and what a run hands on."""

from tests.mutants.mutant import Mutant

MECHANISMS = "dpq_core/mechanisms/"
DRAWS = "tests/audit/test_enumerated_draws.py"
RECORDED = "tests/audit/test_recorded_draws.py"
NOISE = "dpq_core/noise/"
PROPOSED = f"{DRAWS}::test_proposals_near_and_far_have_the_stated_law"
FAST = f"{DRAWS}::test_the_fast_sampler_has_the_stated_law"
FAST_NOISE = "tests/noise/test_fast.py"
CELLS = "tests/mechanisms/test_gap_exponential.py::test_both_samplers_have"

FAST_SAMPLER = (
    # The fast sampler.
    Mutant(
        "fast: cells weighed at 0.97 of their rate",
        f"{MECHANISMS}exponential/fast.py",
        "beyond) + self.depth[rows])\n        return np.asarray(np.exp(log_weight(distance, draws.rate))",
        "beyond) + self.depth[rows])\n        return np.asarray(np.exp(log_weight(distance, 0.97 * draws.rate))",
        f"{FAST} -k indexp",
    ),
    Mutant(
        "fast: the interval above a whole target instead of its own",
        f"{MECHANISMS}exponential/fast.py",
        "first_above = draws.whole + (draws.rest > 0)",
        "first_above = draws.whole + 1",
        f"{CELLS}_the_law_of_an_explicit_target",
    ),
    Mutant(
        "fast: the last interval never drawn",
        f"{MECHANISMS}exponential/fast.py",
        "bounds[:, 0], bounds[:, -1] = 0, count + 1",
        "bounds[:, 0], bounds[:, -1] = 0, count",
        f"{CELLS}_the_stated_law",
    ),
    Mutant(
        "fast: blocks under the weight of their second interval",
        f"{MECHANISMS}exponential/fast.py",
        "steps = draws.width[:, None] * np.arange(blocks + 1)",
        "steps = draws.width[:, None] * np.arange(blocks + 1) + (draws.width[:, None] > 1)",
        f"{CELLS}_the_stated_law",
    ),
    Mutant(
        "fast: tuples outside JointExp's window proposed at half their share",
        f"{MECHANISMS}joint/sampling.py",
        "np.array([outside / (inside + outside)])",
        "np.array([outside / (inside + outside) / 2])",
        f"{DRAWS}::test_a_window_does_not_change_the_law -k fast",
    ),
    Mutant(
        "fast: free total: tuples at the window's edge taken for far ones",
        f"{MECHANISMS}freetotal/sampling.py",
        "window = in_window(ranks, near.lows, near.highs)",
        "window = in_window(ranks, near.lows, near.highs - 1)",
        f"{PROPOSED} -k fast",
    ),
    Mutant(
        "fast: a sketch at 0.97 of its rate",
        f"{MECHANISMS}gk/classes.py",
        "sums = np.cumsum(self.probabilities(target_level, n))",
        "sums = np.cumsum(self.probabilities(target_level.times(Fraction(97, 100)), n))",
        f"{FAST} -k gkexp",
    ),
    Mutant(
        "fast: slice draws at 0.97 of their rate",
        f"{MECHANISMS}slices/mechanism.py",
        "half_width, drawn.target_level, sample",
        "half_width, drawn.target_level.times(Fraction(100 if entropy.exact else 97, 100)), sample",
        "tests/test_contract.py::test_both_samplers_have_one_law -k slice",
    ),
    Mutant(
        "fast: noise on counts at 1.03 of its size",
        f"{MECHANISMS}counts/noise.py",
        "entropy.discrete_gaussian)(size, shape)",
        "entropy.discrete_gaussian)(size * Fraction(100 if entropy.exact else 103, 100), shape)",
        f"{RECORDED}::test_the_fast_sampler_draws_what_the_exact_one_draws",
    ),
    Mutant(
        "fast: Laplace noise at 0.97 of its scale",
        f"{NOISE}fast.py",
        "stop = -np.expm1(-1 / float(scale))",
        "stop = -np.expm1(-1 / (0.97 * float(scale)))",
        f"{FAST_NOISE}::test_laplace_noise_is_a_difference_of_geometric_counts",
    ),
    Mutant(
        "fast: Laplace noise at 1.03 of its scale, by its size alone",
        f"{NOISE}fast.py",
        "stop = -np.expm1(-1 / float(scale))",
        "stop = -np.expm1(-1 / (1.03 * float(scale)))",
        "tests/noise/test_exact.py::test_discrete_laplace_has_its_law_and_no_other -k fast",
    ),
    Mutant(
        "fast: Gaussian noise at 0.97 of its variance",
        f"{NOISE}fast.py",
        "** 2) / (2 * sigma_squared))",
        "** 2) / (2 * 0.97 * sigma_squared))",
        f"{FAST_NOISE}::test_tabled_gaussian_noise_turns_where_the_exact_weights_do",
    ),
    Mutant(
        "fast: a choice by sums without the first weight",
        f"{NOISE}fast.py",
        "np.count_nonzero(sums <= points[:, None], axis=1)",
        "np.count_nonzero(sums[:, 1:] <= points[:, None], axis=1)",
        f"{FAST_NOISE}::test_a_choice_turns_where_the_sums_of_the_weights_do",
    ),
    Mutant(
        "fast: a coin that lands where its chance is none",
        f"{NOISE}fast.py",
        "* denominators < numerators",
        "* denominators <= numerators",
        f"{FAST_NOISE}::test_a_coin_turns_at_its_chance",
    ),
    Mutant(
        "fast: what is rejected is kept",
        f"{NOISE}fast.py",
        "found[waiting[accepted]] = drawn[accepted]",
        "found[waiting] = drawn; accepted |= True",
        f"{FAST_NOISE}::test_each_row_gets_what_its_first_accepted_attempt_gives",
    ),
    # What a run hands on.
    Mutant(
        "a run that makes its own noise of the same size",
        f"{MECHANISMS}bins/mechanism.py",
        "noisy_histograms(edges, exact, parameters.noise, total",
        "noisy_histograms(edges, exact, parameters.noise.times(Fraction(1)), total",
        "tests/audit/test_one_source.py::test_distributions_are_made_nowhere_else",
    ),
    Mutant(
        "a run that calculates with its rate",
        f"{MECHANISMS}joint/mechanism.py",
        "sample.cells_at_places, sample.fine_cells, parameters.levels, parameters.rate",
        "sample.cells_at_places, sample.fine_cells, parameters.levels, parameters.rate * 1",
        "tests/audit/test_one_source.py::test_no_run_calculates_with_a_constant",
    ),
    Mutant(
        "JointExp at 1.05 of its rate, of many records",
        f"{MECHANISMS}joint/mechanism.py",
        "sample.cells_at_places, sample.fine_cells, parameters.levels, parameters.rate",
        "sample.cells_at_places, sample.fine_cells, parameters.levels, parameters.rate * (20 + (sample.n > 99)) // 20",
        f"{RECORDED}::test_jointexp_draws_at_the_rate_of_its_parameters",
    ),
)
