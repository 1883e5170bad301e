"""The report in sentences: the answers, which groups clearly differ, and how well one person is protected."""

from __future__ import annotations

import re
from bisect import bisect_left
from fractions import Fraction

from ..domain.finding import HIGHEST, at_bound
from ..far_answers import NOT_USABLE
from ..frame import level_name
from ..mechanisms.registry import MECHANISMS
from ..people.takes import COUNTED
from ..plan import Intervals
from ..privacy.budgets import Adjacency
from ..results.answers import TOO_SMALL, Answers
from ..results.error_bound import OF_HUNDRED
from ..results.odds import HUNDRED, guesses_in_words, right_of_hundred
from ..results.wording import Wording, count_in_words, error_in_words, plural_of, spoken_level, two_digits_up
from ..texts import listed
from .facts import Report, Section, rule_unknown

HALF = Fraction(1, 2)
MEAN_RANK_ERROR, WORST_RANK_ERROR = "mean rank error", "worst rank error"
"""Headings of the glossary, which says what each of them is; pages take their words from here."""
SAID = 0.01
"""From this chance on the report says that an answer may be far off."""
USEFUL = 0.2
"""A proved error above this share of all records says too little to be reported."""
SURE = 0.9
"""With which chance the intervals of a group must hold together, so that groups are compared."""
MOST_COMPARED = 12
"""Groups in a list of differences."""
NO_RELEASE = "A simulation on public data, to show what such a report looks like. It is no release and protects nobody."
NO_INTERVALS = "These answers have no intervals, so it is not known how far they are from the true values."
COMPARE = (
    "So it is not known which groups clearly differ. To compare groups, ask the next release for intervals that hold "
    f"all at once with {100 * SURE:g} % or more."
)
NO_ANSWER = "No quantile was requested, so there is no answer."
NO_GROUP = "There is no group in this answer."
RECORDS = re.compile(r"\b(?:records|persons)\b")
"""The words of sentences about intervals, in place of those of the report."""


def headline(report: Report, section: Section) -> str:
    """Return the finding of a column in one sentence, from its numbers."""
    level = section.middle
    if level is None or not section.parts:
        return NO_ANSWER if section.parts else NO_GROUP
    return _of_groups(section, level) if section.grouped else _of_one(report, section, level)


def _of_one(report: Report, section: Section, level: Fraction) -> str:
    """Return a level: `For half of the people, age is 38 years or less (95 %: 37 to 40 years).`"""
    wording, (part,) = section.wording, section.parts
    if part.far(level):
        return f"The {spoken_level(level)} of {wording.name} is {NOT_USABLE}."
    value = part.value(level)
    number, side = wording.after_name(value), at_bound(value, section.cells.domain)
    less, more = ("earlier", "later") if wording.kind == "date" else ("less", "more")
    range_ = "" if part.ends(level) == (None, None) else f" ({section.percent}: {range_of(part, level)})"
    whom = counted(report)
    if level in {0, 1}:
        return f"The {spoken_level(level)} of {wording.name} is {number}{range_}."
    share, beyond = (1 - level, more) if side == HIGHEST else (level, less)
    start = f"For {'half' if share == HALF else plain(share)} of {whom}"
    if side:
        return f"{start} or more, {wording.name} is {number}, the {side} possible value, or {beyond}."
    return f"{start}, {wording.name} is {number} or {less}{range_}."


def _of_groups(section: Section, level: Fraction) -> str:
    """Return the largest and the smallest answer; where it is not known how much is noise, without their groups."""
    wording, what = section.wording, f"{spoken_level(level)} of {section.wording.name}"
    found = [(part.value(level), part.group) for part in usable(section, level)]
    if not found:
        why = TOO_SMALL if section.too_small else NOT_USABLE
        return f"The {what} is not known in any group: every group is {why}."
    (high, top), (low, bottom) = max(found), min(found)
    groups = top if len(found) == 1 else f"each of {len(found):,} groups"
    if high == low:
        return f"The {what} is about {wording.value(high)} in {groups}."
    if not tells_apart(section, level):
        return f"The {what} is between {wording.value(low)} and {wording.value(high)} in {groups}."
    return f"The {what} is about {wording.value(high)} in {top}, and about {wording.value(low)} in {bottom}."


