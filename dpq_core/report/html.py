"""The report as one sheet of HTML: the same on the screen, in the file and on paper."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from ..far_answers import NOT_USABLE
from ..frame import level_name
from ..results.answers import Answers
from ..results.odds import HUNDRED, right_of_hundred
from . import sentences
from .chart import chart_of, chosen
from .facts import Report, Section

HERE = Path(__file__).parent
STYLE = (HERE / "style.css").read_text(encoding="utf-8")
"""How the sheet looks, wherever it is shown."""
MOST_LEVELS, MOST_OF_GROUPS, MOST_GROUPS = 99, 9, 200
"""Rows of a table of levels; columns and rows of one of groups."""
COIN = 50
"""Right guesses of a hundred by tossing a coin."""
PRESET_WORDS = {
    "strict": "Strict: little can be learned about anyone",
    "balanced": "Balanced: the usual choice",
    "loose": "Loose: for data that is hardly sensitive",
}
WHOLE = re.compile(r"(\d{4}-\d\d-\d\d|\d[\d.]* %)")
"""Dates and percents: no line ends inside one."""


@cache
def _template() -> Template:
    found = Environment(loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    found.lstrip_blocks = True
    found.filters["pieces"] = _pieces
    return found.get_template("sheet.html")


def as_html(report: Report, *, alone: bool = True) -> str:
    """Return the report as a file that needs nothing else: no script, no font, no other machine.

    Not `alone`: as a piece of HTML for a page that has STYLE.
    """
    right = min(max(report.right, COIN), HUNDRED)
    return _template().render(
        report=report, alone=alone, style=STYLE, say=sentences, chart_of=chart_of, table_of=table_of,
        choices=choices(report), hundred=HUNDRED, coin=COIN, place=f"{100 * (right - COIN) / (HUNDRED - COIN):.4g}%",
    )  # fmt: skip


def _pieces(sentence: str) -> list[str]:
    """Return a sentence in pieces, every second of which no line may end in; nor before a dot between two names."""
    return WHOLE.split(sentence.replace(" · ", "\N{NO-BREAK SPACE}· "))


Table = tuple[list[str], list[list[str]], str]
"""Heads, rows of texts, and how much is left out."""


def table_of(section: Section) -> Table:
    """Return the answers of a column in numbers: a row for each level, or for each group."""
    return _of_groups(section) if section.grouped else _of_levels(section)


def _of_levels(section: Section) -> Table:
    wording, levels = section.wording, chosen(section.levels, MOST_LEVELS)
    heads, rows = ["Share at or below", f"Private answer{wording.in_unit}"], []
    if section.percent:
        heads.append(f"The true value, {section.percent}{wording.in_unit}")
    for level in levels:
        (part,) = section.parts
        noise = f" ({NOT_USABLE})" if part.far(level) else ""
        true = [sentences.range_of(part, level, unit=False)] if section.percent else []
        rows.append([level_name(level), wording.number(part.value(level)) + noise, *true])
    return (heads, rows, _left_out(len(levels), len(section.levels), "quantiles"))


def _of_groups(section: Section) -> Table:
    wording, levels, middle = section.wording, chosen(section.levels, MOST_OF_GROUPS), section.middle
    assert middle is not None, "a table has answers"
    known = bool(section.percent or section.too_small)
    last = [f"{sentences.plain(middle)}{section.percent and f', {section.percent} interval'}"] if known else []

    def row(part: Answers) -> list[str]:
        noise = "too small" if part.too_small else NOT_USABLE if part.far(middle) else ""
        numbers = [wording.number(part.value(level)) for level in levels]
        return [part.group, *numbers, *([noise or sentences.range_of(part, middle, unit=False)] if known else [])]

    groups = _left_out(min(len(section.parts), MOST_GROUPS), len(section.parts), "groups")
    left_out = f"{groups} {_left_out(len(levels), len(section.levels), 'quantiles of each group')}".strip()
    heads = ["Group", *(f"{sentences.plain(level)}{wording.in_unit}" for level in levels), *last]
    return heads, [row(part) for part in section.parts[:MOST_GROUPS]], left_out


def _left_out(shown: int, of: int, what: str) -> str:
    return f"{shown:,} of {of:,} {what} are shown; the CSV file has all." if shown < of else ""


def choices(report: Report) -> list[Mapping[str, Any]]:
    """Return three budgets: how well each protects, and what accuracy it leaves."""
    return [
        {
            "name": PRESET_WORDS[name],
            "right": None if found is None else right_of_hundred(found.privacy),
            "own": found is not None and found.privacy == report.privacy,
            "error": "" if found is None else sentences.bound(found.bound, report.n),
        }
        for name, found in report.presets.items()
    ]
