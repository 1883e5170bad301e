"""Changes to mechanisms: what they draw, by which weights, and what that costs."""

from tests.mutants.mutant import Table

# fmt: off
MECHANISMS: Table = {
"dpq_core/mechanisms/aq/mechanism.py": {
"test_privacy::test_a_delta_pays_for_no_more_rho_than_converts_to_it -k aq": [
 ("Fraction(largest_rho(privacy.epsilon, privacy.delta))",
 "Fraction(largest_rho(privacy.epsilon, 2 * privacy.delta))")]},
"dpq_core/mechanisms/aq/recursion.py": {
"audit/test_exact_claims::test_no_small_data_set_loses_more_than_the_claim -k aq": [
 ("both + max(*twos, again + apart) if", "both + max(*twos, apart) if")],
"audit/test_exact_claims -k leaves_one_part": [("max(*twos, apart) if replaced else", "max(twos) if replaced else")],
"audit/test_exact_claims::test_the_claim_is_reached_and_half_the_noise_breaks_it": [
 ("one = max(cost + below for cost, below in zip(costs, ones, strict=True))", "one = min(costs) + max(ones)")],
"audit/test_approximate_quantiles_claims::test_no_small_data_set_loses_more_than_the_claim -k levels2": [
 ("return len(self.levels) == 1 and shape.only_ends(self.levels)", "return shape.only_ends(self.levels)")],
"audit/test_exact_claims::test_the_claim_is_reached_and_half_the_noise_breaks_it -k aq": [
 ("1 and shape.only_ends(self.levels)", "1")],
"audit/test_approximate_quantiles_claims::test_the_claim_is_reached_and_half_the_noise_breaks_it": [
 ("return 1 if shape.only_ends(self.levels) else min(len(self.levels), 2)", "return 1")],
"mechanisms/test_approximate_quantiles::test_usual_draws_are_of_all_or_of_up_to_six_where_someone_joins": [
 ("(shape.TYPICAL_COLUMN, *shape.HARD_COLUMNS) if at_once.cautious else (shape.TYPICAL_COLUMN,)",
 "(shape.TYPICAL_COLUMN,)")]},
"dpq_core/mechanisms/aq/rounds.py": {
"mechanisms/test_ties::test_what_splits_records_and_what_papers_print_is_as_before": [
 ("len(node.levels) == 1 and not any(node.children)", "len(node.levels) == 1")],
"audit/test_enumerated_draws::test_what_runs_is_what_is_stated -k aq": [
 ("high=answers[:, nodes.before],", "high=answers[:, -1:] + 0 * answers[:, nodes.before],")]},
"dpq_core/mechanisms/aq/shape.py": {
"audit/test_approximate_quantiles_claims::test_what_a_record_moves_at_both_ends_it_moves_one_way": [
 ("return [worst for _ in", "return [worst / 2 for _ in")],
"audit/test_approximate_quantiles_claims::test_what_a_record_costs_in_its_part_is_how_far_it_moves_the_score": [
 ("return all(level in (0, 1)", "return any(level in (0, 1)"), ("worst + ((1 - proportion) /", "worst + (0 *")],
"audit/test_exact_claims::test_a_concentrated_draw_costs_its_range": [
 ("return moved(levels) if only_ends(levels) else 2 *", "return")],
"audit/test_approximate_quantiles_claims::test_the_claim_is_reached_and_half_the_noise_breaks_it": [
 ("1 else levels[0] * 0 + 1", "1 else (levels[0] * 0 + 1) / 2")]},
"dpq_core/mechanisms/counts/answers.py": {
"audit/test_noisy_counts_claims -k privacy4": [
 ("epsilon, delta = plan.privacy.epsilon, plan.privacy.delta", "epsilon = plan.privacy.epsilon")],
"audit/test_noisy_counts_claims::test_no_pair_loses_more_than_the_claim_and_some_pair_loses_it_all": [
 ("spent = round_up(Fraction(changed) /", "spent = round_up(Fraction(each) /")],
"test_privacy::test_a_delta_pays_for_no_more_rho_than_converts_to_it -k aggtree": [
 ("privacy.epsilon, privacy.delta)", "privacy.epsilon, min(2 * privacy.delta, 0.5))")],
"audit/test_enumerated_counts::test_noisy_counts_lose_exactly_the_claim -k options0": [
 ("Adjacency.REPLACE_ONE: 2,", "Adjacency.REPLACE_ONE: 1,")],
"audit/test_enumerated_counts::test_noisy_counts_lose_exactly_the_claim -k options2": [
 ("given = self.exact(data), self.noise,", "given = self.exact(data), self.noise.times(Fraction(9, 10)),"),
 ("data.n * data.unit if self.guarantee.adjacency is Adjacency.REPLACE_ONE else None", "data.n * data.unit"),
 ("agreed(estimates, exact.shape, total,",
 "agreed([np.broadcast_to(count, each.shape) for count, each in zip(exact.counts, estimates)], exact.shape, total,")],
"audit/test_enumerated_counts::test_noisy_counts_lose_exactly_the_claim[aggtree-options1-privacy0-laplace-add_"
 "remove]": [("noisy = [count + added for", "noisy = [count + added * (len(count) > 2) for"),
 ("each * shape.height\n    noise = laplace_for_epsilon",
 "each * max(shape.height - 1, 1)\n    noise = laplace_for_epsilon")]},
"dpq_core/mechanisms/counts/intervals.py": {
"intervals/test_intervals_of_shares::test_leaves_of_counts_in_units_are_those_of_counts_in_persons": [
 ("noise = noise if unit == 1 else noise.times(Fraction(unit))", "noise = noise.times(Fraction(1))")]},
"dpq_core/mechanisms/counts/noise.py": {
"audit/test_recorded_draws::test_the_fast_sampler_draws_what_the_exact_one_draws": [
 ("entropy.discrete_gaussian)(size, shape)",
 "entropy.discrete_gaussian)(size * Fraction(100 if entropy.exact else 103, 100), shape)")],
"audit/test_share_claims::test_noise_on_counts_is_in_units": [
 ("self.size if unit == 1 else self.times(Fraction(unit)).size", "self.size")],
"audit/test_enumerated_counts::test_noisy_counts_lose_exactly_the_claim -k options2": [
 ("entropy.discrete_gaussian)(size, shape)", "entropy.discrete_gaussian)(size * Fraction(9, 10), shape)")],
"audit/test_recorded_draws": [("entropy.discrete_gaussian)(size,",
 "entropy.discrete_gaussian)(size if shape[-1] < 99 else size * Fraction(9, 10),")],
"audit/test_enumerated_counts::test_noisy_counts_lose_exactly_the_claim -k options0": [
 ('Noise("gaussian", Size(changed / (2', 'Noise("gaussian", Size(changed / (4'),
 ("return rate * tanh(rate / 2)", "return rate * tanh(rate / 2) * 0.99")]},
"dpq_core/mechanisms/exponential/distribution.py": {
"mechanisms/test_ties::test_no_ties_lose_more_than_the_claim_and_half_the_noise_does": [
 ("rest, (whole - at_most) + rest)", "rest, 2 * ((whole - at_most) + rest))")],
"audit/test_exact_claims::test_the_claim_is_reached_and_half_the_noise_breaks_it -k indexp": [
 ("return Fraction(1) if level in (0, 1) else", "return Fraction(1) if floored or level in (0, 1) else")],
"audit/test_share_claims::test_the_budget_is_used_and_half_the_noise_is_caught": [
 ("each.times(Fraction(1, unit))", "each.times(Fraction(2, unit))")]},
"dpq_core/mechanisms/exponential/sampling.py": {
"audit/test_enumerated_draws::test_what_runs_is_what_is_stated -k aq": [
 ("np.array(list(map(entropy.accept, ratios, exponents)))", "rows >= 0")],
"audit/test_enumerated_draws::test_what_runs_is_what_is_stated -k indexp": [("if each.floored", "if not each.floored"),
 ("(rate.numerator * score, rate.denominator * under)",
 "(21 * rate.numerator * score, 20 * rate.denominator * under)")],
"mechanisms/test_ties::test_both_samplers_have_the_law_of_the_definition": [
 ("max(below * under - over,", "max(at_most * under - over,"),
 ("wanted = np.where(left, behind, first)", "wanted = behind"),
 ("(over - base) - rest, (under - base) + rest", "2 * ((over - base) - rest), 2 * ((under - base) + rest)")],
"audit/test_enumerated_draws::test_the_fast_sampler_has_the_stated_law -k indexp": [
 ("logs *= -draws.rate", "logs *= -0.97 * draws.rate")],
"mechanisms/test_gap_exponential::test_both_samplers_have_the_stated_law": [
 ("np.exp(-self.excess(rows, options, chosen))", "np.ones(rows.size)"),
 ("draws.rate[rows] * np.abs(", "0.97 * draws.rate[rows] * np.abs("), ("counts[:, None] + 1", "counts[:, None]")]},
"dpq_core/mechanisms/freetotal/many.py": {
"mechanisms/test_free_total_parts::test_accepted_attempts_have_the_law_whatever_is_far": [
 ("(which == first) | (which == first + 1)", "which == first"), ("moved = 2 * (1 -", "moved = 1.5 * (1 -")]},
"dpq_core/mechanisms/freetotal/mechanism.py": {
"audit/test_exact_claims::test_no_small_data_set_loses_more_than_the_claim -k freetotal": [
 ("set(levels) <= {0, 1} else 2)", "set(levels) <= {0, 1} else 1)")]},
"dpq_core/mechanisms/freetotal/draws.py": {
"mechanisms/test_free_total_parts::test_both_samplers_have_the_law_in_parts_by_the_slow_ways": [
 ("target.rate, low)", "target.rate)")],
"audit/test_enumerated_draws::test_what_runs_is_what_is_stated -k freetotal": [
 ("return ways, self.part.rate * apart", "return ways, self.part.rate * Fraction(21, 20) * apart")],
"mechanisms/test_few_levels::test_all_outcomes_have_the_stated_chances -k usual-cells2": [
 ("2 * (1 - min(proportions_of(part.levels)))", "3 * (1 - min(proportions_of(part.levels))) / 2"),
 ("        self.parts = parts\n", "")],
"audit/test_enumerated_draws::test_no_window_changes_the_law -k free": [
 ("float(self.spare * reach + KAPPA) + 2.0**-20", "float(self.spare * reach + KAPPA) - 0.7"),
 ("far = ~near | (totals <", "far = (totals <")]},
"dpq_core/mechanisms/freetotal/totals.py": {
"audit/test_enumerated_draws::test_no_window_changes_the_law -k free": [
 ("if place not in (first, first + 1):", "if place != first:")],
"mechanisms/test_free_total::test_every_best_total_of_few_ranks_is_known": [
 ("np.subtract.outer(np.array(ends), np.array([0, *ends]))", "np.array(ends)")]},
"dpq_core/mechanisms/freetotal/chains.py": {
"mechanisms/test_free_total_parts::test_runs_that_are_longer_than_what_is_weighed_are_rejected_down_to_the_law": [
 ("np.add.at(chances, at // lengths.shape[1],", "np.add.at(chances, at // lengths.shape[1], 0 *")]},
"dpq_core/mechanisms/gk/mechanism.py": {
"audit/test_enumerated_draws::test_the_fast_sampler_has_the_stated_law -k gkexp": [
 ("super().__init__(classes.first[None, :] - 1, classes",
 "super().__init__(classes.first[None, :] - 1, 0.97 * classes")],
"audit/test_enumerated_draws::test_what_runs_is_what_is_stated -k gkexp": [
 ("(self.target_level.rate * distance).as", "(self.target_level.rate * distance * Fraction(21, 20)).as")],
"audit/test_gk_exponential_claims::test_a_threshold_from_the_private_number_of_people_jumps": [
 ("exact / (exact + extra))", "exact / (exact + max(extra - 1, 0)))")]},
"dpq_core/mechanisms/indexp/mechanism.py": {
"mechanisms/test_exponential_composition::test_the_computed_delta_is_never_below_the_formula": [
 ("gain - scaled_loss +", "gain - 1.01 * scaled_loss +")],
"audit/test_exact_claims::test_no_small_data_set_loses_more_than_the_claim -k indexp": [
 ("rho = round_up(bounded_range_rho(each) * count)", "rho = round_up(bounded_range_rho(each))")],
"audit/test_losses::test_probabilities_sum_to_one -k indexp": [(" - np.log(repeats)", "")],
"audit/test_recorded_draws": [("rounded_rate(each / range_of_draw(level, floored))",
 "rounded_rate(each / (range_of_draw(level, floored) * Fraction(19, 20)))")]},
"dpq_core/mechanisms/joint/distance.py": {
"audit/test_enumerated_draws::test_no_window_changes_the_law -k free": [
 ("(whole + 1) // 2), bisect_right(below, whole // 2)", "(whole + 3) // 4), bisect_right(below, whole // 4)")]},
"dpq_core/mechanisms/joint/mechanism.py": {
"test_privacy::test_a_delta_pays_for_no_more_rho_than_converts_to_it -k jointexp": [
 ("Fraction(largest_rho(epsilon, delta))", "Fraction(largest_rho(epsilon, 2 * delta))")],
"audit/test_exact_claims::test_the_sensitivity_is_that_of_the_score": [
 ("return set(levels) <= {0, 1} and (adjacency is Adjacency.ADD_REMOVE or len(levels) == 1)",
 "return set(levels) <= {0, 1}"), ("return moved / 2 if one_way(levels, adjacency) else moved", "return moved / 2")],
"audit/test_enumerated_draws::test_what_runs_is_what_is_stated -k joint": [
 ("grid, self.levels, self.rate)", "grid, self.levels, self.rate * 2)")],
"audit/test_recorded_draws::test_jointexp_draws_at_the_rate_of_its_parameters": [
 ("grid, self.levels, self.rate)", "grid, self.levels, self.rate * (20 + (cells.size > 99)) / 20)")]},
"dpq_core/mechanisms/joint/draws.py": {
"audit/test_enumerated_draws::test_no_window_changes_the_law -k joint": [
 ("self._under[row] *= int(own[option])", "self._under[row] *= whole"),
 ("return Fraction(near != option)", "return Fraction(1)"),
 ("share, part.rate * apart", "share, part.rate / 2 * apart"),
 ("if open_ones.size:", "if False:"),
 ("self._over[row] *= comb(length + count - 1, count)", "self._over[row] *= 1")],
"audit/test_enumerated_draws::test_no_window_changes_the_law -k fast": [
 ("np.exp(np.minimum(self._logs - exponents, 9.0))", "np.exp(np.minimum(exponents - exponents, 9.0))")]},
"dpq_core/mechanisms/joint/windows.py": {
"mechanisms/test_joint_exponential::test_no_stored_sum_is_less_than_the_options_it_stands_for": [
 ("runs[1:] += np.log(lengths + more) - np", "runs[1:] += np.log(lengths + more) - 9.0 - np"),
 ("near = sums_between(ends - ramp, first, np", "near = sums_between(ends - ramp, first + 1, np"),
 ("np.where(self.lengths[column] > 0, starts, NEVER)", "starts"),
 ("np.where(steps > 0, self.ends", "np.where(steps >= 0, self.ends")],
"mechanisms/test_free_total::test_few_records_are_drawn_where_rounding_brings_a_part_of_no_total_below_zero": [
 ("np.maximum(self._wanted(), 0.0)", "self._wanted()")],
"audit/test_share_claims::test_the_budget_is_used_and_half_the_noise_is_caught": [
 ("levels, rate / unit_of(cells), low)", "levels, rate, low)")]},
"dpq_core/mechanisms/normal/mechanism.py": {
"audit/test_enumerated_counts::test_both_steps_of_a_normal_sample": [
 ("noisy_counts(exact, parameters.noise,", "noisy_counts(exact, parameters.noise.times(Fraction(1, 2)),")]},
"dpq_core/mechanisms/normal/range.py": {
"mechanisms/test_normal_sample::test_the_threshold_is_the_smallest": [
 ("shown_chance(scale, tau) <= delta", "shown_chance(scale, tau) <= 2 * delta")],
"audit/test_normal_sample_claims::test_the_chance_to_be_shown_is_rounded_up": [("scale, bits) + 1", "scale, bits)")],
"mechanisms/test_normal_sample::test_a_large_delta_beside_a_small_epsilon_is_refused": [
 ("if not _hides(epsilon / 2,", "if not _hides(epsilon,")],
"mechanisms/test_normal_sample::test_bins_hold_the_records_of_their_width": [
 ("int(column.places.cells_of(column.records[np.array([start])])[0])",
 "int(column.records[np.array([start])][0]) >> column.tie_bits")],
"audit/test_enumerated_counts::test_the_range_of_a_normal_sample": [
 ("noisy.max(axis=1) > rule.threshold", "noisy.max(axis=1) >= rule.threshold"),
 ("exact + rule.noise.draw(", "exact + rule.noise.times(Fraction(1, 2)).draw("),
 ("laplace_for_epsilon(epsilon, 2)", "laplace_for_epsilon(epsilon, 1)"),
 ("threshold=_threshold(noise.size, Fraction(delta))", "threshold=_threshold(noise.size, Fraction(delta)) - 1"),
 ("which[np.argmax(noisy, axis=1)]", "which[np.argmax(np.broadcast_to(counts, noisy.shape), axis=1)]")]},
"dpq_core/mechanisms/slices/draws.py": {
"audit/test_slice_quantiles_claims::test_both_maps_are_injective_and_change_one_record_of_one_slice": [
 ("axis=1) >= 2 * half_width)", "axis=1) >= 2 * half_width - 1)")]},
"dpq_core/mechanisms/slices/layout.py": {
"audit/test_enumerated_slices::test_gaps_fall_short_as_often_as_delta_counts_on": [
 ("chance_beyond(room,", "chance_beyond(room + 1,")]},
"dpq_core/mechanisms/slices/mechanism.py": {
"test_contract::test_both_samplers_have_one_law -k slice": [("half_width, drawn.target_level, column",
 "half_width, drawn.target_level.times(Fraction(100 if entropy.exact else 97, 100)), column")],
"audit/test_enumerated_slices::test_two_quantiles_where_one_joins[flat]": [
 ("drawn.ranks.draw(entropy)", "replace(drawn.ranks, node=drawn.ranks.node.times(Fraction(4, 5))).draw(entropy)"),
 ("    if rules.bridged:", "    if rules.bridged and rules.count_is_public:"),
 ("rules, counts, noise)", "rules, np.full_like(counts, column.n), noise)"),
 ("noisy = ranks + noise[trials][:,", "noisy = ranks + 0 * noise[trials][:,"),
 ("counts -= noise[:, -1]", "counts += noise[:, -1]"),
 ("half_width, roomy & is_good(noisy, half_width))", "half_width, roomy)")],
"audit/test_enumerated_slices::test_two_quantiles_with_a_pure_budget": [
 ("delta, column.domain.cells), 1", "delta, column.domain.cells) // 2, 1")],
"audit/test_enumerated_slices::test_one_quantile": [("drawn.ranks.draw(entropy)",
 "replace(drawn.ranks, node=drawn.ranks.node.times(Fraction(1, 1000 if entropy.exact else 1))).draw(entropy)")],
"audit/test_recorded_draws": [("half_width, drawn.target_level,",
 "half_width, drawn.target_level.times(Fraction(4 + (len(rules.levels) > 2), 4)),")],
"audit/test_enumerated_slices::test_two_quantiles_where_one_is_replaced": [
 ("roomy & is_good(noisy, half_width))", "is_good(noisy, half_width))")]},
"dpq_core/mechanisms/slices/ranks.py": {
"audit/test_recorded_draws": [("laplace_for_epsilon(epsilon, most_moved(kind, count))",
 "laplace_for_epsilon(epsilon, max(most_moved(kind, count) - (count > 5), 1))")]},
}
# fmt: on