def tells_apart(section: Section, level: Fraction) -> bool:
    """Return whether it is known how much of a difference is noise: by intervals, if any has an end, or by sizes."""
    if section.intervals is None:
        return section.judged
    return any(part.ends(level) != (None, None) for part in section.parts)


def usable(section: Section, level: Fraction) -> list[Answers]:
    """Return the groups whose answer at a level is a finding."""
    return [part for part in section.parts if not part.too_small and not part.far(level)]


def beneath(section: Section) -> list[str]:
    """Return what a reader must know of the headline of groups: which groups it is of, and what is noise."""
    level = section.middle
    if not section.grouped or level is None or not section.parts:
        return []
    found, said = usable(section, level), list[str]()
    if len(found) > 2 and tells_apart(section, level):
        said.append(f"These are the largest and the smallest answer of {count_in_words(len(found), 'group')}.")
    if section.too_small:
        said.append(f"{TOO_SMALL.capitalize()}, so that answers are noise: {listed(section.too_small)}.")
    return said


def differences(section: Section) -> tuple[list[str], list[str]]:
    """Return which groups are clearly higher than others, and what that means; nothing where that is not known.

    Where all intervals of a group hold together with a chance c, those of two groups hold with 1 - 2(1 - c) or more,
    and those of k groups with 1 - k(1 - c): the chances to fail add up at most. O(k log k).
    """
    level, intervals = section.middle, section.intervals
    if level is None or intervals is None or not comparable(section):
        return [], []
    parts = usable(section, level)
    ends = {part.group: part.ends(level) for part in parts}
    below = sorted((high, name) for name, (_, high) in ends.items() if high is not None)
    found = [
        (part.group, bisect_left(below, low, key=lambda each: each[0]))
        for part in sorted(parts, key=lambda part: -part.value(level))
        if (low := ends[part.group][0]) is not None
    ]
    higher = [(name, count) for name, count in found if count]
    lines = [
        f"{name}: higher than {listed([each for _, each in below[:count]])}." for name, count in higher[:MOST_COMPARED]
    ]
    miss, count = 1 - intervals.chance, len(parts)
    about = "" if section.cells.basis is not None and section.cells.basis.proved else "about "
    sure = [
        "Two groups clearly differ where their intervals do not overlap.",
        f"Both hold with a chance of {about}{100 - 200 * miss:.4g} % or more.",
    ]
    if count > 2 and count * miss <= HALF:
        sure.append(
            f"Those of all {count:,} groups hold with a chance of {about}{100 - 100 * count * miss:.4g} % or more."
        )
    elif count > 2:
        sure.append(f"Of {count:,} groups, up to {count * miss:.2g} are expected to have an interval that fails.")
    if len(higher) > MOST_COMPARED:
        sure.append(f"{len(higher) - MOST_COMPARED:,} more groups are higher than some other.")
    return lines or ["No two groups clearly differ."], sure


def comparable(section: Section) -> bool:
    """Return whether intervals of several groups hold together, so that groups can be compared."""
    return compares(section.intervals) and section.grouped and len(section.parts) > 1


def compares(intervals: Intervals | None) -> bool:
    """Return whether such intervals can say which groups clearly differ."""
    return intervals is not None and intervals.together and intervals.chance >= SURE


def warnings_of(report: Report, section: Section) -> list[str]:
    """Return warnings about the bounds, about far answers, and about how often answers are far off."""
    said = list(section.cells.unusual)
    if section.grouped:
        return said
    chances = zip(section.cells.plan.quantiles, section.parts[0].chances, strict=False)
    often = [f"{plain(level)} ({100 * far:.0f} of 100)" for level, far in chances if far >= SAID]
    among = f"Among {report.n:,} {report.wording.many}, simulated answers are often far off at {', '.join(often)}."
    return [*said, among] if often else said


def counted(report: Report) -> str:
    """Return whom a quantile is a share of: `the patients`; of rows, where several of one person count."""
    many, words = report.wording.many, report.release.description
    if words.share or words.rule.endswith(COUNTED["weight"]):
        return f"all rows (those of one {report.wording.person} weigh as much as one)"
    if (words.max_rows_per_person or 1) > 1:
        return "the rows that count"
    return f"what counts of the rows of the {many}" if rule_unknown(report.release) else f"the {many}"


