"""Changes to noise, and to the audit that finds what is lost."""

from tests.mutants.mutant import Mutant

NOISE = "dpq_core/noise/"
AUDIT = "dpq_core/audit/"
LAWS = "tests/audit/test_losses.py::"
BROKEN = "tests/audit/test_broken.py::"
GAUSSIAN = "tests/noise/test_gaussian.py::"
EXACT = "tests/noise/test_exact.py::"
WORDS = "tests/noise/test_words.py::"
BRANCHING = "tests/audit/test_branching.py::"

LOSSES = (
    Mutant(
        "Laplace noise of one record is taken off its neighbour's",
        f"{NOISE}integer_noise.py",
        "return drawn[:count] - drawn[count:]",
        "return drawn[:count] - np.roll(drawn[:count], 1)",
        f"{WORDS}test_laplace_noise_counts_the_thresholds_above_two_words",
    ),
    Mutant(
        "low bits of wide noise are uniform",
        f"{NOISE}integer_noise.py",
        "accepted_noise.append(proposed[_bernoulli_exp([rate * size for size in sizes.tolist()], which)][:missing])",
        "accepted_noise.append(proposed[:missing])",
        f"{WORDS}test_wide_laplace_noise_keeps_low_bits_with_their_own_chance",
    ),
    Mutant(
        "counts end where their table does",
        f"{NOISE}integer_noise.py",
        "unfinished = unfinished[above == floors.size]",
        "unfinished = unfinished[:0]",
        f"{GAUSSIAN}test_counts_beyond_the_table_go_on",
    ),
    Mutant(
        "a word that equals a threshold lies below it",
        f"{NOISE}integer_noise.py",
        "above += sum(word < floor for floor in floors)",
        "above += sum(word <= floor for floor in floors)",
        f"{GAUSSIAN}test_every_ambiguous_word_is_settled_by_more_digits",
    ),
    Mutant(
        "a coin on its threshold always lands",
        f"{NOISE}integer_noise.py",
        "        accepted[at] = _count_above(int(words[at]), [exponents[which[at]]]) == 1",
        "        accepted[at] = True",
        f"{GAUSSIAN}test_a_coin_on_its_threshold_is_settled_by_more_digits",
    ),
    Mutant(
        "a count on its threshold reads no further",
        f"{NOISE}integer_noise.py",
        "            above[at] = _count_above(int(words[at]), [rate * k for k in range(1, floors.size + 1)])",
        "            pass",
        f"{GAUSSIAN}test_short_words_read_on_and_keep_the_law",
    ),
    Mutant(
        "words have one bit less than they stand for",
        f"{NOISE}integer_noise.py",
        ">> np.uint64(64 - WORD)",
        ">> np.uint64(65 - WORD)",
        f"{GAUSSIAN}test_words_are_uniform_and_long",
    ),
    Mutant(
        "thresholds off by one are taken for certain",
        f"{NOISE}integer_noise.py",
        "if floors[0] == floors[1]:",
        "if floors[1] - floors[0] <= 1:",
        f"{GAUSSIAN}test_a_floor_right_beside_a_whole_number_is_exact",
    ),
    Mutant(
        "weights are rounded down",
        f"{NOISE}exact.py",
        ".to_integral_value(ROUND_CEILING)",
        ".to_integral_value(ROUND_FLOOR)",
        f"{EXACT}test_ceil_exp_is_close_above",
    ),
    Mutant(
        "a table of weights is rounded down",
        f"{NOISE}exact.py",
        "-((-weights[-1] * ratio) >> TOP_BITS)",
        "(weights[-1] * ratio) >> TOP_BITS",
        f"{EXACT}test_the_lemma_of_the_ceil_table_in_integers",
    ),
    Mutant(
        "weights fall below their floor",
        f"{NOISE}exact.py",
        "max(floor, -((-weights",
        "max(1, -((-weights",
        f"{EXACT}test_the_lemma_of_the_ceil_table_in_integers",
    ),
    Mutant(
        "a uniform integer reaches its limit",
        f"{NOISE}exact.py",
        "drawn = [secrets.randbelow(int(limit)) for limit in limits.reshape(-1)]",
        "drawn = [secrets.randbelow(int(limit) + 1) for limit in limits.reshape(-1)]",
        f"{EXACT}test_uniform_integers_fill_what_is_below_their_limits",
    ),
    Mutant(
        "uniform integers are remainders",
        f"{NOISE}exact.py",
        "drawn = [secrets.randbelow(int(limit)) for limit in limits.reshape(-1)]",
        "drawn = [secrets.randbits(62) % int(limit) for limit in limits.reshape(-1)]",
        f"{EXACT}test_uniform_integers_are_no_remainders",
    ),
    Mutant(
        "studies draw Gaussian noise at 0.95 of its size",
        f"{NOISE}fast.py",
        "/ (2 * sigma_squared))",
        "/ (1.8 * sigma_squared))",
        f"{GAUSSIAN}test_discrete_gaussian_has_its_law_and_no_other",
    ),
    Mutant(
        "parts of a study share their draws",
        f"{NOISE}fast.py",
        "spawn_key=(part,)",
        "spawn_key=(0,)",
        "tests/noise/test_fast.py::test_a_seed_repeats_and_parts_are_independent",
    ),
    Mutant(
        "delta of the first data set against the second alone",
        "dpq_core/audit/losses.py",
        "delta=max(_delta(a, b, claimed_epsilon), _delta(b, a, claimed_epsilon))",
        "delta=_delta(a, b, claimed_epsilon)",
        f"{LAWS}test_each_loss_is_the_worse_of_both_directions",
    ),
    Mutant(
        "delta of the second data set against the first alone",
        "dpq_core/audit/losses.py",
        "delta=max(_delta(a, b, claimed_epsilon), _delta(b, a, claimed_epsilon))",
        "delta=_delta(b, a, claimed_epsilon)",
        f"{LAWS}test_each_loss_is_the_worse_of_both_directions",
    ),
    Mutant(
        "Renyi divergence of the first data set from the second alone",
        "dpq_core/audit/losses.py",
        "np.maximum(_renyi_divergences(a, b), _renyi_divergences(b, a)) / RENYI",
        "_renyi_divergences(a, b) / RENYI",
        f"{LAWS}test_each_loss_is_the_worse_of_both_directions",
    ),
    Mutant(
        "Renyi divergence of the second data set from the first alone",
        "dpq_core/audit/losses.py",
        "np.maximum(_renyi_divergences(a, b), _renyi_divergences(b, a)) / RENYI",
        "_renyi_divergences(b, a) / RENYI",
        f"{LAWS}test_each_loss_is_the_worse_of_both_directions",
    ),
    Mutant(
        "epsilon of the second data set against the first alone",
        "dpq_core/audit/losses.py",
        "ratios = np.abs(log_ratios(a, b))",
        "ratios = log_ratios(a, b)",
        f"{LAWS}test_each_loss_is_the_worse_of_both_directions",
    ),
    Mutant(
        "epsilon of the first data set against the second alone",
        "dpq_core/audit/losses.py",
        "ratios = np.abs(log_ratios(a, b))",
        "ratios = log_ratios(b, a)",
        f"{LAWS}test_each_loss_is_the_worse_of_both_directions",
    ),
    Mutant(
        "an output that one data set lacks is no loss in rho",
        "dpq_core/audit/losses.py",
        "    if (q == -inf).any():",
        "    if (q == inf).any():",
        f"{BROKEN}test_outputs_that_one_law_lacks_are_an_infinite_loss",
    ),
    Mutant(
        "rho at the kindest order",
        "dpq_core/audit/losses.py",
        "rho=float(rho_by_order(a, b).max())",
        "rho=float(rho_by_order(a, b).min())",
        f"{LAWS}test_each_loss_is_the_worse_of_both_directions",
    ),
    Mutant(
        "data sets with several replaced records are neighbours",
        "dpq_core/audit/losses.py",
        "(only_a == only_b <= 1)",
        "(only_a == only_b)",
        f"{LAWS}test_data_that_are_no_neighbours_are_refused",
    ),
    Mutant(
        "data sets with one replaced record are neighbours where one joins",
        "dpq_core/audit/losses.py",
        "(only_a + only_b <= 1)",
        "(only_a + only_b <= 2)",
        f"{LAWS}test_data_that_are_no_neighbours_are_refused",
    ),
    Mutant(
        "an audit alters one of the two data sets' parameters",
        "dpq_core/audit/losses.py",
        "(alter(first), alter(second))",
        "(alter(first), second)",
        f"{LAWS}test_both_data_sets_are_altered_alike",
    ),
    Mutant(
        "what is cut from a law is no excuse",
        f"{AUDIT}branching.py",
        "max(nothing, p - large * (other.at_least(x) + own))",
        "max(nothing, p - large * other.at_least(x))",
        f"{BRANCHING}test_what_is_cut_bounds_the_excess_from_both_sides",
    ),
    Mutant(
        "noise below zero is never followed",
        f"{AUDIT}branching.py",
        "((distance, -distance) if distance else (0,))",
        "((distance,) if distance else (0,))",
        f"{BRANCHING}test_integer_noise_has_its_chances_and_a_cut_tail",
    ),
    Mutant(
        "a loop that begins again is not divided out",
        f"{AUDIT}branching.py",
        "(weight << BITS) // stays",
        "weight",
        f"{BRANCHING}test_a_loop_that_begins_again_is_closed",
    ),
    Mutant(
        "a verdict forgives a hundredth",
        f"{AUDIT}losses.py",
        "ROUNDING = 1e-9",
        "ROUNDING = 1e-2",
        f"{BROKEN}test_a_loss_holds_its_guarantee_up_to_rounding_alone",
    ),
    Mutant(
        "a verdict on rho compares the guarantee with itself",
        f"{AUDIT}losses.py",
        'return LossVerdict("rho", guarantee.rho, loss.rho)',
        'return LossVerdict("rho", guarantee.rho, guarantee.rho)',
        f"{BROKEN}test_the_variant_breaks_and_its_mend_does_not",
    ),
    Mutant(
        "equal answers of independent draws count twice",
        "dpq_core/mechanisms/indexp/mechanism.py",
        " / repeats",
        "",
        f"{LAWS}test_probabilities_sum_to_one -k indexp",
    ),
)
