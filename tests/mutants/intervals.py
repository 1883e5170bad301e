"""Changes to how often an interval holds."""

from tests.mutants.mutant import Mutant

NEIGHBOURS = "dpq_core/intervals/neighbours.py"
ASKED = "tests/intervals/test_neighbours.py"

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
)