def range_of(part: Answers, level: Fraction, *, unit: bool = True) -> str:
    """Return where the true value is: `37 to 40 years`, `at most 26 years`; an end at a bound is left out."""
    if not part.intervals:
        return ""
    wording, (low, high) = part.wording, part.ends(level)
    written = wording.value if unit else wording.number
    if low is None and high is None:
        return "cannot be determined"
    if low is None or high is None:
        return f"at most {written(high)}" if high is not None else f"at least {written(low or 0.0)}"
    return written(low) if low == high else _span(wording, low, high, unit=unit)


def _span(wording: Wording, low: float, high: float, *, unit: bool) -> str:
    """Return two values with one unit: `37 to 40 years`, `€ 900 to 1,200`."""
    start, end, whole = wording.number(low), wording.number(high), wording.value(high)
    if not unit:
        return f"{start} to {end}"
    before = whole.endswith(end) and whole != end
    return f"{wording.value(low)} to {end}" if before else f"{start} to {whole}"


def plain(level: Fraction) -> str:
    """Return a level without its name: `50 %`."""
    return level_name(level).split(" · ")[0]


def about_ranges(report: Report) -> list[str]:
    """Return what the intervals of each column rest on, each sentence once; empty without an answer."""
    words, found = report.wording, dict[str, None]()
    for section in report.sections:
        if section.middle is not None and section.parts:
            basis = section.cells.basis if section.intervals else None
            found |= dict.fromkeys((NO_INTERVALS,) if basis is None else basis.sentences)
            if section.grouped and len(section.parts) > 1 and not comparable(section):
                found[COMPARE] = None
    named = {"records": words.many, "persons": plural_of(words.anyone)}
    return [RECORDS.sub(lambda each: named[each[0]], sentence) for sentence in found]


def whom(report: Report) -> str:
    """Return who is protected: `any one patient, with all their rows`."""
    if report.right == HUNDRED:
        return "hardly anyone"
    return f"any one {report.wording.anyone}{', with all their rows' if report.wording.person else ''}"


def privacy_line(report: Report) -> str:
    """Return how well one person is protected, in one line."""
    if report.right == HUNDRED:
        return f"Hardly anyone is protected: the budget is too large ({report.privacy})."
    might = "A release would protect" if report.simulated else "Protected:"
    return f"{might} {whom(report)}. {guesses(report)}"


def guesses(report: Report) -> str:
    """Return how often a guess about one person is right."""
    return guesses_in_words(report.privacy, report.release.plan.adjacency, report.wording.anyone)


def does_not_mean(report: Report) -> tuple[str, str]:
    """Return the two worst misreadings, of the answers and of the protection: each begins with `That`."""
    one, many = report.wording.anyone, report.wording.many
    population = any(each.intervals is not None and each.intervals.of == "population" for each in report.sections)
    others = "" if population else f" They describe the {many} in these data, and no others."
    exact = f"That any number here is exact, or any individual's value: every answer has noise in it.{others}"
    if report.right == HUNDRED:
        return exact, "That anyone is protected."
    return exact, (
        f"That nothing can be learned about one {one}: what is true of everyone is also true of those who are not in "
        f"the data. The release limits how much the data of one {one} can reveal beyond that."
    )


def protected(report: Report) -> str:
    """Return whom the promise covers, and what it hides."""
    one, might = report.wording.anyone, "A release would keep" if report.simulated else "The answers keep"
    if report.right == HUNDRED:
        return f"With a budget this large, almost nothing about any one {one} is sure to stay hidden."
    rows = ", with all their rows," if report.wording.person else ""
    hidden = f"whether any one {one}{rows} is in the data"
    if report.release.plan.adjacency is Adjacency.REPLACE_ONE:
        values = "the rows of any one {one} say" if report.wording.person else "the value of any one {one} is"
        hidden = f"what {values.format(one=one)}"
    counts = f" What counts: {report.release.description.rule}." if report.release.description.rule else ""
    return f"{might} it uncertain {hidden}, even for someone who knows all the others.{counts}"


def chance(report: Report) -> str:
    """Return what the odds mean, and what they do not mean."""
    many = plural_of(report.wording.anyone) if report.wording.person else report.wording.many
    before = "where both possibilities are equally likely before the answers are seen"
    return f"This is an average over many guesses, {before}. It is not a share of the {many}."


