"""Changes to what becomes of a column: its grid, sample, sketch or bins, the bounds that are found, and intervals."""

from tests.mutants.mutant import Table

# fmt: off
COLUMNS: Table = {
"dpq_core/domain/domain.py": {
"domain/test_domain::test_short_floats_are_the_numbers_that_they_store": [
 ("encode(flat[chunk].astype(np.float64, copy=False))", "encode(flat[chunk])")],
"domain/test_measure::test_a_domain_records_its_measure_and_is_uniform_without_one": [
 ("return {**self.grid.as_dict(), **measure}", "return self.grid.as_dict()"),
 ('return cls(**{"measure": UNIFORM, **values})', "return cls(**values)")]},
"dpq_core/domain/even.py": {
"domain/test_domain::test_values_outside_the_bounds_are_clipped": [
 ("last, rounding = self.cells - 1,", "last, rounding = self.cells - 2,"),
 ("x = np.clip(values, lower, upper)", "x = np.minimum(values, upper)")],
"domain/test_domain::test_encoding_is_the_floor_clipped_to_the_grid": [
 ("(position + EDGE_TOLERANCE).astype(np.int64)", "np.rint(position).astype(np.int64)")],
"domain/test_domain::test_a_typed_decimal_lands_on_itself": [
 ("(position + EDGE_TOLERANCE).astype(np.int64)", "position.astype(np.int64)")],
"domain/test_domain::test_every_value_of_the_grid_encodes_to_its_own_cell": [
 ("if rounding > EDGE_TOLERANCE / 2:", "if rounding > 1e300:")],
"domain/test_domain::test_a_float_means_its_decimal_and_the_upper_end_belongs_to_the_grid": [
 ("// self.step) + 1", "// self.step)")],
"domain/test_domain::test_decoding_gives_the_float_nearest_to_the_exact_value": [
 ("_FLOAT_EXACT = 2**53", "_FLOAT_EXACT = 2**62")]},
"dpq_core/domain/finding.py": {
"finding/test_intervals_between_found_bounds::test_no_domain_that_can_be_found_has_more_values_than_that_which_"
 "ends_are_laid_for": [("most = 10 ** (STEPS + 1) + 2 if self.step is None else self.widest.cells",
 "most = self.between(self.zero, self.zero + 1).cells")]},
"dpq_core/domain/measure.py": {
"domain/test_measure::test_every_place_belongs_to_one_value": [
 ("rest -= parts.behind[part]", "rest -= parts.edges[part]"),
 ("(at_begin,) = (rest < own).nonzero()", "(at_begin,) = (rest < 0).nonzero()")],
"domain/test_measure::test_a_record_takes_its_own_places_evenly": [
 ("part = (size >> self.bits) * low", "part = ((size >> self.bits) + 1) * low")]},
"dpq_core/domain/numbers.py": {
"domain/test_domain::test_a_float_means_its_decimal_and_the_upper_end_belongs_to_the_grid": [
 ("else Decimal(str(value))", "else Decimal(value)")]},
"dpq_core/domain/significant.py": {
"domain/test_domain -k search": [("np.append(bits - 1, _MAGNITUDE)", "np.append(bits - 2, _MAGNITUDE)"),
 ("magnitude += sign  #", "magnitude += 0 * sign  #"),
 ("while np.any(np.diff(bits >> shift) == 0):", "while np.any(np.diff(bits >> shift + 1) == 0) and shift > 47:")],
"domain/test_domain -k exact_values": [("number, key=self.exact)", "number, key=self.exact) + 1")]},
"dpq_core/steps.py": {
"finding/test_finding -k ledger": [("loss_with_first(first, refused.charged)", "refused.charged")],
"finding/test_counting -k ledger": [
 ("refused = Infeasible(refused.name, refused.words[2:], refused.remedies)", "return Infeasible(refused.name, about)")],
"ledger/test_refused_before_a_charge -k ends_that_cannot": [("    refuse_ends(rest, each, unit)\n", "")],
"audit/test_counted_groups_claims::test_masses_are_counted_in_units_at_the_whole_budget_of_each_group": [
 ("NoisyCount.of(rate, intervals, unit)", "NoisyCount.of(rate * unit, intervals, unit)"),
 ("np.tile(column.masses[which],",
 "np.tile(column.masses[which] // self.count.number.unit * self.count.number.unit,")],
"audit/test_counted_groups_claims::test_names_counts_and_answers_hold_the_budget_together": [
 ("rest = replace(plan, privacy=way[1], intervals=None", "rest = replace(plan, intervals=None")],
"groups/test_counted_groups::test_the_ends_have_what_the_number_leaves_of_the_chance": [
 ("    rest = replace(rest, intervals=of_the_ends(intervals))\n", "    rest = replace(rest, intervals=intervals)\n")],
"audit/test_counted_groups_claims::test_the_shipped_draws_have_this_law": [
 ("np.array([list(map(self.count.number.at_least, run)) for run in noisy.tolist()], np.int64)",
 "np.full(noisy.shape, 60)"),
 ("(entropy.trials, 1)), entropy)", "(entropy.trials, 1)), entropy) * 0 + column.masses[which]")],
"audit/test_counted_groups_claims::test_what_is_counted_of_an_empty_group_is_nothing": [
 ("np.tile(column.masses[which], (entropy.trials, 1))",
 "np.tile(np.maximum(column.masses[which], 1), (entropy.trials, 1))")],
"audit/test_counting_claims -k several_rows": [
 ("first / column.records_each, RECORD", "first, RECORD")],
"finding/test_counting": [
 ("replace(self.rest, about_n=at_least)", "replace(self.rest, about_n=max(column.n, 1))")],
"audit/test_finding_claims -k several_rows": [(" / raw.records_each", "")],
"tables/test_tables -k found_by_shares": [("plan.adjacency, raw.unit)", "plan.adjacency)")],
"finding/test_intervals_between_found_bounds::test_a_release_with_intervals_holds_its_budget_whatever_is_found": [
 ("replace(rest, intervals=plan.intervals,", "replace(plan, intervals=plan.intervals,")],
"finding/test_intervals_between_found_bounds::test_no_record_decides_which_levels_are_drawn": [
 ("intervals=plan.intervals, about_n=plan.about_n)", "intervals=plan.intervals, about_n=raw.in_one_piece().n)")]},
"dpq_core/above_threshold.py": {
"ledger/test_refused_before_a_charge -k least_rate": [
 ("        if rate < LEAST_RATE * unit:\n", "        if rate < LEAST_RATE:\n")],
"audit/test_finding_claims -k walks_alone": [("epsilon * Fraction(3, 4) if both else epsilon", "epsilon"),
 ("Size(3 * self.unit / self.rate)", "Size(2 * self.unit / self.rate)")],
"audit/test_finding_claims -k law_of_a_walk": [
 ("noise - beyond[:-1] >= threshold", "noise - beyond[:-1] >= 0 * threshold")],
"audit/test_finding_claims -k law_of_both_walks": [("below[zero + 1 :]", "below[zero - 1 :]")],
"audit/test_finding_claims -k over_shares": [
 ("2) * self.unit / self.rate), Size(3 * self.unit /", "2) / self.rate), Size(3 /")],
"audit/test_finding_claims::test_too_little_for_a_walk_is_refused_before_its_noise_is_too_wide_to_draw": [
 ("if rate < LEAST_RATE * unit:", "if rate <= 0:")]},
"dpq_core/intervals/counted.py": {
"audit/test_counting_claims::test_what_all_columns_have_is_counted_by_persons_and_no_column_has_less": [
 ("np.minimum(least, own)", "np.maximum(least, own)")],
"audit/test_counting_claims::test_all_numbers_together_cost_one_number_whatever_values_a_record_has": [
 ("np.isfinite(column)", "~np.isnan(column)"), ("self.rate / self.besides, asked", "2 * self.rate, asked")],
"audit/test_counting_claims::test_a_person_without_a_value_in_a_column_that_is_not_counted_moves_both_others": [
 ("len(names) - 1 if len(names) == columns else len(names)", "len(names) - 1")],
"audit/test_counting_claims::test_a_number_is_seldom_too_large": [("/ numbers, unit)", ", unit)")],
"audit/test_counting_claims::test_the_margin_of_further_records_is_taken_off_them": [
 ("max(own - margin, 0)", "max(own, 0)")],
"ledger/test_refused_before_a_charge -k may_name": [
 ("surely = min(max((noisy - self.margin) // self.unit, 1), MOST_RECORDS)",
 "surely = max((noisy - self.margin) // self.unit, 1)")],
"audit/test_counting_claims -k number_alone": [("Size(self.unit / self.rate)", "Size(self.unit / (2 * self.rate))")],
"finding/test_counting -k hold_as_often": [
 ("1 - (1 - intervals.chance) * float(1 - OF_FAILURES)", "intervals.chance")]},
"dpq_core/intervals/drawn.py": {
"test_contract::test_levels_in_any_order_keep_their_answers -k aq": [
 ("for level in plan.quantiles]", "for level in sorted(plan.quantiles)]")]},
"dpq_core/intervals/ends.py": {
"intervals/test_distances::test_guesses_that_are_too_short_grow_until_all_intervals_hold": [
 ("if (shares <= limit).all():", "if shares.size:")],
"intervals/test_ends": [("highs = domain.ends(domain.encode(intervals[..., 1]))", "highs = intervals[..., 1]")]},
"dpq_core/intervals/errors.py": {
"intervals/test_errors::test_percentiles_at_the_distance_that_gaps_alone_need_fail_on_rounded_values": [
 ("np.maximum(shares, _failed", "np.minimum(shares, _failed")]},
"dpq_core/intervals/interpolation.py": {
"intervals/test_interpolation::test_the_interval_of_a_level_between_begins_and_ends_with_those_of_its_neighbours": [
 ("np.stack([drawn[..., low, 0],", "np.stack([drawn[..., high, 0],")]},
"dpq_core/one_column.py": {
"audit/test_groups_claims::test_the_budget_is_used_and_what_is_too_little_noise_is_caught -k several_in_each": [
 ("max_rows_per_person=self.max_rows_per_person, shares", "max_rows_per_person=None, shares")]},
"dpq_core/column.py": {
"audit/test_tables_claims::test_finding_bounds_by_all_groups_uses_its_part_of_the_budget_up": [
 ("(self.max_rows_per_person or 1) * (groups or 1)", "(self.max_rows_per_person or 1)")],
"audit/test_finding_claims::test_a_walk_over_shares_in_groups_reads_each_row_with_its_own_weight": [
 ("self.weights[rows])", "self.weights)")],
"sketches/test_bin_counts::test_a_sample_has_the_same_counts": [
 ("self.records.searchsorted(self.places.before(cells))", "self.records.searchsorted(self.places.before(cells) + 1)")],
"audit/test_groups_claims::test_names_by_persons_in_one_group_break_the_budget_of_those_in_any": [
 ("adjacency, self.most_groups,", "adjacency, 1,")],
"ledger/test_every_field -k another_request": [("        empty = replace(empty, whose=people.whose)\n", "")],
"test_group_privacy::test_every_mechanism_has_a_part_and_states_the_whole": [
 ('"max_rows_per_person": max_rows_per_person,\n', '"max_rows_per_person": None,\n')],
"people/test_takes::test_where_one_is_replaced_everybody_has_a_record_and_every_row_somebody": [
 ("dropped=lost + kept.dropped)\n    records", "dropped=lost)\n    records")],
"audit/test_units_claims::test_a_person_in_two_groups": [
 ('"max_groups_per_person": most,', '"max_groups_per_person": 1,')],
"audit/test_units_claims::test_pooled_groups": [('"record" if people is None else "person"',
 '"record" if people is None else "record"')],
"test_column": [("tie_breaking(column.size, bits, empty.seed)", "tie_breaking(column.size, bits, empty.seed or 1)")]},
"dpq_core/encoding.py": {
"test_column::test_a_sample_holds_the_cells_of_all_finite_records": [
 ("return cells if finite is None or finite.all() else cells[finite]", "return cells"),
 ("return found, rows - n", "return found, 0")],
"test_column::test_missing_values_take_the_public_stand_in": [
 ('stand_in = domain.lower if missing is None else exact_number(missing, "missing")', "stand_in = domain.lower")],
"test_column::test_a_column_in_batches_makes_the_sample_of_the_whole": [("first_row=rows)", "first_row=n)")],
"test_column::test_tie_breaking_bits_leave_room_in_an_int64": [("SLOT_BITS = 62", "SLOT_BITS = 63")],
"groups/test_records::test_records_of_each_group_are_its_own_in_order": [
 ("cells &= (1 << bits) - 1", "cells &= (1 << bits + 1) - 1")],
"test_column": [
 ("tie_breaking(column.size, bits, seed, first_row=rows)",
 "tie_breaking(column.size, bits, seed or 1, first_row=rows)"),
 ("tie_breaking(column.size, bits, seed))\n    if lost", "tie_breaking(column.size, bits, seed or 1))\n    if lost")]},
"dpq_core/sketches/bin_counts.py": {
"sketches/test_bin_counts::test_parts_count_what_the_whole_does": [("        self.dropped += other.dropped\n", "")],
"sketches/test_bin_counts::test_other_bins_or_another_domain_cannot_be_merged": [
 ("(other.domain, other.bins) != (self.domain, self.bins)", "other.bins != self.bins")],
"sketches/test_bin_counts::test_every_edge_is_exact": [
 ("index * width + index * rest // bins", "index * width + (index * (rest / bins)).astype(np.int64)")],
"sketches/test_bin_counts::test_a_sample_has_the_same_counts": [
 ("range(0, max(column.size, 1), _CHUNK)", "range(0, max(column.size, 1), _CHUNK + 1)")]},
"dpq_core/sketches/greenwald_khanna.py": {
"sketches/test_greenwald_khanna::test_a_merge_is_refused_on_promises_alone": [
 ("if other.n_max > self.room:", "if other.n_max > self.n_max:"),
 ("self._own_max, self._promised = self.room, self.n_max", "self._own_max = self.room"),
 ("if other.alpha != self.alpha:", "if other.alpha < self.alpha:")],
"sketches/test_greenwald_khanna::test_the_bound_is_never_broken": [
 ("return min(merge_threshold(self.alpha, self._promised), merge_threshold(self.alpha, count))",
 "return merge_threshold(self.alpha, max(self._promised, count))"),
 ("max(threshold - self._bounds.width, 0) // FINER", "threshold // FINER")],
"sketches/test_greenwald_khanna::test_a_merge_adds_what_was_dropped": [
 ("        self.dropped += other.dropped\n", "")],
"test_group_privacy::test_a_sketch_takes_no_persons_with_several_rows": [
 ("if column.max_rows_per_person is not None or column.unit > 1:", "if column.n < 0:")],
"test_group_privacy::test_a_sketch_of_persons_says_so_and_stays_one": [
 ("sketch.dropped, sketch.protects = column.dropped, column.protects", "sketch.dropped = column.dropped"),
 ('            sketch.protects = header.get("protects", "record")\n', ""),
 ("        self.protects = other.protects\n", ""),
 ('if self.protects == "person":', 'if self.protects == "nobody":')],
"sketches/test_greenwald_khanna::test_headers_that_contradict_the_arrays_are_refused": [
 ("        if not sound:", "        if sound is None:")]},
"dpq_core/sketches/rank_bounds.py": {
"sketches/test_greenwald_khanna::test_foreign_cut_off_and_altered_bytes_are_refused": [
 ("if sha256(body).digest() != check:", "if len(check) != _CHECK_BYTES:")],
"sketches/test_batches::test_every_so_manieth_record_has_its_point": [
 ("np.arange(0, self.n, step)", "np.arange(0, self.n, step + 1)")],
"sketches/test_greenwald_khanna::test_the_bound_is_never_broken": [
 ("self.most_below - (threshold - 1), side", "self.most_below - threshold, side"),
 ("[upto - own], through", "[upto], through")],
"sketches/test_greenwald_khanna::test_ties_and_small_alpha_are_exact": [
 ("return 1 + int(np.max(", "return int(np.max(")],
"sketches/test_greenwald_khanna::test_a_sample_becomes_a_sketch_with_the_same_bound": [
 ("np.arange(0, n, threshold)", "np.arange(0, n, threshold + 1)")]},
}
# fmt: on
