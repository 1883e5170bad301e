"""The card above the leaderboard: which mechanism to expect the least error of, from public facts alone."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpq_core.advice.facts import PublicFacts
from dpq_core.advice.ranking import Expectation, advise, why_outside
from dpq_core.errors import ParameterError
from dpq_core.finding.counting import rest_of
from dpq_core.plan import Plan
from dpq_core.results.persons import unit_for, weighs_shares
from dpq_core.results.wording import NEXT_TO_NONE, error_in_words, expected_in_words, range_in_digits, share_in_words
from dpq_core.studies.engine import Row
from dpq_core.studies.shapes import domain_of

from ..frame.header import complain, escape, sentence_of, term
from ..server import work
from ..studies.job import StudyRequest
from ..studies.subjects import Subject

ENDS_TOO = "The ends of intervals are drawn, too: {levels} levels in all."


def show(request: StudyRequest | None) -> None:
    """Show which mechanism to choose for these settings and why; nothing while the settings are incomplete."""
    if request is None:
        return
    try:
        with st.spinner("Working out the advice …"):
            facts = facts_of(request)
            advice = work.know(advise, facts)
    except ParameterError as error:
        complain(sentence_of(error))
        return
    with st.container(border=True):
        if not advice.ranking:
            st.markdown("**Advice: no mechanism is available for these settings.** See below what each of them needs.")
            return
        best = advice.ranking[0]
        st.markdown(
            f"**Advice: {escape(best.label)}** — {expectation(best, request.subject, advice.n)}", help=term("advice")
        )
        ends = () if request.grid.intervals is None else (ENDS_TOO.format(levels=facts.m),)
        st.caption(escape(" ".join([best.why, *ends, *advice.remarks])))


def compare(request: StudyRequest, served: Sequence[Row]) -> None:
    """Show beside a study of the same settings what the advice expected, what was measured, and why they differ.

    Nothing where bounds are found: the advice does not know what the search for them adds.
    """
    if request.grid.find_bounds is not None:
        return
    best = next(iter(work.know(advise, facts_of(request)).ranking), None)
    row = next((row for row in served if best and row.mechanism == best.mechanism), None)
    if best is None or row is None:
        return
    subject = request.subject
    measured = error_in_words(row.mean_error, subject.one, subject.many)
    expected = range_in_digits(best.mean.low, best.mean.high)
    expected += f" {subject.one if expected in ('1', 'under 1') else subject.many}"
    differ = why_outside(best.mean, row.mean_error, row.trials, row.failed)
    agree = "" if differ else ", as expected"
    st.caption(
        f"The advice expected a mean rank error of {expected} of {escape(best.label)}; this study measures {measured}"
        f"{agree}. {differ}".strip()
    )


def facts_of(request: StudyRequest) -> PublicFacts:
    """Return the public facts of a study, with all levels that it draws for intervals. Raises ParameterError."""
    subject, grid = request.subject, request.grid
    privacy, domain = grid.budgets[0], subject.domain or domain_of(subject.data)
    if grid.find_bounds is not None:
        privacy, domain = rest_of(privacy, grid.find_bounds.share), grid.find_bounds.widest
    plan = Plan(grid.quantiles[0], privacy=privacy, adjacency=grid.adjacencies[0])
    return PublicFacts(
        quantiles=grid.quantiles[0],
        privacy=privacy,
        adjacency=grid.adjacencies[0],
        n=subject.count,
        domain=domain,
        unit=unit_for(subject.person, plan),
        shares=weighs_shares(subject.person),
        intervals=grid.intervals,
        methods=grid.mechanisms,
    ).with_ends


def expectation(best: Expectation, subject: Subject, n: int) -> str:
    """Return what rank errors to expect of a mechanism among n records, in words."""
    mean, worst = (expected_in_words(each.typical, subject.one, subject.many) for each in (best.mean, best.worst))
    share = f", {share_in_words((best.mean.typical or NEXT_TO_NONE) / n)} of all" if n else ""
    ranges = range_in_digits(best.mean.low, best.mean.high)
    shapes = "depending on the shape of the data" if " to " in ranges else "for any shape of the data"
    return (
        f"expect a mean rank error of {mean}{share} ({ranges}, {shapes}), and a worst rank error of {worst} "
        f"({range_in_digits(best.worst.low, best.worst.high)})."
    )