def bound(records: int, n: int) -> str:
    """Return an error bound in ranks: `within 17 ranks of 1,000`; `under 1 rank` where no simulated run erred."""
    most = min(two_digits_up(records), n)
    return f"within {count_in_words(most, 'rank')} of {n:,}" if most else f"under 1 rank of {n:,}"


def accuracy(report: Report) -> list[str]:
    """Return how far answers of one column are off in rank, on a public example and proved; or why it is not known."""
    many, n, found = report.wording.many, report.n, report.error_bound
    if report.only is None:
        return []
    if report.only.cells.find_bounds is not None:
        return ["The bounds were found in the data, for a part of the budget. Values may be beyond them."]
    if rule_unknown(report.release):
        one = report.wording.anyone
        return [f"This release does not record what counts of the rows of one {one}, so its errors are not known."]
    if found is None:
        return ["This mechanism gives no answer on a public example of this size, so its errors are not known."]
    mean, worst = (error_in_words(each, "rank", "ranks") for each in (found.mean, found.worst))
    most = min(two_digits_up(found.bound), n)
    far = f"is off by at most {count_in_words(most, 'rank')}" if most else "has the right rank"
    line = f"{n:,} {many} ranked from the lowest value to the highest"
    start = f"With the {line}," if report.counted else f"If there are about {line}, then"
    even = "between the bounds" if report.only.cells.domain.has_even_steps else "over all possible values"
    said = [
        f"{start} in {OF_HUNDRED} of 100 runs every answer {far}.",
        f"{MEAN_RANK_ERROR.capitalize()}, over all answers and runs: {mean}. "
        f"{WORST_RANK_ERROR.capitalize()}, of a run's farthest answer, over all runs: {worst}.",
        f"A run draws all answers once, from a public example: {many} that are made up and spread evenly {even}. Other "
        "data can have larger errors.",
    ]
    if found.proved is not None and found.proved <= USEFUL * n:
        said.append(
            f"For any data of {n:,} {many}, it is proved that in at least {OF_HUNDRED} of 100 runs every answer is "
            f"{bound(found.proved, n)} ({found.source})."
        )
    return said


def again(report: Report) -> str:
    """Return what one more draw would cost, and reveal."""
    cost = f"A second draw of the same plan would cost as much again ({report.privacy})"
    if not report.simulated and not report.allows_again:
        return f"{cost}, and on {report.made} the budget did not allow it."
    return (
        f"{cost}. Someone guessing about a given {report.wording.anyone} would then be right at most "
        f"{right_of_hundred(report.privacy, draws=2)} times in {HUNDRED} instead of {report.right}."
    )


def label(report: Report) -> dict[str, str]:
    """Return the privacy label, row by row."""
    release, simulated = report.release, report.simulated
    hides, might = (
        report.release.plan.adjacency.of(report.wording.protected),
        "a release would hide" if simulated else "is hidden",
    )
    groups = max((len(section.parts) for section in report.sections if section.grouped), default=0)
    about = "" if report.counted else "about "
    ranged = report.only is not None and (report.error_bound or report.only.intervals)
    rows = {
        "What this is": "Simulation, not private" if simulated else "Release, private answers only",
        "Who is protected": "nobody" if simulated else whom(report),
        f"What {might}": f"{'whether' if 'joins' in hides else 'that'} {hides}",
        "What counts": report.release.description.rule,
        "Budget of these answers": f"{report.privacy}; smaller protects more",
        "Data set": release.account,
        "Budget left": report.left and f"{report.left}, on {report.made}",
        "Columns": f"{len(report.sections):,}" if len(report.sections) > 1 else "",
        "Groups": f"{groups:,}" if groups else "",
        "Mechanism": ", ".join(dict.fromkeys(MECHANISMS[key].LABEL for key in release.mechanisms.values())),
        "Noise": "repeatable, for demonstration" if simulated else "drawn from the operating system",
        "Errors worked out for": f"{about}{report.n:,} {report.wording.many}" if ranged else "",
        "Released on": "" if simulated else release.made[:10],
        "Release id": release.id,
        "Report made on": f"{report.made}, with dpq {release.version}",
    }
    return {name: text for name, text in rows.items() if text}
