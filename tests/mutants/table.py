"""Changes to lines that privacy hangs on, each with a test that must fail once it is made: those to mechanisms.

The others stand beside this table, by what they change, and are part of it.
"""

from tests.mutants.charges import CHARGES
from tests.mutants.columns import COLUMNS
from tests.mutants.files import FILES
from tests.mutants.losses import LOSSES
from tests.mutants.mutant import Mutant
from tests.mutants.releases import RELEASES
from tests.mutants.sums import SUMS

ENUMERATED = "tests/audit/test_enumerated_"
MECHANISMS = "dpq_core/mechanisms/"
SLICES, COUNTS, DRAWS = (f"{ENUMERATED}{name}.py" for name in ("slices", "counts", "draws"))
JOINED = f"{SLICES}::test_two_quantiles_where_one_joins[flat]"
LOSE = f"{COUNTS}::test_noisy_counts_lose_exactly_the_claim"
TREE, BINS = f"{LOSE} -k options0", f"{LOSE} -k options2"
DEEP = f"{LOSE}[aggtree-options1-privacy0-laplace-add_remove]"
RANGE = f"{COUNTS}::test_the_range_of_a_normal_sample"
RECORDED = "tests/audit/test_recorded_draws.py"
FREE_TOTAL = "tests/audit/test_free_total_claims.py"
NOISE = "dpq_core/noise/"
UI = "dpq_core/ui/"
MODE = "tests/ui/test_state.py"
GIVEN = "tests/results/test_private_data.py"
STATED = f"{DRAWS}::test_what_runs_is_what_is_stated"
PROPOSED = f"{DRAWS}::test_proposals_near_and_far_have_the_stated_law"
FAST = f"{DRAWS}::test_the_fast_sampler_has_the_stated_law"
FAST_NOISE = "tests/noise/test_fast.py"
CELLS = "tests/mechanisms/test_gap_exponential.py::test_both_samplers_have"
RANK_NOISE = "drawn.ranks.draw(entropy)"


def other_rank_noise(factor: str) -> str:
    return f"replace(drawn.ranks, node=drawn.ranks.node.times({factor})).draw(entropy)"


