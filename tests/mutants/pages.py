"""Changes to the pages' decision between Explore and Release."""

from tests.mutants.mutant import Mutant

TABLES = "tests/ui/test_report_tables.py"
UI = "dpq_core/ui/"
MODE = "tests/ui/test_state.py"
GIVEN = "tests/results/test_private_data.py"

PAGES = (
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
        "public_count=values_to_explore(read.column)[0].size",
        f"{GIVEN}::test_nothing_of_a_private_column_is_in_what_a_page_is_given",
    ),
    Mutant(
        "pages: a release says how many records there are where that is private",
        "dpq_core/results/outcomes.py",
        "left(released, account, release_id, public_count(coarse, plan))",
        "left(released, account, release_id, coarse.n)",
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
        "pages: a press leaves the private number of records with the form",
        "dpq_core/calibrations.py",
        "return _calibrated(self.plan, count, self.unit) if known is None else known",
        "return self.found.setdefault(count, known or _calibrated(self.plan, count, self.unit))",
        "tests/results/test_calibrations.py::test_a_number_of_records_is_not_stored_with_a_form",
    ),
    Mutant(
        "pages: what was calibrated for another plan is charged",
        "dpq_core/ledger/charging.py",
        'assert calibrations.plan == answered, "calibrated for another plan"',
        "pass",
        "tests/results/test_calibrations.py::test_what_was_calibrated_for_another_plan_is_not_charged",
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
        "pages: the report takes each group's answers for drawn with the whole budget of a person in several",
        f"{UI}report/tables.py",
        "2 if replaced else 1, known.groups_per_person)",
        "2 if replaced else 1, 1)",
        f"{TABLES}::test_ranges_grow_with_the_parts_of_the_budget_and_with_the_number_of_groups",
    ),
    Mutant(
        "pages: the report forgets that the names of found groups have cost a part of the budget",
        f"{UI}report/tables.py",
        "if known.finding is not None:",
        "if known.finding == 0:",
        f"{TABLES}::test_without_what_the_groups_are_no_range_and_no_order_is_told",
    ),
    Mutant(
        "pages: the report ranks groups whose ranges overlap",
        f"{UI}report/ranking.py",
        "if group.interval[1] >= bar",
        "if group.answer >= bar",
        f"{TABLES}::test_the_largest_sets_of_overlapping_ranges_are_all_found",
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
)
