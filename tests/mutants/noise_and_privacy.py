"""Changes to noise, to what budgets and guarantees are computed from, and to the audit that finds what is lost."""

from tests.mutants.mutant import Table

# fmt: off
NOISE_AND_PRIVACY: Table = {
"dpq_core/accuracy.py": {
"test_accuracy::test_rank_errors_follow_the_definition": [
 ("np.maximum(below - wanted, 0) - np.maximum(wanted - at_most, 0)",
 "np.maximum(wanted - at_most, 0) - np.maximum(below - wanted, 0)"),
 ("= many * level.numerator // level.denominator", "= -(-many * level.numerator // level.denominator)")]},
"tests/branching.py": {
"audit/test_branching::test_what_is_cut_bounds_the_excess_from_both_sides": [
 ("p - large * (other.at_least(x) + own))", "p - large * other.at_least(x))")],
"audit/test_branching::test_integer_noise_has_its_chances_and_a_cut_tail": [
 ("((distance, -distance) if distance else (0,))", "((distance,) if distance else (0,))")],
"audit/test_branching::test_a_loop_that_begins_again_is_closed": [("(weight << BITS) // stays", "weight")]},
"dpq_core/audit/losses.py": {
"domain/test_measure::test_exact_losses_need_the_same_room_or_a_lemma": [
 ("if domain.measure != UNIFORM and (", "if False and (")],
"audit/test_losses::test_each_loss_is_the_worse_of_both_directions": [
 ("delta=max(delta_at(claimed_epsilon, ratios, np.exp(b)), ", "delta=max(0.0, "),
 ("np.maximum(_renyi_divergences(a, b), _renyi_divergences(b, a)) / RENYI", "_renyi_divergences(a, b) / RENYI"),
 ("largest = np.abs(ratios)", "largest = -ratios"),
 ("rho=float(rho_by_order(a, b).max())", "rho=float(rho_by_order(a, b).min())")],
"audit/test_broken::test_outputs_that_one_law_lacks_are_an_infinite_loss": [
 ("    if (q == -inf).any():", "    if (q == inf).any():")],
"audit/test_losses::test_both_data_sets_are_altered_alike": [
 ("if alter is None else", "if alter is None or each is sound[1] else")],
"audit/test_broken::test_a_loss_holds_its_guarantee_up_to_rounding_alone": [("ROUNDING = 1e-9", "ROUNDING = 1e-2")],
"audit/test_broken::test_the_variant_breaks_and_its_mend_does_not": [
 ("guarantee.rho, loss.rho)", "guarantee.rho, guarantee.rho)")]},
"dpq_core/audit/tables.py": {
"audit/test_losses::test_data_that_are_no_neighbours_are_refused": [("only_a == only_b <= 1", "only_a == only_b")]},
"dpq_core/calibrations.py": {
"test_release::test_the_number_of_records_is_public_where_one_is_replaced_and_nowhere_else": [
 ("1:\n        return None", "1:\n        return column.n")],
"test_release::test_missing_values_need_a_public_stand_in_where_one_is_replaced": [
 ("if column.dropped:", "if column.dropped < 0:")],
"test_release::test_a_plan_that_was_calibrated_for_another_number_of_records_is_not_drawn": [
 ('        assert self.n_public == public_count(column, self.plan), "calibrated for other data"', "        pass")],
"test_contract::test_a_trace_is_a_simulated_run -k aq": [
 ("parameters, entropy, trial))", "parameters, entropy, 0))")],
"test_release::test_a_mechanism_that_spends_more_than_was_requested_is_stopped": [
 ("assert parameters.guarantee.covers(plan.privacy)", "assert parameters")],
"mechanisms/test_gk_exponential::test_a_sketch_brings_its_own_options": [
 ("if plan.options.get(name, own) != own:", "if name not in data.options:")],
"test_group_privacy::test_the_number_of_rows_stays_private_where_a_person_is_replaced": [
 ("is Adjacency.ADD_REMOVE or column.unit_between(plan.adjacency).steps_per_group > 1:", "is Adjacency.ADD_REMOVE:")],
"test_group_privacy::test_a_plan_for_other_rows_draws_nothing": [
 ("assert self.unit == column.", "assert self.unit or column.")],
"people/test_shares::test_a_mechanism_takes_shares_or_says_what_to_take": [
 ("    if column.unit > 1:\n        mechanism_of", "    if column.unit < 1:\n        mechanism_of")],
"groups/test_intervals_of_groups::test_no_private_size_decides_the_ends": [
 ("each, public_count(column, plan), column,", "each, int(column.starts[1]) + 1, column,")],
"groups/test_intervals_of_groups::test_the_guarantee_of_groups_with_numbers_of_their_own_is_that_of_the_worst": [
 ("composition.worst_of(guarantees(found))", "min(guarantees(found), key=lambda guarantee: guarantee.epsilon)")],
"groups/test_intervals_of_groups::test_a_number_for_each_group_lays_its_own_ends": [
 ("self.numbers[name]", "max(self.numbers.values())")]},
"dpq_core/group_privacy.py": {
"audit/test_people_claims::test_at_most_k_rows_hold_the_whole_budget": [
 ("if self.unit.is_one_record:", "if self.unit.epsilon_divisor:")],
"test_group_privacy::test_the_number_of_rows_stays_private_where_a_person_is_replaced": [
 ("privacy=privacy, adjacency=Adjacency.ADD_REMOVE)", "privacy=privacy)")],
"test_group_privacy::test_a_refusal_speaks_of_one_record_and_has_cost_as_much_as_the_whole": [
 ("loss_times(told.charged, unit.epsilon_divisor)", "told.charged")],
"groups/test_groups::test_what_one_record_of_a_group_may_cost": [
 ("if self.unit.is_one_record:", "if self.unit.steps_per_group == 1:")]},
"dpq_core/noise/exact.py": {
"noise/test_proposals::test_whole_weights_are_close_above_their_logarithms": [
 ("raised = np.ceil(", "raised = np.floor(")],
"noise/test_proposals::test_bounds_of_a_chance_hold_it": [
 ("-(-high * over // under >> spare)", "high * over // under >> spare"),
 ("bits), 1.0)", "bits), 0.0)"), ("logs[2] + spare, 0.0", "logs[2] - spare, 0.0")],
"noise/test_proposals::test_a_uniform_integer_of_all_bits": [("randbits(bits)) >= limit", "randbits(bits)) > limit")],
"noise/test_exact::test_uniform_integers_are_no_remainders": [
 ("[self.integer_below(limit) for limit in", "[secrets.randbits(62) % limit for limit in")],
"noise/test_proposals::test_a_coin_of_all_bits": [("if drawn < low:", "if drawn <= low:")],
"noise/test_proposals::test_a_choice_of_all_bits": [("import bisect_right", "import bisect_left as bisect_right")],
"audit/test_branching": [
 ("self.integer_below(denominator) < numerator", "self.integer_below(denominator) <= numerator"),
 ("bisect_right(sums, self.integer_below(int(sums[-1])))",
 "bisect_right(sums, self.integer_below(int(sums[-1])) + 1)")]},
"dpq_core/noise/fast.py": {
"noise/test_gaussian::test_discrete_gaussian_has_its_law_and_no_other": [
 ("/ (2 * sigma_squared))", "/ (1.8 * sigma_squared))")],
"noise/test_fast::test_a_seed_repeats_and_parts_are_independent": [("spawn_key=(part,)", "spawn_key=(0,)")],
"noise/test_fast::test_laplace_noise_is_a_difference_of_geometric_counts": [
 ("stop = -np.expm1(-1 / float(scale))", "stop = -np.expm1(-1 / (0.97 * float(scale)))")],
"noise/test_exact::test_discrete_laplace_has_its_law_and_no_other -k fast": [
 ("stop = -np.expm1(-1 / float(scale))", "stop = -np.expm1(-1 / (1.03 * float(scale)))")],
"noise/test_fast::test_tabled_gaussian_noise_turns_where_the_exact_weights_do": [
 ("2) / (2 * sigma_squared))", "2) / (2 * 0.97 * sigma_squared))")],
"noise/test_fast::test_a_choice_turns_where_the_sums_of_the_weights_do": [
 ("np.count_nonzero(sums <=", "np.count_nonzero(sums[:, 1:] <=")],
"noise/test_fast::test_a_coin_turns_at_its_chance": [("size) < chances", "size) <= chances")]},
"dpq_core/noise/entropy.py": {
"noise/test_fast::test_each_row_gets_what_its_first_accepted_attempt_gives": [
 ("found[waiting[accepted]] = drawn[accepted]", "found[waiting] = drawn; accepted |= True")]},
"dpq_core/noise/integer_noise.py": {
"noise/test_words::test_laplace_noise_counts_the_thresholds_above_two_words": [
 ("return drawn[:count] - drawn[count:]", "return drawn[:count] - np.roll(drawn[:count], 1)")],
"noise/test_words::test_wide_laplace_noise_keeps_low_bits_with_their_own_chance": [
 ("lambda k: rate * k)", "lambda k: 0 * rate)")],
"noise/test_gaussian::test_counts_beyond_the_table_go_on": [
 ("unfinished = unfinished[above == floors.size]", "unfinished = unfinished[:0]")],
"noise/test_gaussian::test_every_ambiguous_word_is_settled_by_more_digits": [
 ("above += sum(word < floor for", "above += sum(word <= floor for")],
"noise/test_gaussian::test_a_coin_on_its_threshold_is_settled_by_more_digits": [
 ("accepted[at] = _count_above(int(words[at]), [exponents[which[at]]]) == 1", "accepted[at] = True")],
"noise/test_gaussian::test_short_words_read_on_and_keep_the_law": [
 ("            above[at] = _count_above(int(words[at]), [rate * k for k in range(1, floors.size + 1)])",
 "            pass")],
"noise/test_gaussian::test_words_are_uniform_and_long": [(">> np.uint64(64 - WORD)", ">> np.uint64(65 - WORD)")],
"noise/test_gaussian::test_a_floor_right_beside_a_whole_number_is_exact": [("if low == high:", "if high - low <= 1:")],
"noise/test_words": [
 ("drawn = _geometric(1 / scale, 2 * count)", "drawn = _geometric(Fraction(101, 100) / scale, 2 * count)"),
 ("(size - sigma_squared / t) ** 2 / (2 * sigma_squared)",
 "(size - sigma_squared / t) ** 2 / (2 * sigma_squared * Fraction(99, 100))")]},
"dpq_core/noise/tie_breaking.py": {
"noise/test_tie_breaking -k no_text": [("__str__ = __repr__", "__str__ = bytes.__str__"),
 ("return Key(bytes(self) + more)", "return bytes(self) + more")],
"test_column::test_tie_breaking_is_uniform": [
 ("mask = np.uint64((1 << bits) - 1)", "mask = np.uint64((1 << bits >> 1) - 1)")],
"noise/test_tie_breaking::test_no_chunk_repeats_another_and_all_are_uniform": [
 ("(seed + chunk.to_bytes(8,", "(seed + (0).to_bytes(8,")],
"test_column::test_the_same_seed_gives_the_same_sample_and_none_gives_another_each_time": [
 ("lambda count: np.frombuffer(os.urandom(8 * count), np.uint64)",
 "lambda count: np.asarray(np.random.Philox(key=1).random_raw(count), dtype=np.uint64)")],
"test_column": [("None if seed is None else seed + 1", "1 if seed is None else seed + 1"),
 ("np.frombuffer(os.urandom(8 * count), np.uint64)", "np.arange(count, dtype=np.uint64)")]},
"dpq_core/opendp.py": {
"test_opendp -k geometric": [("guarantee.delta == 0 or distance == 1", "guarantee.delta == 0 or distance <= 2")],
"test_opendp -k group_privacy": [("distance**2)\n        return", "distance)\n        return")],
"test_opendp": [("allowed = REPLACING if replaced else JOINING", "allowed = (*REPLACING, *JOINING)"),
 ("rho_to_epsilon(rho, plan.privacy.delta)", "rho_to_epsilon(rho, min(2 * plan.privacy.delta, 0.5))")],
"audit/test_wrappers_claims::test_a_measurement_of_opendp_loses_no_more_than_its_map_says": [
 ("return loss_times(guarantee.epsilon, distance)", "return loss_times(guarantee.epsilon, max(distance - 1, 1))")]},
"dpq_core/privacy/budgets.py": {
"test_privacy::test_a_guarantee_knows_what_it_covers": [
 ("return self.epsilon <= requested.epsilon and self.delta <= allowed", "return self.epsilon <= requested.epsilon"),
 ("return self.rho is not None and self.rho <= requested.rho", "return self.rho is None or self.rho <= requested.rho")],
"finding/test_counting -k state_the_delta": [
 ("delta = privacy.delta if isinstance(privacy, ApproxDP) else", "delta =")]},
"dpq_core/privacy/composition.py": {
"test_group_privacy::test_the_number_of_rows_stays_private_where_a_person_is_replaced": [
 ("if max_groups_per_person is None and max_rows_per_person is None:", "if max_groups_per_person is None:")],
"finding/test_finding -k spends": [("Fraction(budget) * (1 - share)", "Fraction(budget)"),
 ("round_up(Fraction(rest.epsilon) + counted)", "round_up(Fraction(rest.epsilon))")],
"test_group_privacy::test_parts_never_add_up_to_more": [
 ("self.rho_divisor if isinstance(way, ZCDP) else self.epsilon_divisor)", "self.epsilon_divisor)")],
"test_group_privacy::test_a_delta_is_never_handed_down": [
 ("ways = _ways_for_steps(whole, knows_rho=knows_rho)", "ways = ways_to_divide(whole)")],
"test_group_privacy::test_every_mechanism_has_a_part_and_states_the_whole": [
 ("loss_times(each.epsilon, self.epsilon_divisor),", "each.epsilon,")],
"groups/test_groups::test_what_one_record_of_a_group_may_cost": [
 ("rows if adjacency is Adjacency.ADD_REMOVE else 2 * rows, groups)",
 "rows if adjacency is Adjacency.ADD_REMOVE else 2 * rows)"),
 ("self.steps_per_group**2 * self.max_groups_per_person", "self.steps_per_group * self.max_groups_per_person")],
"audit/test_groups_claims::test_the_budget_is_used_and_what_is_too_little_noise_is_caught -k share_moves": [
 ("PrivacyUnit(protects, 1 if adjacency is Adjacency.ADD_REMOVE else 2, 1,", "PrivacyUnit(protects, 1, 1,")],
"audit/test_groups_claims::test_every_group_has_what_one_whole_record_has": [("1 and not self.shares", "1")],
"audit/test_groups_claims::test_the_budget_is_used_and_what_is_too_little_noise_is_caught -k name_by": [
 ("return PrivacyUnit(unit.protects, unit.steps_per_group * max(share_units, 1), unit.max_groups_per_person)",
 "return unit")],
"test_composition::test_names_by_parts_of_a_person_cost_what_was_given": [
 ("found = 1 + at_least_power * found", "found = 1 + found")],
"groups/test_groups::test_found_groups_are_large_and_their_names_tell_no_order": [
 ("ApproxDP(_rest(whole.epsilon, share), whole.delta / 2)", "ApproxDP(whole.epsilon, whole.delta / 2)")],
"test_composition::test_names_of_all_groups_of_a_person_cost_what_was_given": [
 ("return each, delta / unit.max_groups_per_person /", "return each, delta /")],
"test_composition -k mechanism_without_rho": [("_every_step(each, unit.steps_per_group)", "unit.steps_per_group"),
 ("return round_up(Fraction(each.delta) * self.max_groups_per_person * steps)", "return each.delta")],
"groups/test_intervals_of_groups::test_one_way_to_divide_the_budget_is_chosen_for_all_numbers": [
 ("return (whole,) if unit.is_one_record", "return (whole,) if unit.is_one_record or isinstance(whole, ApproxDP)")],
"audit/test_counted_groups_claims::test_counts_alone_lose_all_that_they_are_charged": [
 ("return first / unit.epsilon_divisor", "return first / unit.steps_per_group")],
"test_composition -k a_first_step_in_each_group": [("counted = unit.epsilon_divisor * first", "counted = first")],
"columns/test_columns::test_parts_add_up_to_no_more_and_nearly_to_all": [
 ("if (part := _part(way, weight / total)) is", "if (part := _part(way, Fraction(1))) is")],
"columns/test_columns::test_one_guarantee_for_the_whole": [
 ("round_up(sum(map(Fraction, losses), Fraction(0)))", "max(losses)")],
"groups/test_intervals_of_groups::test_the_guarantee_of_groups_with_numbers_of_their_own_is_that_of_the_worst": [
 ("epsilon=max(part.epsilon for part in parts)", "epsilon=min(part.epsilon for part in parts) / 2")],
"audit/test_wrappers_claims::test_names_have_what_answers_leave_of_delta": [
 ("left = Fraction(whole.delta) - Fraction(answers.delta)", "left = Fraction(whole.delta)")]},
"dpq_core/privacy/conversions.py": {
"test_privacy::test_the_largest_rho_fits_and_hardly_more_would": [
 ("rho_to_epsilon(middle, delta) <= epsilon", "rho_to_epsilon(middle, 2 * delta) <= epsilon")],
"test_privacy::test_the_exponential_mechanisms_rate_is_rounded_down": [
 ("isqrt(int(8 * rho * 4**bits))", "isqrt(int(16 * rho * 4**bits))")],
"test_privacy::test_rounding_up_never_loses": [
 ("return nearest if Fraction(nearest) >= value else nextafter(nearest, inf)", "return nearest")],
"test_privacy::test_rounding_down_never_spends_more_and_hardly_less": [
 ("return nearest if Fraction(nearest) <= value else nextafter(nearest, 0)", "return nearest")],
"test_privacy::test_rho_is_converted_by_the_best_order": [
 ("float(accountant.get_epsilon(delta))", "float(accountant.get_epsilon(2 * delta))")],
"test_privacy::test_no_pair_of_bounded_range_costs_more_rho_and_one_costs_all": [
 ("* (1 + _ROUNDING)", "* Fraction(99, 100)")],
"test_privacy::test_the_rho_of_a_range_grows_slower_than_its_square_and_is_bracketed": [
 ("r = exact / (exact.exp() - 1)", "r = exact / exact.exp()")]},
"dpq_core/draw.py": {
"groups/test_groups::test_a_group_is_found_by_its_persons_and_not_by_their_records": [
 ("naming.named(groups.people_in,", "naming.named(groups.sizes,")],
"test_release::test_a_seeded_sample_is_refused_and_may_be_simulated": [("column.seed is not None", "column.seed")],
"test_release::test_two_releases_differ": [
 ("return ExactEntropy()", "return SeededSampler(1)")],
"test_accuracy::test_every_part_of_a_simulation_has_draws_of_its_own": [
 ("source.entropy(part, at_once)", "source.entropy(0, at_once)")],
"cluster/test_table_claims::test_blocks_are_drawn_by_noise_of_their_own": [
 ("return ExactEntropy()", "return SeededSampler(1, 1)"), ("seed=source.seed + at * OF_ONE_PART", "seed=source.seed")],
"cluster/test_found::test_nothing_of_a_group_that_is_not_named_leaves_the_workers": [
 ("np.flatnonzero(named[0]) if source.seed is None else ", ""),
 ("[named is None or name in named for", "[True for")],
"cluster/test_found::test_a_simulation_is_refused_which_would_show_all_names": [
 ("source.seed is not None and not groups.is_in_memory", "False")],
"groups/test_groups::test_one_small_group_refuses_for_all_and_the_whole_is_charged": [
 ("return Infeasible.of_whole(of_one, OF_ONE_GROUP, spent.epsilon) if column.in_groups else of_one",
 "return of_one")]},
"dpq_core/release.py": {
"test_release::test_odd_but_legal_budgets_are_answered_with_a_warning": [
 ("if asked and asked.delta > 1e-4", "if asked and asked.delta > 1e-2")],
"columns/test_columns::test_what_is_unusual_about_the_whole_budget_is_said_once": [
 ("return (*warnings_of_budget(self.plan.privacy, self.guarantee), *said)", "return tuple(said)")],
"test_release_everywhere -k from_its_json": [('lambda groups: tuple(map(as_pairs, groups))', "lambda groups: ()")]},
"dpq_core/study.py": {
"mechanisms/test_gk_exponential::test_errors_known_from_a_sketch_hold_the_true_ones": [
 ("rank_error_slack=column.rank_slack", "rank_error_slack=0")],
"groups/test_intervals_of_groups::test_found_groups_are_named_as_without_intervals_and_others_hold_nothing": [
 ("(values, errors, *of_ends[:1])", "(values, errors)")]},
}
# fmt: on
