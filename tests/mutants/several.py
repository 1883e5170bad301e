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
        "charged=whole.epsilon",
        "charged=error.charged",
        f"{COLUMNS}test_a_column_that_refuses_leaves_none_and_spends_all",
    ),
)
