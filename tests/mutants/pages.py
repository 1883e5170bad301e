"""Changes to the pages' decision between Explore and Release, to results, reports and commands."""

from tests.mutants.mutant import Table

# fmt: off
PAGES: Table = {
"dpq_core/mode.py": {
"ui/test_startup -k which_and_does_not_start": [
 ("if said and not fits(said):", "if False:"),
 ("elif meant := get_close_matches(name, SETTINGS, 1, 0.7):", "elif meant := ():")]},
"dpq_core/commands/data.py": {
"commands/test_words::test_a_name_that_could_be_a_value_is_not_released": [
 ("    if could_be_values([name])[0]:\n", "    if public == '':\n")]},
"dpq_core/commands/words.py": {
"commands/test_words::test_dates_persons_and_digits": [
 ("column=chosen.person,", 'column="",')],
"commands/test_words::test_whether_a_value_is_missing_is_not_told_by_a_refusal": [
 ("if found.number_is_public and", "if found.groups and")]},
"dpq_core/results/answers.py": {
"ui/test_reports::test_groups_are_in_no_order_and_unjudged_without_what_they_had_of_the_budget": [
 ("words.finding is not None", "words.finding == 0")]},
"dpq_core/report/sentences.py": {
"ui/test_reports::test_groups_clearly_differ_where_intervals_that_hold_together_do_not_overlap": [
 ("intervals.together and", "intervals and")]},
"dpq_core/results/data_set.py": {
"results/test_private_data::test_mypy_refuses_a_page_of_release_that_asks_for_the_truth": [
 ("missing: Fraction | None = None\n",
 "missing: Fraction | None = None\n    values: Floats = field(default_factory=lambda: np.empty(0))\n")]},
"dpq_core/results/exports.py": {
"results/test_approved": [('{adjacency_in_words(outcome)}." if isinstance(outcome, Released) else',
 '{adjacency_in_words(outcome)}." if outcome.plan else')]},
"dpq_core/results/sealed.py": {
"results/test_private_data::test_mypy_refuses_a_page_of_release_that_asks_for_the_truth": [
 ("_CONTENTS[self] = values, digest",
 "_CONTENTS[self] = values, digest\n\n    def __len__(self) -> int:\n        return len(_CONTENTS[self][0])")],
"results/test_private_data::test_nothing_of_a_private_column_is_in_what_a_page_is_given": [
 ("_CONTENTS[self] = values, digest",
 "_CONTENTS[self] = values, digest\n\n    def __repr__(self) -> str:\n        return str(_CONTENTS[self])")]},
"dpq_core/results/chosen.py": {
"pages/test_columns::test_who_is_one_person_is_asked_once_for_all_columns_and_the_budget_is_theirs": [
 ("question = replace(question, persons=replace(question.persons, column=ids))",
 "question = replace(question, persons=None)")]},
"pages/payment/counts.py": {
"results/test_calibrations::test_a_number_of_records_is_not_stored_with_a_form": [
 ("return (FEWEST, MOST) if", "return (731, MOST) if")],
"ui/test_state": [("(found.identity, found.release.account) != payer", "found.identity != data.identity")]},
"pages/payment/account.py": {
"pages/test_payment::test_a_budget_of_people_pays_for_no_rows": [
 ("    if account.protects not in {None, protects}:\n", "    if account.protects is None:\n")]},
"pages/files/key_columns.py": {
"pages/test_keeping::test_another_sheet_says_who_was_one_person_and_asks_again": [
 ("held if held in [EVERY_ROW, *others] else None", "held if held in [EVERY_ROW, *others] else EVERY_ROW")],
"pages/test_keeping::test_another_upload_takes_rows_of_a_person_together_or_asks": [
 ("if answers.before in others else likely or None", "if answers.before in others else likely")],
"pages/test_keeping::test_several_columns_of_another_sheet_go_on_without_groups_only_after_a_press": [
 ("if kept == answers.by:", "if kept is not None:")]},
"pages/form/data.py": {
"results/test_private_data::test_nothing_of_a_private_column_is_in_what_a_page_is_given": [
 ("if may_explore(declared_public=declared_public):", "if may_explore(declared_public=True):"),
 ("public_count=counts.released_count(facts)", "public_count=values_to_explore(read.column)[0].size")],
"pages/test_shapes::test_nothing_is_declared_public_on_release": [
 ("return box_is_ticked() and not links.seals()", "return box_is_ticked()")],
"pages/test_shapes::test_what_was_explored_goes_with_the_declaration[groups]": [
 ("    if not box_is_ticked():\n        forget()\n", "    box_is_ticked()\n")]},
"pages/shell/links.py": {
"pages/test_shapes::test_nothing_is_declared_public_on_release": [("return SLOTS[seals()]", "return SLOTS[0]")]},
"pages/files/reading.py": {
"pages/test_keeping::test_what_is_typed_of_a_column_before_it_is_read_stays_and_is_of_no_other": [
 ("    keep_said(told[chosen[0]], [told[name] for name in by or ()])\n", "")]},
"pages/form/people.py": {
"pages/test_groups::test_a_release_answers_the_list_alone_and_no_link_names_it": [
 ('*(["data"] if isinstance(data, PublicData) else [])', '*["data"]')]},
"pages/explore/live.py": {
"pages/test_shapes::test_what_was_explored_goes_with_the_declaration[column]": [
 ("st.markdown(pieces.NOT_PRIVATE,", "st.markdown(pieces.PRIVATE_ONLY,")]},
"pages/shell/state.py": {
"ui/test_state": [("return declared_public and", "return"),
 ("return declared_public and not releases_only(environment)", "return declared_public"),
 ("isinstance(data, PublicData):", "data is not None:"),
 ("_RELEASED if isinstance(outcome, Released) else _SIMULATED", "_RELEASED if outcome.guarantee else _SIMULATED")]},
"pages/release/drawing.py": {
"pages/test_ledger_out_of_reach::test_an_interrupted_press_may_be_charged": [
 ("            if not again:\n", "            if again:\n")],
"pages/test_payment::test_what_depends_on_the_number_is_settled_by_the_press": [
 ("is Adjacency.REPLACE_ONE and", "is Adjacency.ADD_REMOVE and")]},
"pages/form/said.py": {
"pages/test_groups::test_a_release_answers_the_list_alone_and_no_link_names_it": [
 ("OF_GROUPS = (*table.GROUPS[2:], ", "OF_GROUPS = (*table.GROUPS[3:], ")],
"pages/test_keeping::test_another_column_keeps_what_is_of_the_upload_and_says_which_bounds_do_not_hold": [
 ("or _usual(names, identity)).items():", "or {}).items():")]},
"pages/release/questions.py": {
"pages/test_shapes::test_a_yes_holds_for_what_was_asked_and_once[columns]": [
 ("table.one, form.chosen, payer", "table.one, payer")],
"pages/test_shapes::test_a_yes_holds_for_what_was_asked_and_once[column]": [
 ("return stored[1] == wanted", "return True"),
 ("    if stored[0] <= st.session_state.get(_TAKEN, 0):\n        return False\n", "")],
"pages/test_release::test_a_press_asks_once_and_spends_only_after_a_yes": [
 ("    if pressed:\n        _ask(", "    if pressed:\n        return True\n        _ask(")]},
"pages/stream/sources.py": {
"pages/test_pages::test_a_file_on_the_server_is_declared_by_nobody_on_screen": [
 ("may_explore(declared_public=declared,", "may_explore(declared_public=True,")]},
"pages/compare/study.py": {
"pages/test_studies::test_a_public_upload_is_studied_until_it_is_not_public_any_more": [
 ("(data is not None and", "(data is None or")],
"pages/test_settings::test_options_of_another_page_can_be_let_go": [
 ("    if found:\n        chosen", "    if not found:\n        chosen")]},
}
# fmt: on
