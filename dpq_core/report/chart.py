"""The chart of a report: rows of answers over one axis, as places from 0 to 100 %. The browser sets all text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..figures.axes import Axis, axis_of
from ..frame import level_name
from ..results.answers import Answers, Ends
from ..results.wording import spoken_level
from .facts import Section
from .sentences import plain, range_of

MOST_LEVELS, MOST_OF_SEVERAL = 11, 5
"""Answers of a column that are drawn; of more, some evenly chosen ones."""
MOST_GROUPS = 60
BEYOND = "-.8em"
"""Where a bar without an end goes: beyond the axis."""


@dataclass(frozen=True)
class Mark:
    """A line from one end of an interval to the other, or a dot at an answer, as places of a style sheet."""

    kind: str
    """`bar` and `point` of the middle level or of a level's own row, `line` and `dot` of the other levels."""
    style: str


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row: of a level, or of a group with all its levels."""

    name: str
    number: str
    range: str
    marks: tuple[Mark, ...]
    look: str = ""
    """`strong`, or `faint` for noise."""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """The answers of a column over one axis."""

    axis: Axis
    title: str
    """Of the axis: the column with its unit."""
    heads: tuple[str, str, str]
    rows: tuple[Row, ...]
    how: str
    """How to read it, and how much it leaves out."""
    whole: bool
    """Whether its rows have every number of the table."""

    @property
    def alt(self) -> str:
        """Return the chart in words."""
        told = ", ".join(f"{row.name} {row.number}" for row in self.rows)
        return f"{self.title}, {self.heads[1]}: {told}."


def chart_of(section: Section, *, several: bool) -> Chart:
    """Return the chart of a column: a row for each level, or for each group. `several`: one column of several."""
    levels = chosen(section.levels, MOST_OF_SEVERAL if several and not section.grouped else MOST_LEVELS)
    parts, wording = section.parts[:MOST_GROUPS], section.wording
    drawn = [part for part in parts if not part.too_small] or parts
    near = [(part, level) for part in drawn for level in levels if not part.far(level)]
    domain, whole = section.cells.domain, replace(wording, decimals=0)
    axis = axis_of(
        [end for part, level in near for end in (part.value(level), *part.ends(level)) if end is not None],
        (float(domain.lower), float(domain.upper)),
        lambda tick: (whole if float(tick).is_integer() else wording).number(tick),
        least=0.0 if wording.kind == "date" else 10.0**-wording.decimals, wide=not domain.has_even_steps,
    )  # fmt: skip
    middle = section.middle
    assert middle is not None, "a chart has answers"
    sure = section.percent and f"{section.percent} interval"
    if section.grouped:
        rows = [_of_group(section, part, levels, axis) for part in parts]
        spoken = spoken_level(middle)
        heads = ("Group", f"{spoken[:1].upper()}{spoken[1:]}{wording.in_unit}", sure)
    else:
        rows = [_of_level(section, level, axis) for level in levels]
        heads = ("Share at or below", f"Answer{wording.in_unit}", sure)
    return Chart(
        axis=axis, title=wording.axis, heads=heads, rows=tuple(rows), how=_how(section, levels, len(parts)),
        whole=len(rows) == len(section.parts) * len(section.levels),
    )  # fmt: skip


def chosen(levels: Sequence[Fraction], most: int = MOST_LEVELS) -> list[Fraction]:
    """Return at most `most` of the levels in order, evenly chosen, both ends and the middle among them."""
    ordered = sorted(set(levels))
    if len(ordered) <= most:
        return ordered
    found = [round(at * (len(ordered) - 1) / (most - 1)) for at in range(most)]
    middle = min(range(len(ordered)), key=lambda at: abs(ordered[at] - Fraction(1, 2)))
    found[min(range(1, most - 1), key=lambda at: (abs(found[at] - middle), -at))] = middle
    return [ordered[at] for at in found]


def _of_level(section: Section, level: Fraction, axis: Axis) -> Row:
    (part,) = section.parts
    return Row(
        name=level_name(level), number=section.wording.number(part.value(level)),
        range="not usable" if part.far(level) else range_of(part, level, unit=False),
        marks=_marks(part, level, axis, "bar", "point"),
        look="faint" if part.far(level) else "strong" if level == section.middle else "",
    )  # fmt: skip


def _of_group(section: Section, part: Answers, levels: Sequence[Fraction], axis: Axis) -> Row:
    middle = section.middle
    assert middle is not None, "a chart has answers"
    others = [_marks(part, level, axis, "line", "dot") for level in levels if level != middle]
    marks = sorted((mark for each in others for mark in each), key=lambda mark: mark.kind, reverse=True)
    noise = "too small" if part.too_small else "not usable" if part.far(middle) else ""
    number = section.wording.number(part.value(middle))
    return Row(
        name=part.group, number=number, range=noise or range_of(part, middle, unit=False),
        marks=(*marks, *_marks(part, middle, axis, "bar", "point")), look="faint" if noise else "",
    )  # fmt: skip


def _marks(part: Answers, level: Fraction, axis: Axis, line: str, dot: str) -> tuple[Mark, ...]:
    """Return the marks of an answer. What is beyond the axis is not drawn: noise moves no axis."""
    value = part.value(level)
    if not axis.low <= value <= axis.high:
        return ()
    point = Mark(dot, f"left:{100 * axis.share(value):.4g}%")
    return (Mark(line, _between(part.ends(level), axis)), point) if part.intervals and not part.far(level) else (point,)


def _between(ends: Ends, axis: Axis) -> str:
    low, high = (None if end is None else axis.share(end) for end in ends)
    left = BEYOND if low is None else f"{100 * low:.4g}%"
    right = BEYOND if high is None else f"{100 - 100 * high:.4g}%"
    return f"left:{left};right:{right}"


def _how(section: Section, levels: Sequence[Fraction], groups: int) -> str:
    """Return how to read the chart, and how much of the answers it leaves out."""
    sure, middle = section.percent, section.middle
    assert middle is not None, "a chart has answers"
    others = [plain(level) for level in levels if level != middle]
    if section.grouped:
        said = [f"A diamond is the {spoken_level(middle)} of a group."]
        said += [f"The dots are its other quantiles ({', '.join(others)})."] if others else []
        said += [f"The bar and the lines are their {sure} intervals."] if sure else []
        said += ["Groups in grey are too small for this budget: their answers are noise."] if section.too_small else []
        said += (
            [f"{groups:,} of {len(section.parts):,} groups are shown; the table lists more."]
            if groups < len(section.parts)
            else []
        )
    else:
        said = ["A diamond is an answer."]
        said += [f"A bar is its {sure} interval."] if sure else []
    if len(levels) < len(section.levels):
        where = "the table lists more" if section.grouped else "on a screen the table has all"
        said.append(f"{len(levels):,} of {len(section.levels):,} quantiles are shown; {where}.")
    return " ".join(said)
