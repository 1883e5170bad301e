"""The report in sentences: what was protected, how well, how sure the numbers are. Public facts and answers only."""

from __future__ import annotations

from ..mechanisms.registry import MECHANISMS
from ..privacy.budgets import Adjacency
from ..results.odds import HUNDRED, guesses_in_words, right_of_hundred
from ..results.wording import count_in_words, error_in_words, two_digits_up
from ..studies.measures import MEAN_RANK_ERROR, OF_HUNDRED, WORST_RANK_ERROR
from .facts import ReportFacts

USEFUL = 0.2
"""A proved error above this share of all records says too little to be reported."""
NOT_KNOWN = "not known"
NO_RELEASE = "A simulation on public data, to show what such a report looks like. It is no release and protects nobody."


def rounded_up(records: int, n: int) -> int:
    """Return an error bound rounded up to two significant digits, at most n."""
    return min(two_digits_up(records), n)


def bound(records: int, n: int) -> str:
    """Return an error bound in ranks: `within 17 ranks of 1,000`; `under 1 rank` where no simulated run erred."""
    most = rounded_up(records, n)
    return f"within {count_in_words(most, 'rank')} of {n:,}" if most else f"under 1 rank of {n:,}"


def ranks(records: float) -> str:
    """Return a mean of rank errors in ranks: `under 1 rank`, `4.8 ranks`."""
    return error_in_words(records, "rank", "ranks")


def whom(facts: ReportFacts) -> str:
    """Return who is protected, in two or three words."""
    return "hardly anyone" if facts.right == HUNDRED else f"any one {facts.wording.anyone}"


def with_all_rows(facts: ReportFacts) -> str:
    """Return what is protected together with a person who may have several rows."""
    return ", with all their rows" if facts.wording.person and facts.right < HUNDRED else ""


def protected(facts: ReportFacts) -> str:
    """Return whom the promise covers, and what it hides."""
    one, might = facts.wording.anyone, "A release would keep" if facts.simulated else "The answers keep"
    if facts.right == HUNDRED:
        return f"With a budget this large, almost nothing about any one {one} is sure to stay hidden."
    rows = f"{with_all_rows(facts)}," if facts.wording.person else ""
    hidden = f"whether any one {one}{rows} is in the data"
    if facts.plan.adjacency is Adjacency.SUBSTITUTE:
        values = "the rows of any one {one} say" if facts.wording.person else "the value of any one {one} is"
        hidden = f"what {values.format(one=one)}"
    counts = f" What counts: {facts.rule}." if facts.rule else ""
    return f"{might} it uncertain {hidden}, even for someone who knows all the others.{counts}"


def guesses(facts: ReportFacts) -> str:
    """Return the odds as people understand them best."""
    return guesses_in_words(facts.privacy, facts.plan.adjacency, facts.wording.anyone)


def chance(facts: ReportFacts) -> str:
    """Return what the odds mean, and what they do not mean."""
    many = "people" if facts.wording.person else facts.wording.many
    return f"This is an average over many guesses, if both are equally likely before. It is not a share of the {many}."


def accuracy(facts: ReportFacts) -> str:
    """Return the error bound in a sentence that names whom it counts."""
    if facts.bounds_found:
        return "The bounds were found in the data, at the cost of a part of the budget: records may lie beyond them."
    if facts.rule_unknown:
        return (
            f"This release does not record what counts of the rows of one {facts.wording.anyone}, so its errors are "
            "not known."
        )
    if facts.errors is None:
        return "This mechanism gives no answer on a public example of this size, so its errors are not known."
    most = rounded_up(facts.errors.bound, facts.n)
    far = f"is within {count_in_words(most, 'rank')} of its right one" if most else "has its right rank"
    line = f"{facts.n:,} {facts.wording.many} ranked from the lowest value to the highest"
    start = f"With the {line}," if facts.counted else f"If there are about {line}, then"
    return f"{start} in {OF_HUNDRED} of 100 runs every answer {far}."


def means(facts: ReportFacts) -> str:
    """Return the two means beside the bound, by their names, so that a reader does not confuse them."""
    if facts.errors is None:
        return ""
    return (
        f"{MEAN_RANK_ERROR.capitalize()}, over all answers and runs: {ranks(facts.errors.mean)}. "
        f"{WORST_RANK_ERROR.capitalize()}, of a run's farthest answer, over all runs: {ranks(facts.errors.worst)}."
    )


def measured_on(facts: ReportFacts) -> str:
    """Return what the errors were measured on."""
    if facts.errors is None:
        return ""
    many, unit = facts.wording.many, facts.wording.unit
    counts = f"Ranks, not {unit}" if unit else "Ranks, not values"
    even = facts.domain.has_even_steps
    where = "between the bounds" if even else "over all possible values"
    return (
        f"A run draws all answers once. {counts}, measured on a public example: made-up {many} spread evenly {where}. "
        "Other data can do worse."
    )


def proved(facts: ReportFacts) -> str:
    """Return what a theorem says about any data; empty without a useful one."""
    if facts.error_bound is None or facts.error_bound.proved is None or facts.error_bound.proved > USEFUL * facts.n:
        return ""
    most = rounded_up(facts.error_bound.proved, facts.n)
    return (
        f"For any data of {facts.n:,} {facts.wording.many} of any shape, it is proved that in at least "
        f"{OF_HUNDRED} of 100 runs every answer is {bound(most, facts.n)} ({facts.error_bound.source})."
    )


def again(facts: ReportFacts) -> str:
    """Return what one more draw would cost, and reveal."""
    cost = f"A second draw of the same plan would cost as much again ({facts.plan.privacy})"
    if not facts.simulated and not facts.allows_again:
        return f"{cost}, and on {facts.made} the budget did not allow it."
    return (
        f"{cost}. Someone guessing about a given {facts.wording.anyone} would then be right at most "
        f"{right_of_hundred(facts.privacy, draws=2)} times in {HUNDRED} instead of {facts.right}."
    )


def how_many(facts: ReportFacts) -> str:
    """Return for how many people errors and ranges were worked out: `about 1,000 patients`."""
    return f"{'' if facts.counted else 'about '}{facts.n:,} {facts.wording.many}"


def label(facts: ReportFacts) -> dict[str, str]:
    """Return the privacy label, row by row."""
    hides = facts.plan.adjacency.of(facts.wording.protected)
    hiding = "What a release would hide" if facts.simulated else "What is hidden"
    rows = {
        "What this is": "Simulation, not private" if facts.simulated else "Release, private answers only",
        "Who is protected": "nobody" if facts.simulated else f"{whom(facts)}{with_all_rows(facts)}",
        hiding: f"{'whether' if 'joins' in hides else 'that'} {hides}",
        "What counts": facts.rule,
        "Budget of these answers": str(facts.privacy),
        "Data set": facts.account,
        "Budget left": facts.left and f"{facts.left}, on {facts.made}",
        "Mechanism": MECHANISMS[facts.plan.mechanism].LABEL,
        "Noise": "repeatable, for demonstration" if facts.simulated else "drawn from the operating system",
        "Errors worked out for": how_many(facts) if facts.errors or facts.intervals else "",
        "Released on": facts.released,
        "Release id": facts.release_id,
        "Report made on": f"{facts.made}, with dpq {facts.version}",
    }
    return {name: text for name, text in rows.items() if text}
