"""Tests of laws reach the product through `tests/harness.py`, so that what it names otherwise changes there alone."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
HELD = ("audit", "groups", "mechanisms", "test_composition.py", "test_contract.py", "test_group_privacy.py")
"""What is held to it; it grows folder by folder."""
PAST = {
    "conftest.py": {"calibrations"},
    "test_new_mechanism.py": {"unsupported"},
    "test_wrappers_claims.py": {"dpq_core.opendp"},
}
"""What one of these patches or tests itself."""
MODULES = {
    "arrays", "audit", "errors", "ledger", "mechanisms", "plan", "privacy", "results", "sources", "studies", "tables",
}  # fmt: skip
"""What may be imported besides: exact losses, a mechanism's own formulas, budgets, where tables come from."""
NAMES = {
    "MECHANISMS", "ZCDP", "Adjacency", "ApproxDP", "BinCounts", "BudgetError", "DataError", "Domain", "FindBounds",
    "FindGroups", "GKSketch", "Infeasible", "Intervals", "ParameterError", "Plan", "PrivacyWarning", "PureDP", "Table",
    "explain", "privacy_loss", "quantiles", "rank_errors", "release", "simulate", "synthesize", "true_quantiles",
}  # fmt: skip
"""Of the public names those that stay in 2.0."""


def imported(file: Path) -> set[str]:
    """Modules of the package, and names of the package itself, that a test imports past the rule."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "dpq_core":
            found |= {each.name for each in node.names} - NAMES
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dpq_core."):
            found |= {str(node.module)} if str(node.module).split(".")[1] not in MODULES else set()
    return found


@pytest.mark.parametrize("place", HELD)
def test_tests_of_laws_reach_the_product_through_the_harness(place):
    files = sorted((TESTS / place).rglob("*.py")) if (TESTS / place).is_dir() else [TESTS / place]
    assert files
    assert {file.name: found for file in files if (found := imported(file) - PAST.get(file.name, set()))} == {}
