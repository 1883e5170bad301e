"""Changes to the pages' decision between Explore and Release, to results, reports and commands."""

from tests.mutants.mutant import Table

# fmt: off
PAGES: Table = {
"dpq_core/commands/data.py": [
    ("people: the name of a column that could be a value is released from the command line",
     "    if could_be_values([name])[0]:\n", "    if public == '':\n",
     "commands/test_words::test_a_name_that_could_be_a_value_is_not_released")],
"dpq_core/commands/rows.py": [
    ("people: the rows of a table that is said in words are somebody else's each",
     "    return Persons.of(chosen.take,", "    return None and Persons.of(chosen.take,",
     "commands/test_words::test_dates_persons_and_digits")],
"dpq_core/commands/words.py": [
    ("people: a table is read although no missing value may be left out",
     "is_public = not by and (", "is_public = by and (",
     "commands/test_words::test_whether_a_value_is_missing_is_not_told_by_a_refusal")],
"dpq_core/results/answers.py": [
    ("pages: the report forgets that the names of found groups have cost a part of the budget",
     "words.finding is not None", "words.finding == 0",
     "ui/test_reports::test_groups_are_in_no_order_and_unjudged_without_what_they_had_of_the_budget")],
"dpq_core/report/sentences.py": [
    ("pages: the report compares groups whose intervals do not hold together", "intervals.together and",
     "intervals and", "ui/test_reports::test_groups_clearly_differ_where_intervals_that_hold_together_do_not_overlap")],
"dpq_core/results/data_set.py": [
    ("pages: what all pages are given may hold values", "missing: Fraction | None = None\n",
     "missing: Fraction | None = None\n    values: Floats = field(default_factory=lambda: np.empty(0))\n",
     "results/test_private_data::test_mypy_refuses_a_page_of_release_that_asks_for_the_truth")],
"dpq_core/results/exports.py": [
    ("pages: a file of a simulation says that it is a release",
     '{adjacency_in_words(outcome)}." if isinstance(outcome, Released) else',
     '{adjacency_in_words(outcome)}." if outcome.plan else', "results/test_outcomes")],
"dpq_core/results/sealed.py": [
    ("pages: a sealed column tells how many records it has", "_CONTENTS[self] = values, digest",
     "_CONTENTS[self] = values, digest\n\n    def __len__(self) -> int:\n        return len(_CONTENTS[self][0])",
     "results/test_private_data::test_mypy_refuses_a_page_of_release_that_asks_for_the_truth"),
    ("pages: a sealed column prints what is in it", "_CONTENTS[self] = values, digest",
     "_CONTENTS[self] = values, digest\n\n    def __repr__(self) -> str:\n        return str(_CONTENTS[self])",
     "results/test_private_data::test_nothing_of_a_private_column_is_in_what_a_page_is_given")],
"dpq_core/results/chosen.py": [
    ("people: a page releases rows of a table although it says people",
     "question = replace(question, persons=replace(question.persons, column=ids))",
     "question = replace(question, persons=None)",
     "pages/test_columns::test_who_is_one_person_is_asked_once_for_all_columns_and_the_budget_is_theirs")],
"pages/payment/counts.py": [
    ("the number of records, made public for one account, shown beside another",
     "(found.identity, found.account) != payer", "found.identity != data.identity", "ui/test_state")],
"pages/payment/mismatches.py": [
    ("people: a budget of people pays for rows by themselves", "    if account.protects not in {None, protects}:\n",
     "    if account.protects is None:\n", "pages/test_payment::test_a_budget_of_people_pays_for_no_rows")],
"pages/files/key_columns.py": [
    ("pages: where the column of ids is gone, every row is a different person without a word",
     "held if held in [EVERY_ROW, *others] else None", "held if held in [EVERY_ROW, *others] else EVERY_ROW",
     "pages/test_keeping::test_another_sheet_says_who_was_one_person_and_asks_again"),
    ("pages: after rows of a person counted together, every row of the next upload is a different person",
     "if answers.before in others else likely or None", "if answers.before in others else likely",
     "pages/test_keeping::test_another_upload_takes_rows_of_a_person_together_or_asks"),
    ("pages: groups that are gone are left out without a word", "if kept == answers.by:", "if kept is not None:",
     "pages/test_keeping::test_several_columns_of_another_sheet_go_on_without_groups_only_after_a_press"),
    ("pages: groups that were read once more are left out by an answer of before",
     "without=() if by else answers.without)", "without=answers.without)",
     "pages/test_keeping -k ends_where_they_are_read_again")],
"pages/form/data.py": [
    ("pages: an own column is explored whatever the box says", "if may_explore(declared_public=declared_public):",
     "if may_explore(declared_public=True):",
     "results/test_private_data::test_nothing_of_a_private_column_is_in_what_a_page_is_given"),
    ("pages: the private number of records is told before any release", "public_count=counts.released_count(facts)",
     "public_count=values_to_explore(read.column)[0].size",
     "results/test_private_data::test_nothing_of_a_private_column_is_in_what_a_page_is_given"),
    ("pages: own data is released without groups that were asked for before the visitor agreed",
     "and not may_explore(declared_public=declared_public):", "and may_explore(declared_public=declared_public):",
     "pages/test_keeping -k another_page_could_not_read")],
"pages/files/reading.py": [
    ("pages: what is typed of a column while it is read is forgotten",
     "    keep_said(told[chosen[0]], [told[name] for name in by or ()])\n", "",
     "pages/test_keeping::test_what_is_typed_of_a_column_before_it_is_read_stays_and_is_of_no_other")],
"pages/form/groups.py": [
    ("pages: a person in two groups pays for one", "replace(persons, max_groups=each)",
     "replace(persons, max_groups=1)",
     "pages/test_groups::test_a_release_answers_the_list_alone_and_no_link_names_it"),
    ("pages: the names of an own column's groups are read off the data",
     '*(["data"] if isinstance(data, PublicData) else [])', '*["data"]',
     "pages/test_groups::test_a_release_answers_the_list_alone_and_no_link_names_it")],
"pages/shell/pieces.py": [
    ("pages: the truth is on the screen under the badge of a release", "if mode is Mode.EXPLORE else",
     "if mode is Mode.RELEASE else",
     "pages/test_shapes::test_what_was_explored_goes_when_the_declaration_is_taken_back[column]")],
"pages/shell/state.py": [
    ("pages: an own column is explored that nobody declared public", "return declared_public and", "return",
     "ui/test_state"),
    ("pages: an own column is explored on a server for releases only",
     "return declared_public and uploads_may_be_explored(environment)", "return declared_public", "ui/test_state"),
    ("pages: a simulation is shown beside private data", "PublicData) else", "DataSet) else", "ui/test_state"),
    ("pages: a simulation is kept as a release", "Mode.RELEASE if isinstance(outcome, Released) else Mode.EXPLORE",
     "Mode.RELEASE if outcome.guarantee else Mode.EXPLORE", "ui/test_state"),
    ("pages: what was explored stays when it is not public any more",
     "        del st.session_state[_place(Mode.EXPLORE)]\n", "",
     "pages/test_shapes::test_what_was_explored_goes_when_the_declaration_is_taken_back[groups]")],
"pages/quantiles/attempts.py": [
    ("pages: a press that was interrupted is said to have charged nothing",
     "            if not again:\n", "            if again:\n",
     "pages/test_ledger_out_of_reach::test_a_press_that_was_interrupted_may_have_been_charged")],
"pages/quantiles/drawing.py": [
    ("pages: a refused press names a private number of records", "is Adjacency.SUBSTITUTE and",
     "is Adjacency.ADD_REMOVE and", "pages/test_payment::test_what_depends_on_the_number_is_settled_by_the_press")],
"pages/quantiles/view.py": [
    ("pages: what was computed of the truth stays after a declaration is taken back", "and mode is Mode.RELEASE:",
     "and mode is Mode.EXPLORE:",
     "pages/test_shapes::test_what_was_explored_goes_when_the_declaration_is_taken_back[column]")],
"pages/settings/said.py": [
    ("pages: a link names the groups of an own column",
     '"group_names", "group_other", "groups_each", "rows_in", "n_max",\n)',
     '"group_other", "groups_each", "rows_in", "n_max",\n)',
     "pages/test_groups::test_a_release_answers_the_list_alone_and_no_link_names_it"),
    ("pages: bounds of one column hold for another one", "or _usual(names, identity)).items():", "or {}).items():",
     "pages/test_keeping::test_another_column_keeps_what_is_of_the_upload_and_says_which_bounds_do_not_hold")],
"pages/steps/confirm.py": [
    ("pages: a yes to several columns is a yes to others of their settings", "inputs.settings, asked, payer",
     "payer", "pages/test_shapes::test_a_yes_holds_for_just_what_was_asked_and_once[columns]"),
    ("pages: a yes to one release is a yes to another", "return stored[1] == wanted", "return True",
     "pages/test_shapes::test_a_yes_holds_for_just_what_was_asked_and_once[column]"),
    ("pages: a yes is taken twice", "    if stored[0] <= st.session_state.get(_TAKEN, 0):\n        return False\n", "",
     "pages/test_shapes::test_a_yes_holds_for_just_what_was_asked_and_once[column]"),
    ("pages: a press is not asked about", "    if pressed:\n        question =",
     "    if pressed:\n        return True\n        question =",
     "pages/test_steps::test_a_press_asks_once_and_spends_only_after_a_yes")],
"pages/stream/sources.py": [
    ("pages: a file of the server is explored without its operator's word",
     "may_explore(declared_public=declared,", "may_explore(declared_public=True,",
     "pages/test_pages::test_a_file_on_the_server_is_declared_by_nobody_at_a_screen")],
"pages/compare/study.py": [
    ("pages: a study of a column goes on where it is not declared public any more", "(mode is not Mode.RELEASE and",
     "(", "pages/test_studies::test_a_public_upload_is_studied_until_it_is_not_public_any_more"),
    ("pages: options of another page count on Compare and are not shown", "    if found:\n        said",
     "    if not found:\n        said", "pages/test_settings::test_options_of_another_page_can_be_let_go")],
}
# fmt: on
