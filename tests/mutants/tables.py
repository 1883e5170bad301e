"""Changes to whose rows are whose, who is kept and named, and what groups and several columns cost together."""

from tests.mutants.mutant import Table

# fmt: off
TABLES: Table = {
"dpq_core/cluster/columns.py": {
"cluster/test_columns::test_bits_without_a_seed_are_others_each_time": [
 ("tie_breaking_keys(len(parts), seed)", "tie_breaking_keys(len(parts), seed or 1)")]},
"dpq_core/schedule.py": {
"audit/test_tables_claims::test_names_that_are_found_once_and_all_answers_hold_the_budget": [
 ("plan.with_budget(rest),", "plan,")],
"audit/test_tables_claims::test_every_column_names_the_same_groups": [
 ("named = None if groups is None or schedule.naming is None else find_names(groups, schedule.naming, source)",
 "named = None")],
"columns/test_columns::test_persons_are_protected_in_all_columns_or_in_none": [
 ("for column in table.values()}) > 1:", "for column in table.values()}) > 2:")],
"columns/test_columns::test_a_column_alone_that_refuses_costs_what_it_has_drawn": [
 ("len(table) == 1 and schedule.naming is None", "False")],
"columns/test_columns::test_a_column_that_refuses_leaves_none_and_spends_all": [
 ("NONE_ANSWERED, schedule.guarantee.epsilon)", "NONE_ANSWERED, error.charged)")],
"audit/test_counting_claims::test_the_number_is_stated_once_and_paid_once_whatever_the_weights": [
 ("weight * (1 - SHARE)", "weight")],
"audit/test_counting_claims::test_a_person_with_several_rows_costs_all_numbers_their_part_of_the_budget": [
 ("first / unit.steps_per_group, len(table))", "first / table[counted[0]].records_each, len(table))"),
 ("first / unit.steps_per_group,", "first,")],
"ledger/test_groups::test_bounds_and_names_of_groups_that_are_found_are_charged_with_their_answers": [
 ("guarantee=guarantee, naming=naming)", "guarantee=answers, naming=naming)")]},
"dpq_core/groups/bounding.py": {
"test_column": [("kept.size), per_person, domain, seed)", "kept.size), per_person, domain, seed or 1)")],
"groups/test_groups::test_a_person_has_at_most_so_many_rows_in_all_groups_together": [
 ("people.count, max_rows_per_person, seed, ordered)", "people.count, max_rows_per_person + 1, seed, ordered)")],
"groups/test_groups::test_a_person_has_at_most_so_many_rows_in_each_of_so_many_groups": [
 ("kept.size, max_rows_per_person,", "kept.size, max_rows_per_person + 1,")],
"groups/test_groups::test_a_person_has_one_number_in_at_most_so_many_groups": [
 ("some_rows(own, starts.size - 1, most,", "some_rows(own, starts.size - 1, 1000,")],
"people/test_takes::test_a_missing_row_takes_no_place_of_a_row_with_a_value": [
 ("    if not count_missing:\n        used &= np.isfinite(values)\n", "")]},
"dpq_core/groups/cells.py": {
"sources/test_same_cells::test_the_cells_of_a_parquet_file_are_as_many_persons_and_groups": [
 ('instants), "", pc.strftime(instants, format=" %z"))', 'instants), "", "")')]},
"dpq_core/groups/finding.py": {
"audit/test_groups_claims::test_the_budget_is_used_and_what_is_too_little_noise_is_caught -k name": [
 ("step = int(self.delta * one)", "step = 2 * int(self.delta * one)")],
"audit/test_groups_claims::test_the_shipped_draws_have_this_distribution[0.5]": [
 ("places = np.minimum(counts,", "places = np.minimum(counts + 1,")]},
"dpq_core/groups/names.py": {
"groups/test_names_in_frames::test_found_groups_are_called_as_people_type_them_or_refused_before_a_release": [
 ("(None in names or len(set(names)) < len(names))", "None in names")],
"people/test_identity::test_groups_are_compared_as_ids_are": [
 ("        codes, held = by_identity(column.astype(object))",
 "        import pandas as pd\n        codes, held = pd.factorize(column.astype(object))")]},
"dpq_core/people/coded.py": {
"sources/test_numbers::test_words_for_missing_become_nan_and_infinities_stay": [
 ("pc.is_in(pc.utf8_lower(texts),", "pc.is_in(texts,")],
"sources/test_same_cells::test_the_cells_of_a_frame_are_as_many_persons": [
 ('return times.cast(pa.time64("us"))', 'return times.cast(pa.time64("us"), safe=False)'),
 ("kind != pa.uint64():\n        return cells.cast(pa.int64())",
 "kind != pa.uint64():\n        return cells.cast(pa.float64(), safe=False).cast(pa.int64(), safe=False)")]},
"dpq_core/people/identity.py": {
"sources/test_same_cells::test_the_cells_of_a_frame_are_as_many_persons": [
 ('("bytes", bytes(cell)) if', '("bytes", bytes(cell).strip()) if')],
"people/test_identity": [("return int(cell)", "return float(cell)"),
 ('return ("instant" if zoned else "moment", since)', 'return ("moment", since)'),
 ("else count * _UNITS[unit]", "else count"), ("if unit not in _UNITS:\n        raise not_compared()  # numpy",
 "if unit not in _UNITS:\n        return count  # numpy"), ('return ("address", str(cell))\n    raise not_compared()',
 'return ("address", str(cell))\n    return (hash(cell), cell)'), ("plain_text(cell)", "str(cell) or None")]},
"dpq_core/people/ids.py": {
"people/test_identity": [
 ("not in _COMPARED_ALIKE:", "not in _COMPARED_ALIKE | {'mixed-integer-float', 'mixed', 'mixed-integer'}:")]},
"dpq_core/people/shares.py": {
"people/test_shares::test_rows_of_a_person_weigh_one_together_and_alike": [
 ("unit - through[last]", "unit - through[last] + 1")],
"groups/test_groups::test_rows_of_a_person_weigh_one_together_in_all_listed_groups": [
 ("np.where(codes >= 0, people.codes, np.int32(-1))", "people.codes")],
"people/test_shares": [
 ("np.repeat(unit / np.maximum(sizes, 1), sizes)", "np.repeat(unit / np.maximum(sizes - 1, 1), sizes)")]},
"dpq_core/people/takes.py": {
"people/test_takes::test_nobody_has_more_rows_than_most_rows_and_nobody_loses_one_without_need": [
 ("edges[starts[busy] + most] = 1", "edges[starts[busy] + most + 1] = 1")],
"people/test_takes::test_a_person_gives_the_same_bits_alone_and_among_others": [
 ("sums = np.bincount(codes, clipped, minlength=taken.size)",
 "sums = np.bincount(codes, clipped + clipped.sum(), minlength=taken.size) - clipped.sum() * np.bincount(\n       "
 " codes, minlength=taken.size\n    )")],
"test_column": [("words_for(busy, seed, turn)", "words_for(busy, seed or 1, turn)")]},
"dpq_core/cluster/blocks.py": {
"cluster/test_finding::test_the_walk_reads_the_integers_of_the_table_in_memory": [
 ("else groups.weights[order]", "else np.sort(groups.weights)")],
"cluster/test_table_claims::test_plans_are_calibrated_as_for_the_table_in_memory": [
 ('"records": Elsewhere(), "group_starts": Elsewhere(),',
 '"max_groups_per_person": 1, "records": Elsewhere(), "group_starts": Elsewhere(),')],
"cluster/test_table_claims::test_no_group_is_answered_where_one_block_has_no_answer": [
 ("ParameterError):\n                raise each", "ParameterError):\n                return []")],
"tables/test_partitions::test_groups_of_a_block_are_those_of_all_partitions_with_their_weights": [
 ("ordered, weights = cells[order], weights[order]", "ordered, weights = cells[order], np.sort(weights)")],
"cluster/test_tables::test_groups_have_the_records_of_the_table_in_memory": [
 ("codes = rows[CODE].to_numpy() - np.int32(first)",
 "codes = rows[CODE].to_numpy() - np.int32(first) if first == 0 else rows[CODE].to_numpy() * 0")],
"cluster/test_found::test_groups_have_the_records_and_persons_of_the_table_in_memory": [
 ("empty), persons=own.persons)", "empty), persons=None)")]},
"dpq_core/cluster/cells.py": {
"cluster/test_finding::test_answers_of_shares_between_found_bounds_are_the_same_function_of_records_and_noise": [
 ("owners = np.searchsorted(self.starts, positions,", "owners = np.searchsorted(self.starts, positions // 2,")],
"cluster/test_table_claims::test_the_client_receives_no_numbers_and_no_sizes": [
 ("((limits, dropped),) = results(client, [client.submit(_cuts_and_whether_dropped, probes, pure=False)])",
 "limits, dropped = _cuts_and_whether_dropped(results(client, probes))")],
"tables/test_partitions::test_a_persons_rows_weigh_one_together_and_rows_of_nobody_nothing": [
 ("weights[order], unit)", "np.sort(weights), unit)")]},
"dpq_core/cluster/found.py": {
"tables/test_partitions::test_a_group_has_its_name_and_the_persons_of_all_partitions": [
 ("np.add.at(persons, codes, rows[PERSONS].to_numpy())", "persons[codes] = rows[PERSONS].to_numpy()"),
 ("eq=False, repr=False)\nclass GroupsOfPart", "eq=False)\nclass GroupsOfPart")],
"tables/test_partitions::test_two_rows_have_one_digest_exactly_if_they_are_in_one_group_in_memory": [
 ("digest_of(name, key)", "digest_of(str(name), key)")]},
"dpq_core/cluster/ids.py": {
"tables/test_partitions::test_words_follow_from_the_secret_key_alone": [
 ("digest_size=32, key=bytes(key)", "digest_size=32")],
"tables/test_partitions::test_two_rows_have_equal_words_exactly_if_they_are_one_persons_in_memory": [
 ("words = table[codes]", "table[:, 1:-1] = 0\n    words = table[codes] >> 60"),
 ('b"t" + person.encode', 'b"n" + person.encode'), ("exact = Fraction(number)", "exact = Fraction(float(number))"),
 (" - (offset or datetime.timedelta())", "")],
"tables/test_partitions::test_whole_numbers_are_their_own_words_where_all_fit": [
 ('kind.kind in "iub" and np.can_cast(kind, np.int64)', 'kind.kind in "iub"')],
"tables/test_partitions::test_ids_that_differ_in_one_word_are_two_persons": [
 ("new = np.any(np.diff(words[order], axis=0, prepend=words[order[:1]] - 1) != 0, axis=1)",
 "new = (np.diff(words[order], axis=0, prepend=words[order[:1]] - 1) != 0)[:, 0]")],
"tables/test_partitions::test_persons_after_a_shuffle_are_those_of_the_whole_table": [
 ("np.lexsort(words.T)", "np.arange(len(words))")]},
"dpq_core/cluster/reading.py": {
"cluster/test_finding::test_bits_are_the_same_for_each_step_and_others_for_each_purpose": [
 ('name, "bounds of", find', 'name, "column", find')],
"cluster/test_table_claims::test_plans_are_calibrated_as_for_the_table_in_memory": [
 ("records=records, tie_bits=checked_bits(bits, domain)",
 'records=records, tie_bits=checked_bits(bits, domain), protects="record"')],
"cluster/test_finding::test_answers_of_shares_between_found_bounds_are_the_same_function_of_records_and_noise": [
 ('UNIT if public.per_person == "weight" else 1)', 'UNIT // 2 if public.per_person == "weight" else 1)')],
"cluster/test_table_claims::test_rows_are_not_left_out_where_their_number_is_public": [
 ("seed=self.seed, dropped=int(dropped)", "seed=self.seed, dropped=0")],
"cluster/test_finding::test_a_release_finds_bounds_with_the_guarantee_of_one_in_memory": [
 ("seed=self.seed, dropped=int(dropped)", "seed=None, dropped=int(dropped)")],
"cluster/test_found::test_each_group_has_the_coin_of_the_table_in_memory": [
 ("persons=self.candidates.persons, **settings)", "persons=Elsewhere(), **settings)")],
"cluster/test_table_claims::test_bits_without_a_seed_are_others_each_time": [
 ("tie_breaking_keys(len(parts) + 1, seed)", "tie_breaking_keys(len(parts) + 1, seed or 1)")],
"cluster/test_tables::test_rows_chosen_at_random_are_the_persons_own_and_as_many": [
 ("[wanted.id_columns[0], wanted.id_columns[-1]]", '["row"]')],
"cluster/test_table_claims::test_the_client_receives_no_numbers_and_no_sizes": [
 ('in_all = added(client, add, [client.submit(attrgetter("in_all"), part, pure=False) for part in parts])',
 'in_all = added(client, add, [part for part in parts if client.submit(attrgetter("in_all"), part).result()])')]},
"dpq_core/cluster/rows.py": {
"tables/test_partitions::test_persons_after_a_shuffle_are_those_of_the_whole_table": [
 ("at * MOST_ROWS_EACH + 1,", "1,"), ("    codes[alone] = -1\n", "    codes[alone] = 0\n")],
"tables/test_partitions::test_records_do_not_depend_on_the_order_in_which_rows_arrive": [
 ("np.arange(at * MOST_ROWS_EACH, at * MOST_ROWS_EACH + rows)", "np.zeros(rows, np.int64)")],
"tables/test_partitions::test_an_error_of_a_library_is_a_sentence_without_the_cell": [
 ("@partial(only_clear_errors, otherwise=DAMAGED)\n", "")],
"tables/test_partitions::test_digests_of_groups_follow_from_the_secret_key_alone": [
 ('rows_of_groups(column, key.of("names"))', "rows_of_groups(column, key)")]},
"dpq_core/cluster/shuffle.py": {
"tables/test_partitions::test_nothing_private_is_in_the_text_of_what_a_worker_holds": [
 ('return "Hidden()"', 'return f"Hidden({self.value})"')]},
"dpq_core/cluster/taking.py": {
"tables/test_partitions::test_records_do_not_depend_on_the_order_in_which_rows_arrive": [
 ("rows = rows.sort_values(ROW)", "rows = rows.sort_values(ROW, ignore_index=True) if len(rows) < 2 else rows")],
"tables/test_partitions::test_bits_are_a_function_of_a_secret_key_and_of_each_column": [
 ('key.of(f"{rule.purpose} {name}")', "key.of(rule.purpose)"),
 ('"seed": key.of(f"{rule.purpose} {name}")', '"seed": None')],
"tables/test_partitions::test_a_persons_rows_weigh_one_together_and_rows_of_nobody_nothing": [
 ("missing_is_person=rule.missing_is_person", "missing_is_person=True"), ("np.diff(cells.through).astype(np.int32)",
 "np.full(cells.size, cells.through[-1] // max(cells.size, 1), np.int32)")],
"tables/test_partitions::test_nothing_private_is_in_the_text_of_what_a_worker_holds": [
 ("eq=False, repr=False)\nclass Records", "eq=False)\nclass Records")],
"cluster/test_found::test_a_person_counts_for_as_many_names_as_asked": [
 ('most = most_groups(counted.get("max_groups_per_person", 1), counted.get("max_rows_per_person"))', "most = 1000")],
"cluster/test_found::test_groups_have_the_records_and_persons_of_the_table_in_memory": [
 ('share=counted.get("per_person") == "weight")', "share=False)")],
"tables/test_partitions::test_which_groups_of_a_person_count_for_names_follows_from_the_key": [
 ('_candidates(rows, people, key.of("names"), rule)', "_candidates(rows, people, Key(np.random.bytes(32)), rule)")]},
"dpq_core/question.py": {
"cluster/test_table_claims::test_a_person_is_in_as_many_groups_as_asked_and_keeps_as_many_rows": [
 ('{"max_groups_per_person": self.persons.max_groups}',
 '{"max_groups_per_person": n if isinstance(n := self.persons.max_groups, str) else n + 1}')]},
"dpq_core/asked_of.py": {
"ledger/test_every_field -k keeps_the_columns": [
 ("column=column, per_person", 'column="", per_person'),
 ("Grouping(by=whole.by, names=whole.names)", "Grouping(by=(), names=whole.names)")],
"ledger/test_every_field -k another_request": [
 ("per_person=whole.per_person, max_rows", 'per_person=whole.per_person and "random", max_rows')],
"ledger/test_requests -k neither_names_nor_sizes": [("names=FindGroups(str(whole.finding))", "names=whole.names")],
"ledger/test_groups -k one_table": [("if any(each != of_rows[0] for each in of_rows):", "if False:")]},
"dpq_core/table.py": {
"tables/test_tables::test_groups_are_found_once_for_all_columns": [
 ("by=grouping.by, persons=own.persons if persons is None else persons)", "by=grouping.by)")],
"test_question -k asked_of_arrays": [
 ("if question.persons is not None and not question.persons.column:", "if False:")],
"groups/test_names_in_frames::test_a_name_that_no_row_can_have_is_refused_before_a_release_and_a_simulation": [
 ("refuse_other_names(groups, read)", "pass")]},
}
# fmt: on
