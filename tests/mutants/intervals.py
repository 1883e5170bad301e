"""Changes to how often an interval holds."""

from tests.mutants.mutant import Mutant

NEIGHBOURS = "dpq_core/intervals/neighbours.py"
ASKED = "tests/intervals/test_neighbours.py"
OF_SHARES = "tests/intervals/test_intervals_of_shares.py::"
FOUND = "tests/finding/test_intervals_between_found_bounds.py::"

INTERVALS = (
    Mutant(
        "intervals: a line of lower ends goes through an answer that may lie beyond all records",
        NEIGHBOURS,
        "if level + by < 1",
        "if level + by < 2",
        ASKED,
    ),
    Mutant(
        "intervals: a line of upper ends goes through an answer that may lie below all records",
        NEIGHBOURS,
        "if level - by > 0",
        "if level - by > -1",
        ASKED,
    ),
    Mutant(
        "intervals: an upper end is rounded inwards",
        "dpq_core/intervals/ends.py",
        "highs = domain.ends(domain.encode(intervals[..., 1]))",
        "highs = intervals[..., 1]",
        ASKED,
    ),
    Mutant(
        "intervals of shares: what rounding adds is counted for the answers alone, not for the levels at the ends",
        "dpq_core/groups/calibration.py",
        "return len(plan.quantiles) * (1 if plan.intervals is None else 3)",
        "return len(plan.quantiles)",
        "tests/audit/test_groups_claims.py::test_what_rounding_adds_is_counted_for_every_level_at_an_end",
    ),
    Mutant(
        "intervals of shares: empty range begins a whole person beside the quantile",
        "dpq_core/intervals/errors.py",
        "level.denominator + side, 0)",
        "level.denominator + side * unit, 0)",
        f"{OF_SHARES}test_shapes_of_shares_are_those_of_records_in_fractions_of_a_person",
    ),
    Mutant(
        "intervals of shares: limits of sums of counts are of persons where the sums are in units",
        "dpq_core/mechanisms/counts/intervals.py",
        "noise = noise if unit == 1 else noise.times(Fraction(unit))",
        "noise = noise.times(Fraction(1))",
        f"{OF_SHARES}test_leaves_of_counts_in_units_are_those_of_counts_in_persons",
    ),
    Mutant(
        "intervals of shares: as many units as there are were sampled, not as many persons",
        "dpq_core/mechanisms/counts/intervals.py",
        "sampled = unit * np.maximum(below[:, -1:], 1)",
        "sampled = np.maximum(below[:, -1:], 1)",
        f"{OF_SHARES}test_leaves_of_counts_in_units_are_those_of_counts_in_persons",
    ),
    Mutant(
        "intervals between found bounds: ends are laid for one of the domains that can be found",
        "dpq_core/domain/finding.py",
        "most = 10 ** (STEPS + 1) + 2 if self.step is None else self.widest.cells",
        "most = self.between(self.zero, self.zero + 1).cells",
        f"{FOUND}test_no_domain_that_can_be_found_has_more_values_than_that_which_ends_are_laid_for",
    ),
    Mutant(
        "intervals between found bounds: the levels at their ends come on top of the budget",
        "dpq_core/finding/steps.py",
        "second = _second(raw, replace(divided.plan, intervals=plan.intervals, about_n=plan.about_n))",
        "second = _second(raw, replace(plan, intervals=plan.intervals, about_n=plan.about_n))",
        f"{FOUND}test_a_release_with_intervals_holds_its_budget_whatever_is_found",
    ),
    Mutant(
        "intervals between found bounds: ends are laid for the records of the column",
        "dpq_core/finding/steps.py",
        "intervals=plan.intervals, about_n=plan.about_n))",
        "intervals=plan.intervals, about_n=raw.counted.n))",
        f"{FOUND}test_no_record_decides_which_levels_are_drawn",
    ),
)
