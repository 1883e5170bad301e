"""What is said beside the advice: why a mechanism suits, and what holds for all of them. Plain sentences."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2

from ..privacy import PureDP
from .advice_facts import Facts
from .advice_surface import Surface

NEAR = 1.15
"""Two mechanisms whose errors differ by no larger factor are as good as each other here."""
LARGE_SHARE = 0.1
"""Of all records: an error that leaves little of a quantile."""
NOT_IN_A_STREAM = "It needs the whole column in memory, sorted."
NOT_KNOWN_TO_BE_NORMAL = (
    "It is for columns known to follow a normal law: `sigma` and `mean_bound` must be given from public knowledge."
)
SHAPES_IN_WORDS = (
    "Expected for columns like some public shapes (a bell, two humps, a heavy tail, an even spread); your data is not "
    "looked at. Many equal values make errors smaller. Bounds much wider than the data make counting worse."
)


def why_it_suits(mechanism: str, facts: Facts) -> str:
    """What decides the error of a mechanism that can serve, in one or two sentences."""
    m, one = facts.m, facts.m == 1
    match mechanism:
        case "aq" if one:
            return "One quantile is a single draw with the whole budget."
        case "aq":
            return (
                f"Everyone is looked at once for every halving, about {ceil(log2(m + 1))} times for {m} quantiles "
                f"instead of {m} times."
            )
        case "indexp" if one:
            return "One quantile is a single draw with the whole budget."
        case "indexp":
            return f"Every quantile is drawn for itself with {_part(facts)}."
        case "jointexp":
            return "All quantiles are drawn together, so nothing is divided; each further one makes the draw harder."
        case "aggtree":
            return (
                "Noise on the counts is paid for once, whatever the number of quantiles; an answer adds up many counts."
            )
        case "slice":
            return "Everyone is in one slice at most, and there is room for the slices among so many records."
        case "gkexp":
            return (
                f"It reads the column once, in little memory. Every quantile is drawn for itself with {_part(facts)}, "
                "and the noise covers what the sketch does not know."
            )
        case "binhist":
            return (
                "It remembers the counts of fixed bins only. Their noise is paid for once, for any number of quantiles."
            )
        case "normal":
            return "It looks for the place of the records first, so wide bounds cost nothing. Only for a normal column."
    return ""


def _part(facts: Facts) -> str:
    if facts.m == 1:
        return "the whole budget"
    if isinstance(facts.privacy, PureDP):
        return f"1/{facts.m} of the budget"
    return f"more than 1/{facts.m} of the budget, since losses partly cancel"


def remarks_on(facts: Facts, n: int, ranking: Sequence[tuple[str, float]], surface: Surface) -> tuple[str, ...]:
    """What holds for the whole advice; `ranking` holds labels and mean errors, best first."""
    found = []
    if not ranking:
        return ("Nothing can serve this as it is. The reasons say what would do.",)
    least = ranking[0][1]
    near = [label for label, error in ranking[1:] if error <= NEAR * least]
    if near:
        found.append(f"Within {100 * (NEAR - 1):.0f} % of the best: {', '.join(near)}.")
    if facts.n is None:
        found.append(
            f"The number of records is not known: {n:,} are assumed. Errors in records hardly depend on it, but slices "
            "need room, and a share needs a whole."
        )
    if least > LARGE_SHARE * n:
        found.append(
            f"Even the best is off by more than {100 * LARGE_SHARE:.0f} % of all records: a larger budget, fewer "
            "quantiles or more records are needed."
        )
    if facts.m > surface.counts[-1]:
        found.append(f"The errors were measured for up to {surface.counts[-1]} quantiles and are continued from there.")
    return (*found, SHAPES_IN_WORDS)
