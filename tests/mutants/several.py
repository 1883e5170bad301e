"""Changes to what several columns under one budget cost together."""

from tests.mutants.mutant import Mutant

COMPOSITION, RELEASE = "dpq_core/privacy/composition.py", "dpq_core/columns/release.py"
COLUMNS = "tests/columns/test_columns.py::"

SEVERAL = (
    Mutant(
        "every column has the whole budget",
        COMPOSITION,
        "if (part := _part(way, weight / total)) is not None",
        "if (part := _part(way, Fraction(1))) is not None",
        f"{COLUMNS}test_parts_add_up_to_no_more_and_nearly_to_all",
    ),
    Mutant(
        "the whole states the loss of one column",
        COMPOSITION,
        "round_up(sum(map(Fraction, losses), Fraction(0)))",
        "max(losses)",
        f"{COLUMNS}test_one_guarantee_for_the_whole",
    ),
    Mutant(
        "records and persons are mixed",
        RELEASE,
        "strict=True)}) > 1:",
        "strict=True)}) > 2:",
        f"{COLUMNS}test_persons_are_protected_in_all_columns_or_in_none",
    ),
    Mutant(
        "a refusal charges the column that refused alone",
        RELEASE,
        "NONE_ANSWERED, calibrated.guarantee.epsilon)",
        "NONE_ANSWERED, error.charged)",
        f"{COLUMNS}test_a_column_that_refuses_leaves_none_and_spends_all",
    ),
    Mutant(
        "what a column has besides the others is counted with the noise of one number",
        "dpq_core/columns/counting.py",
        "self.rate / self.besides, asked",
        "2 * self.rate, asked",
        "tests/audit/test_counted_tables_claims.py::test_all_numbers_together_cost_one_number_whatever_values_a_record_has",
    ),
    Mutant(
        "columns that are counted share one number less although another column is not counted",
        "dpq_core/columns/counting.py",
        "len(names) - 1 if len(names) == columns else len(names)",
        "len(names) - 1",
        "tests/audit/test_counted_tables_claims.py::"
        "test_a_person_without_a_value_in_a_column_that_is_not_counted_moves_both_others",
    ),
    Mutant(
        "a table is counted by the records of the fullest column",
        "dpq_core/tables/in_common.py",
        "np.minimum(least, own)",
        "np.maximum(least, own)",
        "tests/audit/test_counted_tables_claims.py::test_what_all_columns_have_is_counted_by_persons_and_no_column_has_less",
    ),
    Mutant(
        "a noisy count of a table is not paid",
        "dpq_core/columns/release.py",
        "weight * (1 - SHARE)",
        "weight",
        "tests/audit/test_counted_tables_claims.py::test_the_number_is_stated_once_and_paid_once_whatever_the_weights",
    ),
    Mutant(
        "one of two numbers of a column may be too large twice as often",
        "dpq_core/columns/counting.py",
        "1 - (1 - number.chance) / 2",
        "number.chance",
        "tests/audit/test_counted_tables_claims.py::test_a_number_is_seldom_too_large",
    ),
    Mutant(
        "all rows of a person count where at most some do, in the number of a table",
        "dpq_core/tables/in_common.py",
        "np.minimum(rows, most_rows or 1)",
        "rows",
        "tests/audit/test_counted_tables_claims.py::test_what_all_columns_have_is_counted_by_persons_and_no_column_has_less",
    ),
)
