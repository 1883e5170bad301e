"""The report in sentences: what was protected, how well, how sure the numbers are. Public facts and answers only."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ...domain import Domain
from ...mechanisms import MECHANISMS
from ...plan import Plan
from ...privacy import Adjacency, Privacy
from ...results import (
    HUNDRED,
    Between,
    ErrorBound,
    Wording,
    between,
    error_in_words,
    level_name,
    right_of_hundred,
    spoken_level,
    twice,
    two_digits_up,
)
from ...studies import ERROR_BOUND, MEAN_RANK_ERROR, OF_HUNDRED, WORST_RANK_ERROR, RankErrors

USEFUL = 0.2
"""A proved error above this share of all records says too little to be told."""
NOT_KNOWN = "not known"
NO_RELEASE = "A simulation on public data, to show what such a report looks like. It is no release and protects nobody."


@dataclass(frozen=True, kw_only=True)
class Told:
    """Everything that a report says: private answers and public facts. The truth is never part of it."""

    title: str
    about: str
    wording: Wording
    plan: Plan
    domain: Domain
    values: tuple[float, ...]
    """In the order of the plan's quantiles."""
    draws: int
    """How many draws are averaged in the values: 1 or 2."""
    simulated: bool
    privacy: Privacy
    """Spent in all."""
    spent: str
    """What one draw has cost."""
    account: str
    """The data set's name; empty for a simulation."""
    release_ids: tuple[str, ...]
    """Under which the ledger keeps the answers; none of a simulation."""
    left: str
    """What its budget has left on the day of the report, as a sentence; empty for a simulation."""
    allows_again: bool
    """Whether that day the budget would pay for one more draw."""
    released: str
    """The day of the release, or both days; empty for a simulation."""
    made: str
    """The day of the report."""
    version: str
    n: int
    """How many people the errors were worked out for."""
    counted: bool
    """Whether there are known to be so many; otherwise somebody said so, and the report says "if"."""
    reach: ErrorBound | None
    averaged: RankErrors | None
    """The rank errors of two draws of this plan, averaged."""
    presets: dict[str, ErrorBound | None]

    @property
    def errors(self) -> RankErrors | None:
        """The rank errors of such answers in simulated runs on the public shape; None if not known."""
        if self.draws > 1:
            return self.averaged
        return self.reach.errors if self.reach else None

    @property
    def right(self) -> int:
        """Of 100 guesses about one person at most so many are right."""
        return right_of_hundred(self.privacy)

    @property
    def limits(self) -> list[Between]:
        """Between which released levels each true quantile lies, by the error bound on the public shape."""
        return between(self.plan.quantiles, self.errors.bound, self.n) if self.errors else []

    def value(self, level: Fraction) -> float:
        """The answer at a released level."""
        return self.values[self.plan.quantiles.index(level)]


def rounded_up(records: int, n: int) -> int:
    """Return an error bound in two significant digits: no smaller than it is, and no larger than n."""
    return min(two_digits_up(records), n)


def bound(records: int, n: int) -> str:
    """Return an error bound in places: `17 of 1,000 places`."""
    return f"{rounded_up(records, n):,} of {n:,} places"


def places(records: float) -> str:
    """Return a mean of rank errors in places: `under 1 place`, `4.8 places`."""
    return error_in_words(records, "place", "places")


def whom(told: Told) -> str:
    """Return who is protected, in two or three words."""
    return "hardly anybody" if told.right == HUNDRED else f"any 1 {told.wording.one}"


def protected(told: Told) -> str:
    """Return whom the promise covers, and what it hides."""
    one, might = told.wording.one, "A release would keep" if told.simulated else "The answers keep"
    if told.right == HUNDRED:
        return f"With a budget as large as this, next to nothing about any one {one} is sure to stay hidden."
    hidden = f"whether any one {one} is in the data"
    if told.plan.adjacency is Adjacency.SUBSTITUTE:
        hidden = f"what the value of any one {one} is"
    return f"{might} it uncertain {hidden}, even for somebody who knows all the others."


def guesses(told: Told) -> str:
    """Return the odds as people understand them best."""
    one = told.wording.one
    asks = f"whether a certain {one} is in the data"
    if told.plan.adjacency is Adjacency.SUBSTITUTE:
        asks = f"which of two values a certain {one} has"
    return (
        f"Somebody guesses {asks}, both being as likely before. Of {HUNDRED} such guesses, on average at most "
        f"{told.right} are right with the help of these answers alone. Tossing a coin gets 50 right."
    )


def accuracy(told: Told) -> str:
    """Return the error bound in a sentence that names whom it counts."""
    if told.errors is None:
        return "This mechanism has no answer on a public example of this size, so its errors are not known."
    most = rounded_up(told.errors.bound, told.n)
    far = f"no answer is farther than {most:,} place{'' if most == 1 else 's'} from" if most else "every answer is in"
    line = f"{told.n:,} {told.wording.many} in line from the lowest value to the highest"
    start = f"With the {line}," if told.counted else f"If there are about {line}, then"
    return f"{start} in {OF_HUNDRED} of 100 runs {far} its right place."


def means(told: Told) -> str:
    """Return the two means beside the bound, by their names, so that none is taken for another."""
    if told.errors is None:
        return ""
    return (
        f"{MEAN_RANK_ERROR.capitalize()}, over all answers and runs: {places(told.errors.mean)}. "
        f"{WORST_RANK_ERROR.capitalize()}, of a run's farthest answer, over all runs: {places(told.errors.worst)}."
    )


