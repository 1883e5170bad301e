"""Changes to how bounds are found from a share of the budget, and to what both steps cost together."""

from tests.mutants.mutant import Mutant

WALK, BUDGET, STEPS = (f"dpq_core/finding/{name}.py" for name in ("walk", "budget", "steps"))
CLAIMS = "tests/audit/test_finding_claims.py"
SPENT = "tests/finding/test_finding.py"

FINDING = (
    Mutant(
        "a replaced record that both walks see costs as one that one sees",
        WALK,
        "epsilon * Fraction(3, 4) if both else epsilon",
        "epsilon",
        f"{CLAIMS} -k walks_alone",
    ),
    Mutant(
        "the threshold of a walk has no noise",
        WALK,
        "noise - beyond[:-1] >= threshold",
        "noise - beyond[:-1] >= 0 * threshold",
        f"{CLAIMS} -k law_of_a_walk",
    ),
    Mutant(
        "the noise of a walk is too small",
        WALK,
        "Size(3 / self.rate)",
        "Size(2 / self.rate)",
        f"{CLAIMS} -k walks_alone",
    ),
    Mutant(
        "the quantiles get the whole budget",
        BUDGET,
        "Fraction(budget) * (1 - share)",
        "Fraction(budget)",
        f"{SPENT} -k spends",
    ),
    Mutant(
        "the guarantee of both steps is that of the second",
        BUDGET,
        "round_up(Fraction(epsilon) + finding)",
        "round_up(Fraction(epsilon))",
        f"{SPENT} -k spends",
    ),
    Mutant(
        "a refusal after the bounds were found costs nothing for them",
        STEPS,
        "round_up(Fraction(refused.charged) + finding)",
        "round_up(Fraction(refused.charged))",
        f"{SPENT} -k ledger",
    ),
    Mutant(
        "a person with several rows costs the walks as one record",
        STEPS,
        "divided.finding / second.unit.times",
        "divided.finding",
        f"{SPENT} -k several_rows",
    ),
)