MUTANTS = (
    *CHARGES,
    *SUMS,
    *RELEASES,
    *LOSSES,
    *COLUMNS,
    *FILES,
    # The ten that once survived every test of their rooms.
    Mutant(
        "sketch at 1.05 of its rate",
        f"{MECHANISMS}gk/classes.py",
        "ceil_exp(rate * distance)",
        "ceil_exp(rate * distance * Fraction(21, 20))",
        f"{STATED} -k gkexp",
    ),
    Mutant(
        "noise on counts at 0.9 of its size",
        f"{MECHANISMS}counts/noise.py",
        "entropy.discrete_gaussian)(self.size, shape)",
        "entropy.discrete_gaussian)(self.size * Fraction(9, 10), shape)",
        BINS,
    ),
    Mutant(
        "rank noise at 5/4 of its budget",
        f"{MECHANISMS}slices/mechanism.py",
        RANK_NOISE,
        other_rank_noise("Fraction(4, 5)"),
        JOINED,
    ),
    Mutant(
        "slice draws at 5/4 of their budget",
        f"{MECHANISMS}slices/mechanism.py",
        "half_width, drawn.target_level, sample",
        "half_width, drawn.target_level.times(Fraction(5, 4)), sample",
        JOINED,
    ),
    Mutant(
        "one more rank of room in the chance that a gap falls short",
        f"{MECHANISMS}slices/layout.py",
        "chance_beyond(room, terms, node_epsilon)",
        "chance_beyond(room + 1, terms, node_epsilon)",
        f"{SLICES}::test_gaps_fall_short_as_often_as_delta_counts_on",
    ),
    Mutant(
        "the uniform mixture at half its weight",
        f"{MECHANISMS}slices/mechanism.py",
        "entropy.coins(mixture(rules, delta, sample.domain.cells), 1",
        "entropy.coins(mixture(rules, delta, sample.domain.cells) // 2, 1",
        f"{SLICES}::test_two_quantiles_with_a_pure_budget",
    ),
    Mutant(
        "the noisy count skipped where n is private",
        f"{MECHANISMS}slices/mechanism.py",
        "if rules.bridged and parameters.noisy_count is None",
        "if rules.bridged and rules.count_is_public and parameters.noisy_count is None",
        JOINED,
    ),
    Mutant(
        "JointExp's envelope rounded down",
        f"{MECHANISMS}joint/sampling.py",
        "np.ceil(raised)",
        "np.floor(raised)",
        f"{DRAWS}::test_a_choice_by_float_weights_is_exact",
    ),
    Mutant(
        "normal sample: a count at the threshold is shown",
        f"{MECHANISMS}normal/range.py",
        "noisy.max(axis=1) > rule.threshold",
        "noisy.max(axis=1) >= rule.threshold",
        RANGE,
    ),
    Mutant(
        "the number of records, made public for one account, shown beside another",
        "dpq_core/ui/budget/counts.py",
        "(each.identity, each.account) == payer",
        "each.identity == data.identity",
        "tests/ui/test_public_count.py",
    ),
    # Those of a second pass.
    Mutant(
        "ranks from the exact private n",
        f"{MECHANISMS}slices/mechanism.py",
        "_slices(layouts, rules, counts, noise)",
        "_slices(layouts, rules, np.full_like(counts, sample.n), noise)",
        JOINED,
    ),
    Mutant(
        "hardly any rank noise in real releases",
        f"{MECHANISMS}slices/mechanism.py",
        RANK_NOISE,
        other_rank_noise("Fraction(1, 1000 if entropy.exact else 1)"),
        JOINED,
    ),
    Mutant(
        "hardly any rank noise, one quantile",
        f"{MECHANISMS}slices/mechanism.py",
        RANK_NOISE,
        other_rank_noise("Fraction(1, 1000 if entropy.exact else 1)"),
        f"{SLICES}::test_one_quantile",
    ),
    Mutant(
        "range noise halved, all bins",
        f"{MECHANISMS}normal/range.py",
        "exact + rule.noise.draw(",
        "exact + rule.noise.times(Fraction(1, 2)).draw(",
        RANGE,
    ),
    Mutant(
        "range noise halved, bins that hold a record",
        f"{MECHANISMS}normal/range.py",
        "counts + rule.noise.draw(",
        "counts + rule.noise.times(Fraction(1, 2)).draw(",
        RANGE,
    ),
    # More of the same kind.
    Mutant(
        "range noise for one changed count where two change",
        f"{MECHANISMS}normal/range.py",
        "laplace_for_epsilon(epsilon, 2)",
        "laplace_for_epsilon(epsilon, 1)",
        RANGE,
    ),
    Mutant(
        "a threshold one lower",
        f"{MECHANISMS}normal/range.py",
        "threshold=_threshold(noise.size, Fraction(delta))",
        "threshold=_threshold(noise.size, Fraction(delta)) - 1",
        RANGE,
    ),
    Mutant(
        "counts inside a normal sample's interval with half their noise",
        f"{MECHANISMS}normal/mechanism.py",
        "np.diff(below), parameters.noise, sample.n",
        "np.diff(below), parameters.noise.times(Fraction(1, 2)), sample.n",
        f"{COUNTS}::test_both_steps_of_a_normal_sample",
    ),
    Mutant(
        "a tree whose total is the private n",
        f"{MECHANISMS}tree/mechanism.py",
        "total = sample.n if parameters.guarantee.adjacency is Adjacency.SUBSTITUTE else None",
        "total = sample.n",
        TREE,
    ),
    Mutant(
        "bins whose total is the private n",
        f"{MECHANISMS}bins/mechanism.py",
        "total = data.n if parameters.guarantee.adjacency is Adjacency.SUBSTITUTE else None",
        "total = data.n",
        BINS,
    ),
    Mutant(
        "a tree that changes fewer counts than it has levels",
        f"{MECHANISMS}counts/budget.py",
        "changed = each * shape.height\n    noise = laplace_for_epsilon",
        "changed = each * max(shape.height - 1, 1)\n    noise = laplace_for_epsilon",
        DEEP,
    ),
    Mutant(
        "cells weighed at 1.05 of their rate",
        f"{MECHANISMS}exponential/exact.py",
        "ceil_exp(self.rate * (abs",
        "ceil_exp(self.rate * Fraction(21, 20) * (abs",
        f"{STATED} -k indexp",
    ),
    Mutant(
        "every proposed cell accepted",
        f"{MECHANISMS}exponential/exact.py",
        "entropy.bernoulli(self.weight(gap), self.envelopes[block])",
        "entropy.bernoulli(1, 1)",
        f"{STATED} -k aq",
    ),
    Mutant(
        "tuples outside JointExp's window never proposed",
        f"{MECHANISMS}joint/sampling.py",
        "not entropy.bernoulli(inside, inside + outside)",
        "not entropy.bernoulli(1, 1)",
        f"{DRAWS}::test_a_window_does_not_change_the_law",
    ),
    Mutant(
        "a coin that lands too often",
        "dpq_core/noise/exact.py",
        "self.integer_below(denominator) < numerator",
        "self.integer_below(denominator) <= numerator",
        "tests/audit/test_branching.py",
    ),
    Mutant(
        "a choice that is off by one",
        "dpq_core/noise/exact.py",
        "bisect_right(sums, self.integer_below(sums[-1]))",
        "bisect_right(sums, self.integer_below(sums[-1]) + 1)",
        "tests/audit/test_branching.py",
    ),
    # Where there is much to draw.
    Mutant(
        "noise on counts at 0.9 of its size, of many",
        f"{MECHANISMS}counts/noise.py",
        "entropy.discrete_gaussian)(self.size, shape)",
        "entropy.discrete_gaussian)(self.size if shape[-1] < 99 else self.size * Fraction(9, 10), shape)",
        RECORDED,
    ),
    Mutant(
        "slice draws at 5/4 of their budget, of many",
        f"{MECHANISMS}slices/mechanism.py",
        "half_width, drawn.target_level, sample",
        "half_width, drawn.target_level.times(Fraction(4 + (len(rules.levels) > 2), 4)), sample",
        RECORDED,
    ),
    Mutant(
        "rank noise for one node fewer, of many",
        f"{MECHANISMS}slices/ranks.py",
        "laplace_for_epsilon(epsilon, most_moved(kind, count))",
        "laplace_for_epsilon(epsilon, max(most_moved(kind, count) - (count > 5), 1))",
        RECORDED,
    ),
    Mutant(
        "Laplace noise at 1.01 of its rate",
        f"{NOISE}integer_noise.py",
        "drawn = _geometric(1 / scale, 2 * count)",
        "drawn = _geometric(Fraction(101, 100) / scale, 2 * count)",
        "tests/noise/test_words.py",
    ),
    Mutant(
        "Gaussian noise kept at 0.99 of its variance",
        f"{NOISE}integer_noise.py",
        "(size - sigma_squared / t) ** 2 / (2 * sigma_squared)",
        "(size - sigma_squared / t) ** 2 / (2 * sigma_squared * Fraction(99, 100))",
        "tests/noise/test_words.py",
    ),
    # Other lines of the same functions.
    Mutant(
        "good runs with slices that touch no more",
        f"{MECHANISMS}slices/draws.py",
        "(np.diff(noisy, axis=1) >= 2 * half_width)",
        "(np.diff(noisy, axis=1) >= 2 * half_width - 1)",
        "tests/audit/test_slice_quantiles_claims.py::test_both_maps_are_injective_and_change_one_record_of_one_slice",
    ),
    Mutant(
        "slices at ranks without noise",
        f"{MECHANISMS}slices/mechanism.py",
        "noisy = ranks + noise[trials][:, list(columns)]",
        "noisy = ranks + 0 * noise[trials][:, list(columns)]",
        JOINED,
    ),
    Mutant(
        "noise of the number of records with the wrong sign",
        f"{MECHANISMS}slices/mechanism.py",
        "counts -= noise[:, -1]",
        "counts += noise[:, -1]",
        JOINED,
    ),
    Mutant(
        "runs whose slices overlap answer all the same",
        f"{MECHANISMS}slices/mechanism.py",
        "half_width, roomy & is_good(noisy, half_width))",
        "half_width, roomy)",
        JOINED,
    ),
    Mutant(
        "ranks closer than the public layout allows for answer all the same",
        f"{MECHANISMS}slices/mechanism.py",
        "half_width, roomy & is_good(noisy, half_width))",
        "half_width, is_good(noisy, half_width))",
        f"{SLICES}::test_two_quantiles_where_one_is_replaced",
    ),
    Mutant(
        "the uniform mixture never answers",
        f"{MECHANISMS}slices/mechanism.py",
        "for trial in np.flatnonzero(at_random):",
        "for trial in np.flatnonzero(at_random & False):",
        f"{SLICES}::test_two_quantiles_with_a_pure_budget",
    ),
    Mutant(
        "the fullest bin of the exact counts",
        f"{MECHANISMS}normal/range.py",
        "which[np.argmax(noisy, axis=1)]",
        "which[np.argmax(np.broadcast_to(counts, noisy.shape), axis=1)]",
        RANGE,
    ),
    Mutant(
        "answers from the exact counts of bins",
        f"{MECHANISMS}bins/reading.py",
        "nonnegative(noisy, total))",
        "nonnegative(np.broadcast_to(exact, noisy.shape), total))",
        BINS,
    ),
    Mutant(
        "answers from a tree's exact counts",
        f"{MECHANISMS}tree/mechanism.py",
        "least_squares(noisy, shape)",
        "least_squares([np.broadcast_to(e, x.shape) for e, x in zip(exact, noisy, strict=True)], shape)",
        TREE,
    ),
    Mutant(
        "one level of a tree without noise",
        f"{MECHANISMS}tree/mechanism.py",
        "noisy = [count + added for count",
        "noisy = [count + added * (len(count) > 2) for count",
        DEEP,
    ),
    Mutant(
        "a sketch's envelope without the class that holds the target",
        f"{MECHANISMS}gk/classes.py",
        "_weight(Fraction(0) if holds_target else nearest, rate)",
        "_weight(nearest, rate)",
        f"{STATED} -k gkexp",
    ),
    Mutant(
        "a replaced person changes one count of a level",
        f"{MECHANISMS}counts/budget.py",
        "Adjacency.SUBSTITUTE: 2,",
        "Adjacency.SUBSTITUTE: 1,",
        TREE,
    ),
    Mutant(
        "Gaussian noise for twice the rho",
        f"{MECHANISMS}counts/noise.py",
        'Noise("gaussian", Size(changed / (2 * rho)))',
        'Noise("gaussian", Size(changed / (4 * rho)))',
        TREE,
    ),
    Mutant(
        "rho of Laplace noise understated",
        f"{MECHANISMS}counts/noise.py",
        "return rate * tanh(rate / 2)",
        "return rate * tanh(rate / 2) * 0.99",
        TREE,
    ),
    Mutant(
        "a split looks beyond the answer above it",
        f"{MECHANISMS}aq/rounds.py",
        "high=answers[:, nodes.before],",
        "high=answers[:, -1:] + 0 * answers[:, nodes.before],",
        f"{STATED} -k aq",
    ),
    Mutant(
        "JointExp's tuples outside the window proposed too often",
        f"{MECHANISMS}joint/sampling.py",
        "inside, outside = int(ldexp(mantissa, 53)), comb(",
        "inside, outside = int(ldexp(mantissa, 53)), 2 * comb(",
        f"{DRAWS}::test_a_window_does_not_change_the_law",
    ),
    Mutant(
        "floored targets where they must not be, and none where they must",
        f"{MECHANISMS}exponential/distribution.py",
        "return Fraction(int(self.level * count)) if self.floored",
        "return Fraction(int(self.level * count)) if not self.floored",
        f"{STATED} -k indexp",
    ),
    Mutant(
        "independent draws at 20/19 of their rates",
        f"{MECHANISMS}indexp/mechanism.py",
        "guarded(each / (2 * sensitivity(level, floored)))",
        "guarded(each / (Fraction(19, 10) * sensitivity(level, floored)))",
        RECORDED,
    ),
    Mutant(
        "a sketch's rate for one record less",
        f"{MECHANISMS}gk/mechanism.py",
        "Rate(target_level.rate * exact / (exact + extra))",
        "Rate(target_level.rate * exact / (exact + max(extra - 1, 0)))",
        "tests/audit/test_gk_exponential_claims.py::test_a_threshold_from_the_private_number_of_people_jumps",
    ),
    # Several levels in one draw of the recursion.
    Mutant(
        "several at once: a replaced record costs no more than in a draw of one",
        f"{MECHANISMS}aq/recursion.py",
        "return min(len(self.levels), 2)",
        "return 1",
        "tests/audit/test_approximate_quantiles_claims.py::test_the_claim_is_reached_and_half_the_noise_breaks_it",
    ),
    Mutant(
        "several at once: a record in the widest part costs nothing itself",
        f"{MECHANISMS}aq/shape.py",
        "worst + ((1 - share) / share if 2 * share > 1 else worst)",
        "worst + (0 * share if 2 * share > 1 else worst)",
        "tests/audit/test_approximate_quantiles_claims.py::test_what_a_record_costs_in_its_part_is_how_far_it_moves_the_score",
    ),
    Mutant(
        "several at once: the sum of weights costs half",
        f"{MECHANISMS}aq/shape.py",
        "return 1 - min(shares_of(levels)) if len(levels) == 1 else levels[0] * 0 + 1",
        "return 1 - min(shares_of(levels)) if len(levels) == 1 else (levels[0] * 0 + 1) / 2",
        "tests/audit/test_approximate_quantiles_claims.py::test_the_claim_is_reached_and_half_the_noise_breaks_it",
    ),
    Mutant(
        "several at once: natural rates taken for binary ones, rounded up",
        f"{MECHANISMS}freetotal/nodes.py",
        "int((self.rate - LOSS_OF_ROUNDING) / LOG_2_ABOVE * 2**RATE_BITS)",
        "int((self.rate - LOSS_OF_ROUNDING) * 2 * 2**RATE_BITS)",
        "tests/audit/test_approximate_quantiles_claims.py::test_the_claim_is_reached_and_half_the_noise_breaks_it",
    ),
    Mutant(
        "several at once: records of a part counted from the first index of all",
        f"{MECHANISMS}freetotal/nodes.py",
        "np.asarray(np.clip(records, low, high) - low, dtype=np.int64)",
        "np.asarray(np.clip(records, 0, high - low), dtype=np.int64)",
        "tests/mechanisms/test_free_total_parts.py::test_both_samplers_have_the_law_in_parts",
    ),
    Mutant(
        "several at once: the fast sampler accepts for one neighbour of the best total only",
        f"{MECHANISMS}freetotal/many.py",
        "(which == first) | (which == first + 1))",
        "which == first)",
        "tests/mechanisms/test_free_total_parts.py::test_accepted_attempts_have_the_law_whatever_is_far",
    ),
    # JointExp with a free total.
    Mutant(
        "a replaced record costs a free total no more than one that joins",
        f"{MECHANISMS}freetotal/mechanism.py",
        "set(levels) <= {0, 1} else 2)",
        "set(levels) <= {0, 1} else 1)",
        f"{FREE_TOTAL}::test_no_small_data_set_loses_more_than_the_claim[levels0-privacy0-substitute]",
    ),
    Mutant(
        "free total: few paths weighed at 21/20 of the rate",
        f"{MECHANISMS}freetotal/paths.py",
        "power(-rate * distance(counts",
        "power(-rate * Fraction(21, 20) * distance(counts",
        f"{STATED} -k freetotal",
    ),
    Mutant(
        "free total: only the lower neighbour of the best total is accepted",
        f"{MECHANISMS}freetotal/sampling.py",
        "or which not in (first, first + 1)",
        "or which != first",
        PROPOSED,
    ),
    Mutant(
        "free total: a proposal is accepted for one neighbour's weight alone",
        f"{MECHANISMS}freetotal/sampling.py",
        "mantissa / (1 + 2.0 ** max(float(smaller - larger), -1000))",
        "mantissa / 1",
        PROPOSED,
    ),
    Mutant(
        "free total: far tuples are accepted as if they lay nearer",
        f"{MECHANISMS}freetotal/sampling.py",
        "excess = rate * least - proposals.spare * proposals.reach - slower * own\n    assert",
        "excess = (rate * least - proposals.spare * proposals.reach - slower * own) / 2\n    assert",
        PROPOSED,
    ),
    Mutant(
        "free total: tuples in the window are proposed as far ones, too",
        f"{MECHANISMS}freetotal/sampling.py",
        "return _far_chance(proposals, which, ranks, distance(counts, shares, best)) if far else (0.0, 0)",
        "return _far_chance(proposals, which, ranks, distance(counts, shares, best))",
        PROPOSED,
    ),
    Mutant(
        "free total: far proposals at half their weight",
        f"{MECHANISMS}freetotal/proposals.py",
        "lowered = -Fraction(1, 2) - self.spare * self.reach",
        "lowered = -Fraction(3, 2) - self.spare * self.reach",
        PROPOSED,
    ),
    # The pages' decision between Explore and Release.
    Mutant(
        "pages: an own column is explored that nobody declared public",
        f"{UI}shell/state.py",
        "return declared_public and uploads_may_be_explored(environment)",
        "return uploads_may_be_explored(environment)",
        MODE,
    ),
    Mutant(
        "pages: an own column is explored on a server for releases only",
        f"{UI}shell/state.py",
        "return declared_public and uploads_may_be_explored(environment)",
        "return declared_public",
        MODE,
    ),
    Mutant(
        "pages: an own column is explored whatever the box says",
        f"{UI}forms/data.py",
        "if may_explore(declared_public=declared_public):",
        "if may_explore(declared_public=True):",
        f"{GIVEN}::test_nothing_of_a_private_column_is_in_what_a_page_is_given",
    ),
    Mutant(
        "pages: a file of the server is explored without its operator's word",
        f"{UI}stream/sources.py",
        "if not may_explore(declared_public=files.is_public()):",
        "if not may_explore(declared_public=True):",
        "tests/pages/test_release_server.py::test_a_file_on_the_server_is_declared_by_nobody_at_a_screen",
    ),
    Mutant(
        "pages: a simulation is shown beside private data",
        f"{UI}shell/state.py",
        "return Mode.EXPLORE if isinstance(data, PublicData) else Mode.RELEASE",
        "return Mode.EXPLORE if isinstance(data, DataSet) else Mode.RELEASE",
        MODE,
    ),
    Mutant(
        "pages: a simulation is kept as a release",
        f"{UI}shell/state.py",
        "return Mode.RELEASE if isinstance(outcome, ReleaseFacts) else Mode.EXPLORE",
        "return Mode.RELEASE if outcome.domain else Mode.EXPLORE",
        MODE,
    ),
    Mutant(
        "pages: the private number of records is told before any release",
        f"{UI}forms/data.py",
        "public_count=counts.released_count(facts)",
        "public_count=values_to_explore(read.column).size",
        f"{GIVEN}::test_nothing_of_a_private_column_is_in_what_a_page_is_given",
    ),
    Mutant(
        "pages: a release says how many records there are where that is private",
        "dpq_core/results/outcomes.py",
        "left(released, account, release_id, public_count(sample, plan))",
        "left(released, account, release_id, sample.n)",
        "tests/results/test_outcomes.py::test_a_release_has_nothing_of_the_truth",
    ),
    Mutant(
        "pages: a released column says how many records there are where that is private",
        "dpq_core/results/synthetic.py",
        "records = public_count(sample, plan)",
        "records = sample.n",
        "tests/results/test_synthetic.py::test_a_released_column_has_nothing_of_the_truth",
    ),
    Mutant(
        "pages: a refused press names a private number of records",
        f"{UI}quantiles/drawing.py",
        "press.plan.adjacency is Adjacency.SUBSTITUTE and data.public_count is None",
        "press.plan.adjacency is Adjacency.ADD_REMOVE and data.public_count is None",
        "tests/pages/test_counts.py::test_what_depends_on_the_number_is_settled_by_the_press",
    ),
    Mutant(
        "pages: a sealed column tells how many records it has",
        "dpq_core/results/sealed.py",
        "_CONTENTS[self] = values, digest",
        "_CONTENTS[self] = values, digest\n\n    def __len__(self) -> int:\n        return len(_CONTENTS[self][0])",
        f"{GIVEN}::test_mypy_refuses_a_page_of_release_that_asks_for_the_truth",
    ),
    Mutant(
        "pages: a sealed column prints what is in it",
        "dpq_core/results/sealed.py",
        "_CONTENTS[self] = values, digest",
        "_CONTENTS[self] = values, digest\n\n    def __repr__(self) -> str:\n        return str(_CONTENTS[self])",
        f"{GIVEN}::test_nothing_of_a_private_column_is_in_what_a_page_is_given",
    ),
    Mutant(
        "pages: what all pages are given may hold values",
        "dpq_core/results/data_set.py",
        "missing: Fraction | None = None\n",
        "missing: Fraction | None = None\n    values: Floats = field(default_factory=lambda: np.empty(0))\n",
        f"{GIVEN}::test_mypy_refuses_a_page_of_release_that_asks_for_the_truth",
    ),
    Mutant(
        "pages: a study of a column goes on after it is not declared public any more",
        f"{UI}studies/job.py",
        "private and (mode is Mode.RELEASE or data is None",
        "private and (data is None",
        "tests/pages/test_compare.py::test_a_public_upload_is_studied_until_it_is_not_public_any_more",
    ),
    Mutant(
        "pages: the report tells of a simulation whose declaration was taken back",
        f"{UI}report/subject.py",
        "return may_explore(declared_public=declared) and",
        "return may_explore(declared_public=True) and",
        "tests/pages/test_report.py::test_a_declaration_taken_back_takes_the_report",
    ),
    Mutant(
        "pages: what was computed of the truth stays after a declaration is taken back",
        f"{UI}quantiles/page.py",
        "if data is not None and mode is Mode.RELEASE:",
        "if data is not None and mode is Mode.EXPLORE:",
        "tests/pages/test_quantiles.py::test_declared_public_is_explored_until_it_is_taken_back",
    ),
    Mutant(
        "pages: a file of a simulation says that it is a release",
        "dpq_core/results/exports.py",
        'if isinstance(outcome, ReleaseFacts):\n        return f"Release:',
        'if outcome.domain:\n        return f"Release:',
        "tests/results/test_outcomes.py",
    ),
    Mutant(
        "pages: the truth is on the screen under the badge of a release",
        f"{UI}shell/pieces.py",
        "return NOT_PRIVATE if mode is Mode.EXPLORE else PRIVATE_ONLY",
        "return NOT_PRIVATE if mode is Mode.RELEASE else PRIVATE_ONLY",
        "tests/pages/test_quantiles.py::test_declared_public_is_explored_until_it_is_taken_back",
    ),
    # The fast sampler.
    Mutant(
        "fast: cells weighed at 0.97 of their rate",
        f"{MECHANISMS}exponential/fast.py",
        "np.exp(log_weight(distance, draws.rate))",
        "np.exp(log_weight(distance, 0.97 * draws.rate))",
        f"{FAST} -k indexp",
    ),
    Mutant(
        "fast: the interval above a whole target instead of its own",
        f"{MECHANISMS}exponential/fast.py",
        "first_above = draws.whole + (draws.part > 0)",
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
        "entropy.discrete_gaussian)(self.size, shape)",
        "entropy.discrete_gaussian)(self.size * Fraction(100 if entropy.exact else 103, 100), shape)",
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
        "weigh(sample.cells, sample.fine_cells, parameters.levels, parameters.rate)",
        "weigh(sample.cells, sample.fine_cells, parameters.levels, parameters.rate * 1)",
        "tests/audit/test_one_source.py::test_no_run_calculates_with_a_constant",
    ),
    Mutant(
        "JointExp at 1.05 of its rate, of many records",
        f"{MECHANISMS}joint/mechanism.py",
        "weigh(sample.cells, sample.fine_cells, parameters.levels, parameters.rate)",
        "weigh(sample.cells, sample.fine_cells, parameters.levels, parameters.rate * (20 + (sample.n > 99)) // 20)",
        f"{RECORDED}::test_jointexp_draws_at_the_rate_of_its_parameters",
    ),
)