def measured_on(told: Told) -> str:
    """Return what the errors were measured on."""
    if told.errors is None:
        return ""
    many, unit = told.wording.many, told.wording.unit
    counts = f"Places in line, not {unit}" if unit else "Places in line, not values"
    return (
        f"A run draws all answers once. {counts}, measured on a public example: made-up {many} spread evenly between "
        "the bounds. Other data can do worse."
    )


def proved(told: Told) -> str:
    """Return what a theorem says of any data; empty where none says anything of use."""
    if told.reach is None or told.reach.proved is None or told.draws > 1 or told.reach.proved > USEFUL * told.n:
        return ""
    most = rounded_up(told.reach.proved, told.n)
    return (
        f"For any data of {told.n:,} {told.wording.many}, whatever its shape, it is proved that in at least "
        f"{OF_HUNDRED} of 100 runs no answer is farther than {most:,} places off ({told.reach.source})."
    )


def middle(told: Told) -> str:
    """Return what follows about the true median (or the level nearest to it) in the column's unit."""
    if not told.limits:
        return ""
    limit = min(told.limits, key=lambda each: abs(each.level - Fraction(1, 2)))
    start = f"On data like the public example, in {OF_HUNDRED} of 100 runs the true {spoken_level(limit.level)} lies"
    low, high = (None if end is None else told.wording.value(told.value(end)) for end in (limit.low, limit.high))
    if limit.low is not None and limit.high is not None:
        return f"{start} between the released {_plain(limit.low)} and {_plain(limit.high)} points, {low} and {high}."
    if limit.high is not None:
        return f"{start} at or below the released {_plain(limit.high)} point, {high}."
    if limit.low is not None:
        return f"{start} at or above the released {_plain(limit.low)} point, {low}."
    return (
        f"Between which values the true {spoken_level(limit.level)} lies cannot be said: that takes released quantiles "
        "on both sides of it, far enough away."
    )


def range_of(told: Told, limit: Between | None) -> str:
    """Return between which released values the true one lies: `33 to 43`, `at most 26`; a dash if that is not known."""
    if limit is None:
        return "–"
    low, high = (None if end is None else told.wording.number(told.value(end)) for end in (limit.low, limit.high))
    if low is None and high is None:
        return "between the bounds"
    if low is None or high is None:
        return f"at most {high}" if low is None else f"at least {low}"
    return low if low == high else f"{low} to {high}"


def about_ranges(told: Told) -> str:
    """Return what the ranges of the table rest on, and where the open ones end."""
    if not told.limits:
        return "A dash: the errors are not known." if told.plan.quantiles else ""
    said = "are" if told.counted else "are about"
    rests = (
        f"The true values lie in their ranges, all at once, in {OF_HUNDRED} of 100 runs on data like the public "
        f"example, if there {said} {told.n:,} {told.wording.many}."
    )
    if all(limit.low is not None and limit.high is not None for limit in told.limits):
        return rests
    lower, upper = (told.wording.value(float(end)) for end in (told.domain.lower, told.domain.upper))
    return f"{rests} Where no answer ends a range, the bounds do, which were set before: {lower} and {upper}."


def _plain(level: Fraction) -> str:
    return level_name(level).split(" · ")[0]


def again(told: Told) -> str:
    """Return what one more draw would cost, and what the two would be worth together."""
    if told.draws > 1:
        return "These are two draws, averaged. Both were charged; averaging costs nothing."
    if not told.simulated and not told.allows_again:
        return (
            f"A second draw of the same plan would cost as much again ({told.spent}), and on {told.made} the budget "
            "did not allow it."
        )
    start = f"A second draw of the same plan would cost as much again ({told.spent})."
    if told.reach is None or told.averaged is None:
        return start
    one, two = (rounded_up(errors.bound, told.n) for errors in (told.reach.errors, told.averaged))
    gain = f"{bound(two, told.n)} instead of {one:,}" if two < one else f"{bound(one, told.n)} as before"
    return (
        f"{start} Both averaged would have an {ERROR_BOUND} of {gain}, and averaging itself costs nothing. "
        f"Of {HUNDRED} guesses about one {told.wording.one} at most "
        f"{right_of_hundred(twice(told.privacy))} would then be right instead of {told.right}."
    )


def label(told: Told) -> dict[str, str]:
    """Return the privacy label, row by row."""
    one = told.wording.one
    hides = told.plan.adjacency.of(one)
    about = "" if told.counted else "about "
    rows = {
        "What this is": "Simulation, not private" if told.simulated else "Release, private answers only",
        "Who is protected": "nobody" if told.simulated else whom(told),
        "What is hidden": f"{'whether' if 'joins' in hides else 'that'} {hides}",
        "Budget of these answers": f"{told.privacy}" + (" (two draws)" if told.draws > 1 else ""),
        "Data set": told.account,
        "Budget left": told.left and f"{told.left}, on {told.made}",
        "Mechanism": MECHANISMS[told.plan.mechanism].LABEL,
        "Noise": "repeatable, for demonstration" if told.simulated else "drawn from the operating system",
        "Errors worked out for": f"{about}{told.n:,} {told.wording.many}",
        "Released on": told.released,
        "Release id": " and ".join(told.release_ids),
        "Report made on": f"{told.made}, with dpq {told.version}",
    }
    return {name: text for name, text in rows.items() if text}
