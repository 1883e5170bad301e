"""Errors are objects: who shows them asks for facts and for the sentence in its own labels, and rewrites nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from dpq_core import Adjacency, Domain, Infeasible, ParameterError, Plan, PureDP, calibrate
from dpq_core.errors import BudgetError, DataError, Remedy, Way
from dpq_core.ledger import AnswerWords, ReleaseMetadata
from pages.frame.header import sentence_of

PACKAGE = Path(__file__).parents[1] / "dpq_core"
KINDS = {"ParameterError", "Infeasible"}


def made() -> Iterator[tuple[str, ast.Call]]:
    """Yield every place in the package where such an error is made."""
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS:
                yield f"{file.relative_to(PACKAGE)}:{node.lineno}", node


def test_the_sentence_has_the_labels_of_whoever_shows_it() -> None:
    with pytest.raises(ParameterError) as caught:
        Domain(5, 1)
    assert str(caught.value) == "`upper` must be > `lower`, got 5 and 1."
    assert caught.value.sentence(str.upper) == "UPPER must be > LOWER, got 5 and 1."
    assert sentence_of(caught.value) == "“Highest” must be > “Lowest”, got 5 and 1."


def test_what_was_typed_is_never_taken_for_the_name_of_a_setting() -> None:
    with pytest.raises(ParameterError) as caught:
        Plan(["`lower`"])
    assert sentence_of(caught.value).endswith("got '`lower`'.")


def test_no_message_writes_a_name_itself() -> None:
    """A name in backticks would reach the screen as it is: the first one is the error's, every other one a Name."""
    places = dict(made())
    assert len(places) > 100
    wrong = [
        place
        for place, call in places.items()
        for part in ast.walk(call.args[1])
        if isinstance(part, ast.Constant) and "`" in str(part.value)
    ]
    assert wrong == []


def test_a_refusal_by_a_budget_says_what_is_needed_and_left() -> None:
    error = BudgetError("ρ", remaining=0.25, requested=0.5)
    assert (error.unit, error.remaining, error.requested) == ("ρ", 0.25, 0.5)
    assert str(error) == (
        "`privacy` must fit what is left of this budget: the release needs ρ = 0.5, and ρ = 0.25 is left."
    )


def test_a_refusal_by_a_number_of_records_carries_it() -> None:
    with pytest.raises(Infeasible) as caught:
        calibrate(Plan(["0.5", "0.51"], "slice", PureDP(1.0), Adjacency.SUBSTITUTE), 100)
    assert caught.value.count == 100
    assert "for 100 people" in str(caught.value)


def test_names_of_the_first_version_go_on_working() -> None:
    remedy = Remedy("epsilon", 2.0)
    assert (Way, AnswerWords) == (Remedy, ReleaseMetadata)
    refused, unread = ParameterError("epsilon", "is too small.", (remedy,)), DataError("", remedies=(remedy,))
    assert refused.ways == unread.ways == (remedy,)
