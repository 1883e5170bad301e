"""Sentences on the page: in its own words, and never rounded to the wrong side."""

from __future__ import annotations

import pytest

from dpq_core import Adjacency, Domain, ParameterError, Plan, PureDP
from dpq_core.calibrations import calibrate
from dpq_core.privacy import ZCDP
from dpq_core.studies.search import SearchResult
from pages.frame.header import escape, in_label, sentence_of
from pages.quantiles.results import _signed
from pages.tradeoff.results import _amount, _verdict

NORMAL = {"sigma": 1.0, "mean_bound": 10.0}


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        (lambda: Domain(5, 1), "“Highest” must be > “Lowest”, got 5 and 1."),
        (lambda: Domain(0, 1, 2), "“Step” must be > 0 and <= “Highest” - “Lowest”, got 2."),
        (lambda: calibrate(Plan(["1/2"], "slice", ZCDP(1.0))), "“Budget” must be “ε” or “ε, δ” for slices"),
        (
            lambda: calibrate(Plan(["1/2"], "normal", PureDP(1.0), options=NORMAL)),
            "“Protects” must be “one person is replaced by another”",
        ),
        (
            lambda: calibrate(Plan(["1/2"], "normal", PureDP(1.0), Adjacency.SUBSTITUTE)),
            "“Sigma” must be given for a normal sample: a number > 0",
        ),
    ],
)
def test_settings_are_called_as_on_the_page(refused, said):
    with pytest.raises(ParameterError) as caught:
        refused()
    assert sentence_of(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("budget", "said"), [(1.12, "1.12"), (1.1201, "1.13"), (1.0, "1"), (0.0312401, "0.0313"), (9.999, "10")]
)
def test_a_budget_that_is_enough_is_never_rounded_down(budget, said):
    found = SearchResult(budget=budget, visit=None, sharp=True, chance=0.05, visits=())
    assert _amount(found, "ε") == f"ε = {said}"
    assert float(said) >= budget
    assert f"**ε = {said}** is enough" in _verdict([("AQ", found)], 10, "max", "people", "ε")


def test_ranks_have_a_sign_unless_they_are_0():
    assert [_signed(ranks) for ranks in (-1200, -0.0, 0, 3)] == ["−1,200", "0", "0", "+3"]


@pytest.mark.parametrize(
    "name", ["body_height", "own.file-2 (2026)", "Ärzte, h/week", "“a” is a new data set: release anyway", "50 %"]
)
def test_a_usual_name_has_no_backslash_in_a_label(name: str) -> None:
    assert in_label(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "_a_",
        "a *b*",
        "[a](b)",
        "<b>",
        "`a`",
        "$x$",
        ":red[x]",
        "a :smile: b",
        "# a",
        "1. a",
        "&amp;",
        "www.a.org",
        "a~~b~~",
    ],
)
def test_a_name_that_markdown_would_change_is_escaped(name: str) -> None:
    assert in_label(name) == escape(name) != name
