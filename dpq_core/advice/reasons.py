"""The sentences beside the advice: why a mechanism suits, and what holds for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2

from ..mechanisms import Profile
from ..privacy import PureDP
from .facts import PublicFacts
from .simulation import MOST_RECORDS, Range

SAME_ERROR_FACTOR = 1.15
"""Two mechanisms whose errors differ by no larger factor are as good as each other here."""
SAME_ERROR_RECORDS = 0.5
"""Nor does half a record decide."""
LARGE_SHARE = 0.1
"""Of all records: an error that leaves little of a quantile."""
NOT_IN_A_STREAM = "It needs the whole column in memory, sorted."
NOT_KNOWN_TO_BE_NORMAL = (
    "It is for columns with a normal distribution: give `sigma` and `mean_bound`, from public knowledge."
)
TOO_SLOW = "Simulating it in advance takes too long for this many quantiles. Compare measures it."
SHAPES_IN_WORDS = (
    "This advice does not use your data. It simulates public shapes within your bounds: an even spread, a bell, two "
    "humps, a heavy tail, the same in far too wide bounds, bounds 20 times too wide, one value shared by a third of "
    "the records. It leaves out shapes with fewer values than quantiles."
)
BELLS_IN_WORDS = (
    "This advice does not use your data. It simulates bell-shaped columns within your bounds, because you chose a "
    "standard deviation for the normal sample."
)


def why_it_suits(profile: Profile, facts: PublicFacts) -> str:
    """Return what decides the error of a mechanism that can serve, in one or two sentences."""
    text = (profile.suits_one if facts.m == 1 else "") or profile.suits
    return text.format(levels=facts.m, halvings=ceil(log2(facts.m + 1)), part=_part(facts))


def _part(facts: PublicFacts) -> str:
    if facts.m == 1:
        return "the whole budget"
    if isinstance(facts.privacy, PureDP):
        return f"1/{facts.m} of the budget"
    return f"more than 1/{facts.m} of the budget, since losses partly cancel"


def as_good_as(least: float) -> float:
    """Return the largest mean rank error that counts as good as the least one."""
    return SAME_ERROR_FACTOR * least + SAME_ERROR_RECORDS


def remarks_on(facts: PublicFacts, n: int, ranking: Sequence[tuple[str, float]]) -> tuple[str, ...]:
    """Return what holds for the whole advice; `ranking` holds labels and mean errors, best first."""
    found = []
    if not ranking:
        return ("No mechanism is available for this plan. The reasons say what to change.",)
    least = min(error for _, error in ranking)
    near = [label for label, error in ranking[1:] if error <= as_good_as(least)]
    if near:
        found.append(f"As good within {100 * (SAME_ERROR_FACTOR - 1):.0f} % or half a record: {', '.join(near)}.")
    if facts.n is None:
        found.append(
            f"You gave no number of records, so the advice assumes {n:,}. Errors in records hardly depend on it, but "
            "slices need room, and percentages need a total."
        )
    if least > LARGE_SHARE * n:
        found.append(
            f"Even the best is off by more than {100 * LARGE_SHARE:.0f} % of all records: use a larger budget, "
            "fewer quantiles or more records."
        )
    if n > MOST_RECORDS:
        found.append(f"Simulated with {MOST_RECORDS:,} records. With more, values that many share make errors smaller.")
    return (*found, SHAPES_IN_WORDS if facts.normal_distribution is None else BELLS_IN_WORDS)


def why_outside(expected: Range, measured: float, trials: int, failed: int) -> str:
    """Return why a study's mean rank error is outside the expected range; empty if it is inside."""
    if expected.low <= measured <= expected.high:
        return ""
    if measured < expected.low:
        return (
            "On this data its error is smaller than on every shape of the advice: records that share a value, or "
            "values close together near the quantiles, make errors smaller."
        )
    if failed:
        return (
            f"On this data its error is larger than expected: it failed in {failed:,} of {trials:,} runs, which is too "
            "rare for the short simulation of the advice."
        )
    return (
        "On this data its error is larger than on every shape of the advice: far too wide bounds, or quantiles just "
        "beside a value that many share, make errors larger."
    )
