"""The report in sentences: what was protected, how well, how sure the numbers are. Public facts and answers only."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..domain import Domain
from ..mechanisms import MECHANISMS
from ..plan import Plan
from ..privacy import Adjacency, Privacy
from ..studies.odds import both, right_of_hundred
from ..studies.reach import OF_HUNDRED, Between, Reach, Together, between
from .wording import Wording, level_name, spoken_level

SMALLEST_SHARE = 0.001
USEFUL = 0.2
"""A proved error above this share of all records says too little to be told."""
NOT_ENOUGH = "not enough quantiles released"
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
    left: str
    """What its budget has left, as a sentence; empty for a simulation."""
    allows_again: bool
    date: str
    version: str
    n: int
    """How many people there are about, said from public knowledge."""
    reach: Reach | None
    together: Together | None
    """How the two draws were averaged; of one draw, how a second one of the same plan would be."""
    presets: dict[str, Reach | None]

    @property
    def error(self) -> int | None:
        """Records that the answers are off by at most, in 95 of 100 runs on the public shape; None if not known."""
        if self.draws > 1:
            return self.together.reach if self.together else None
        return self.reach.simulated if self.reach else None

    @property
    def right(self) -> int:
        """Of 100 guesses about one person at most so many are right."""
        return right_of_hundred(self.privacy)

    @property
    def limits(self) -> list[Between]:
        """Between which released levels each true quantile lies, by the reach on the public shape."""
        return between(self.plan.quantiles, self.error, self.n) if self.error is not None else []

    def value(self, level: Fraction) -> float:
        """The answer at a released level."""
        return self.values[self.plan.quantiles.index(level)]


def share(records: int, n: int) -> str:
    """`1.7 %`, rounded up at its last digit; `under 0.1 %`."""
    part = records / n
    if part < SMALLEST_SHARE:
        return "under 0.1\u00a0%"
    tenths = -(-1000 * records // n)
    return f"{tenths / 10:.1f}\u00a0%" if tenths < 100 else f"{-(-100 * records // n)}\u00a0%"


def protected(told: Told) -> str:
    """Whom the promise covers, and what it hides."""
    one = told.wording.one
    if told.plan.adjacency is Adjacency.ADD_REMOVE:
        return f"Whether any one {one} is in the data is kept uncertain, even for somebody who knows all the others."
    return f"The value of any one {one} is kept uncertain, even for somebody who knows all the others."


def guesses(told: Told) -> str:
    """The odds as people understand them best."""
    one = told.wording.one
    asks = (
        f"whether a certain {one} is in the data"
        if told.plan.adjacency is Adjacency.ADD_REMOVE
        else (f"which of two values a certain {one} has")
    )
    return (
        f"Of 100 guesses {asks}, at most {told.right} are right with the help of these answers. "
        "Tossing a coin gets 50 right."
    )


def accuracy(told: Told) -> str:
    """What the error of the answers was measured on."""
    many = told.wording.many
    if told.error is None:
        return "This mechanism has no answer on a public example of this size, so its accuracy is not known."
    return (
        f"With {told.n:,} {many} standing in line, every answer is within {told.error:,} places of the right one, in "
        f"{OF_HUNDRED} of 100 runs. Measured on a public example, made-up {many} spread evenly between the bounds; "
        "other data can do worse."
    )


def proved(told: Told) -> str:
    """What a theorem says of any data; empty where none says anything of use."""
    if told.reach is None or told.reach.proved is None or told.draws > 1 or told.reach.proved > USEFUL * told.n:
        return ""
    return (
        f"For any data of {told.n:,} {told.wording.many}, whatever its shape, it is proved that {OF_HUNDRED} of 100 "
        f"runs keep every answer within {share(told.reach.proved, told.n)} ({told.reach.source})."
    )


def middle(told: Told) -> str:
    """What follows about the true median (or the level nearest to it) in the column's unit."""
    if not told.plan.quantiles:
        return ""
    level = min(told.plan.quantiles, key=lambda each: abs(each - Fraction(1, 2)))
    name = spoken_level(level)
    found = next((limit for limit in told.limits if limit.level == level), None)
    if found is None or found.low is None or found.high is None:
        return f"Between which answers the true {name} lies cannot be said: {NOT_ENOUGH}."
    low, high = (told.wording.value(told.value(end)) for end in (found.low, found.high))
    return (
        f"On data like the public example, {OF_HUNDRED} of 100 times the true {name} lies between the released "
        f"{_plain(found.low)} and {_plain(found.high)} points, {low} and {high}."
    )


def range_of(told: Told, limit: Between | None) -> str:
    """`33 to 43`: between which released values the true one lies."""
    if limit is None or limit.low is None or limit.high is None:
        return "–"
    low, high = (told.wording.number(told.value(end)) for end in (limit.low, limit.high))
    return f"{low} to {high}"


def _plain(level: Fraction) -> str:
    return level_name(level).split(" · ")[0]


def again(told: Told) -> str:
    """What one more draw would cost, and what the two would be worth together."""
    if told.draws > 1:
        return f"These are two draws, averaged{_weights(told.together)}. Both were charged; averaging costs nothing."
    if not told.simulated and not told.allows_again:
        return "A second draw of the same plan would cost as much again, and the budget does not allow it."
    start = f"A second draw of the same plan would cost as much again ({told.spent})."
    if told.reach is None or told.together is None:
        return start
    one, two = (share(records, told.n) for records in (told.reach.simulated, told.together.reach))
    gain = f"{two} instead of {one}" if told.together.reach < told.reach.simulated else f"{one} as before"
    return (
        f"{start} Both averaged would stand within {gain} on the public example, and averaging itself costs nothing. "
        f"Of 100 guesses about one {told.wording.one} at most "
        f"{right_of_hundred(both(told.privacy, told.privacy))} would then be right instead of {told.right}."
    )


def _weights(together: Together | None) -> str:
    if together is None or together.percent == 50:
        return ""
    return f", the first with {together.percent} and the second with {100 - together.percent} parts of 100"


def label(told: Told) -> dict[str, str]:
    """The privacy label, row by row."""
    hides = told.plan.adjacency.in_words.replace("one person", f"one {told.wording.one}")
    rows = {
        "What this is": "Simulation, not private" if told.simulated else "Release, private answers only",
        "Who is protected": f"each single {told.wording.one}",
        "What is hidden": f"{'whether' if 'joins' in hides else 'that'} {hides}",
        "Budget of these answers": f"{told.privacy}" + (" (two draws)" if told.draws > 1 else ""),
        "Data set": told.account,
        "What is left": told.left,
        "Mechanism": MECHANISMS[told.plan.mechanism].LABEL,
        "Noise": "repeatable, for demonstration" if told.simulated else "drawn from the operating system",
        "Made with": f"dpq {told.version}",
        "Date": told.date,
    }
    return {name: text for name, text in rows.items() if text}
