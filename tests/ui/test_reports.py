"""Reports as approved pages, and what holds of every report: whole, small, names as text, and nobody ranks noise.

`APPROVE=1` writes the pages in `approved` anew, and whoever reviews a change reads their difference. Each has
the whole sheet of a usual release, and of each other report what it takes away (`del`) and adds (`ins`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from fractions import Fraction
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Adjacency, Domain, FindBounds, Plan, PureDP, Sample, release
from dpq_core.intervals.drawn import Basis, sentences_of
from dpq_core.plan import Intervals
from dpq_core.privacy.budgets import Guarantee
from dpq_core.release import Cells
from dpq_core.report import several
from dpq_core.report.charts import MOST_ROWS, answer_chart, chosen
from dpq_core.report.facts import ReportFacts
from dpq_core.report.findings import range_of
from dpq_core.report.html import document, sheet
from dpq_core.report.sentences import headlines
from dpq_core.report.several import ranked_chart
from dpq_core.report.tables import OfGroups, TableFacts, of_columns, of_groups
from dpq_core.report.words import bound
from dpq_core.results import error_bound
from dpq_core.results.error_bound import error_bound_of, presets
from dpq_core.results.groups.sizes import GroupSizes, rounded_down
from dpq_core.results.wording import Wording

APPROVED = Path(__file__).parent / "approved"
AGES, INCOMES = Domain(0, 120, 1), Domain(0, 100_000, 100)
QUARTILES, DECILES = Plan(["1/4", "1/2", "3/4"]), Plan([Fraction(k, 10) for k in range(1, 10)])
NOTE = "12 of 99 levels were drawn; the others lie between them, because the records are too few for more."
EVIL = '<script>alert("x")</script>'


@pytest.fixture(autouse=True, scope="module")
def few_runs() -> Iterator[None]:
    """Simulate errors with few runs: which they are is asked in tests/results, here only how they are told."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(error_bound, "TRIALS", 16)
        error_bound_of.cache_clear()
        yield
    error_bound_of.cache_clear()


def facts(plan: Plan = DECILES, n: int = 5000, **changes: Any) -> ReportFacts:
    answers = replace(plan, intervals=None, about_n=None)
    values = tuple(float(20 + at // 2) for at in range(len(plan.quantiles)))
    if plan.intervals is None:
        plan = replace(answers, intervals=Intervals(0.95), about_n=n)
    assert plan.intervals is not None
    ends = [(0.0, *(value - 1 for value in values[1:])), (*(value + 1 for value in values[:-1]), 120.0)]
    answer = ReportFacts(
        title="Age",
        about="patients · release · 2026-01-31",
        wording=wording("age"),
        plan=plan,
        domain=AGES,
        values=values,
        intervals=tuple(zip(*ends, strict=True)) if values else (),
        basis=Basis(False, sentences_of(plan.intervals, False, n=n)),
        simulated=False,
        privacy=plan.privacy,
        account="patients",
        release_id="a" * 32,
        left="ε = 2 left",
        allows_again=True,
        released="2026-01-31",
        made="2026-02-01",
        version="0",
        n=n,
        counted=False,
        error_bound=error_bound_of(answers, AGES, n),
        presets=presets(answers, AGES, n),
    )
    return replace(answer, **changes)


def wording(name: str, kind: str = "number", unit: str = "years", one: str = "patient", **more: Any) -> Wording:
    return Wording(name, kind, unit, one, f"{one}s", 0, **more)


NO_ERRORS: dict[str, Any] = {"error_bound": None, "presets": {}, "intervals": (), "basis": None}
TWO: dict[str, Any] = {"plan": Plan(["1/4", "1/2"]), "values": (21.0, 38.0), "intervals": ((0.0, 22.0), (37.0, 40.0))}
FIVE = Plan([Fraction(share, 100) for share in (5, 25, 50, 75, 95)])
USUAL: dict[str, Any] = {"values": (18.0, 27.0, 41.0, 55.0, 74.0), "intervals": ()}
ONE_OF: dict[str, dict[str, Any]] = {
    "usual": {},
    "of a simulation": {"simulated": True, "account": "", "left": "", "released": "", "release_id": ""},
    "of records that were counted": {"counted": True},
    "with a note": {"notes": (NOTE,)},
    "without intervals and with a note": {"notes": (NOTE,), "basis": None, "intervals": ()},
    "where the budget allows no other": {"allows_again": False},
    "of a replaced person": {"plan": Plan(DECILES.quantiles, "aq", PureDP(1.0), Adjacency.SUBSTITUTE)},
    "of few records": {"n": 1000},
    "of many records": {"n": 100_000},
    "of a budget that protects nobody": {"privacy": PureDP(100.0)},
    "of unknown errors": NO_ERRORS,
    "of bounds that were found": NO_ERRORS | {"bounds_found": True},
    "of an unknown rule": NO_ERRORS | {"rule_unknown": True},
    "of two levels": TWO,
    "of extreme levels": TWO | {"plan": Plan(["0", "1"])},
    "of levels on both sides of the median": TWO | {"plan": Plan(["1/5", "9/10"])},
    "of no level": {"plan": Plan([])},
    "of dates": TWO | {"wording": wording("Aufnahme", "date", "days")},
    "of money": TWO | {"wording": wording("GPA", "money", "€", "visit", person="patient")},
    "of a name that says its unit": TWO | {"wording": wording("days", unit="days")},
    "of rows of people": TWO | {
        "wording": wording("age", person="patient"), "of_rows": True,
        "rule": "each patient counts once, by all of their rows, which together weigh as much as one",
    },
    "of a level between its bounds": {"plan": Plan(["1/2"]), "values": (38.0,), "intervals": ((0.0, 120.0),)},
    "of intervals for a population": {
        "plan": Plan(["1/2"], intervals=Intervals(0.95, of="population"), about_n=5000), "values": (38.0,),
    },
    "at the highest value": {"values": (120.0,) * 9, "intervals": ()},
    "at the lowest value": {"values": (0.0,) * 9, "intervals": ()},
    "of one level at the highest value": {"plan": Plan(["1/4"]), "values": (120.0,), "intervals": ()},
    "of an answer far beyond": {
        "plan": FIVE, "values": (-5.6e13, 27.0, 41.0, 55.0, 74.0), "domain": Domain.significant(2), "intervals": (),
    },
    "of answers that are often far off": USUAL | {"plan": FIVE, "chances": (0.42, 0.0, 0.01, 0.009, 0.9)},
    "of answers that are mostly far off": USUAL | {"plan": FIVE, "chances": (0.9, 0.8, 0.6, 0.8, 0.9)},
    "of more levels than a page shows": {"plan": Plan([Fraction(k, 21) for k in range(1, 21)])},
}  # fmt: skip
"""Reports of one answer, and in what they differ from the usual one."""

EUROS = Wording("Income", "money", "€", "person", "people", 0)
COMMON: dict[str, Any] = {
    "title": "Income by group", "about": "towns · release · 2026-01-31", "account": "towns", "made": "2026-02-01",
    "release_id": "a" * 32, "left": "ε = 1 left", "released": "2026-01-31", "version": "0",
}  # fmt: skip
TOWNS = ("Oslo", "Bergen", "Hamar")
THOUSAND = OfGroups(sizes=GroupSizes(1000))
SMALL = OfGroups(sizes=GroupSizes(1000, (("Hamar", 10),)))
"""By 1,000 people for all, its noise was "most likely highest"."""


def grouped(*medians: float, names: tuple[str, ...] = TOWNS, plan: Plan = QUARTILES) -> Cells:
    """A release as a mechanism could have made it."""
    by = [20_000 * (float(level) - 0.5) for level in plan.quantiles]
    values = tuple(tuple(middle + each for each in by) for _, middle in zip(names, medians, strict=False))
    spent = Guarantee(epsilon=1.0, delta=0.0, rho=None, adjacency=plan.adjacency, exact=True)
    return Cells(groups=names[: len(values)], values=values, guarantee=spent, plan=plan, domain=INCOMES)


def with_intervals(found: Cells) -> Cells:
    """The same as if it had been asked with intervals."""
    plan = replace(found.plan, intervals=Intervals(0.95), about_n=300)
    assert plan.intervals is not None
    ends = tuple(tuple((value - 900, value + 900) for value in values) for values in found.values)
    return replace(found, plan=plan, intervals=ends, basis=Basis(False, sentences_of(plan.intervals, False, n=300)))


def of_towns(*medians: float, known: OfGroups | None = THOUSAND, **more: Any) -> TableFacts:
    return of_groups(grouped(*medians, **more), EUROS, known, **COMMON)


def many_towns(known: OfGroups = THOUSAND, count: int = 60) -> TableFacts:
    names = tuple(f"town {at:02d}" for at in range(count))
    return of_towns(*range(20_000, 20_000 + 1000 * count, 1000), names=names, known=known)


def columns(most_rows: int | None = 1, note: str = "", levels: int = 3, n: int = 3000) -> TableFacts:
    rng = np.random.default_rng(0)
    domains = {"age": AGES, "admitted": Domain(15_000, 21_000, 1)}
    samples = {
        "age": Sample.from_values(rng.integers(18, 90, 3000), domains["age"]),
        "admitted": Sample.from_values(rng.integers(18_000, 20_000, 3000), domains["admitted"]),
    }
    plan = Plan([Fraction(k, levels + 1) for k in range(1, levels + 1)], privacy=ZCDP(0.5))
    drawn = release(samples, plan)
    ages, days = (tuple(float(x) for x in np.linspace(*ends, levels).round()) for ends in ((36, 72), (18_500, 19_500)))
    told = replace(drawn["age"], values=(ages,)), replace(drawn["admitted"], values=(days,), notes=(note,) * bool(note))
    words = {name: Wording(name, kind, unit, "person", "people", 0) for name, kind, unit in (
        ("age", "number", "years"), ("admitted", "date", ""))}  # fmt: skip
    whole = Wording("2 columns", many="people")
    return of_columns(replace(drawn, cells=told), words, n, most_rows, wording=whole, **COMMON)


APART = (30_000, 50_000, 70_000)
SEVERAL: dict[str, Callable[[], TableFacts]] = {
    "usual": lambda: of_towns(*APART),
    "of groups with intervals": lambda: of_groups(with_intervals(grouped(*APART)), EUROS, THOUSAND, **COMMON),
    "of one group": lambda: of_towns(50_000),
    "of no group": lambda: of_towns(),
    "of groups without levels": lambda: of_towns(1, plan=Plan([])),
    "of deciles of groups": lambda: of_towns(30_000, 50_000, plan=DECILES),
    "of groups at a bound": lambda: of_groups(
        replace(grouped(*APART), values=(*grouped(*APART).values[:2], (100_000.0,) * 3)), EUROS, THOUSAND, **COMMON
    ),
    "of a group too small": lambda: of_towns(30_000, 50_000, 95_000, known=SMALL),
    "of groups all too small": lambda: of_towns(*APART, known=OfGroups(sizes=GroupSizes(10))),
    "of groups of nothing known": lambda: of_towns(*APART, known=None),
    "of groups whose names were found": lambda: of_towns(*APART, known=OfGroups(finding=0.1, sizes=GroupSizes(10))),
    "of groups whose bounds were found": lambda: of_groups(
        replace(grouped(*APART), find_bounds=FindBounds()), EUROS, THOUSAND, **COMMON
    ),
    "of more groups than a page shows": lambda: many_towns(count=40),
    "of columns": columns,
    "of columns with a note": lambda: columns(note=NOTE),
    "of columns of unknown rows": lambda: columns(None),
    "of columns of few people": lambda: columns(n=12),
    "of columns of few people with several rows": lambda: columns(2, n=12),
    "of columns of more levels than a chart shows": lambda: columns(levels=12),
}  # fmt: skip


def blocks(html: str) -> list[str]:
    """The blocks of a sheet, one a line, without the places of marks."""
    html = re.sub(r'<style>.*?</style>| style="[^"]*"', "", html, flags=re.DOTALL)
    return re.sub(r"(?=<(?:p|div|h\d|table|tr|details|section|ul|li)\b)", "\n", html).strip().split("\n")


def texts_of(html: str) -> list[str]:
    """The texts of a chart, one for each field."""
    return [unescape(text) for text in re.findall(r"<(?:span|div)[^>]*>([^<]+)<", html)]


def difference(usual: list[str], other: list[str]) -> list[str]:
    """What one report takes away from the usual one, and what it adds."""
    found = []
    for kind, at, end, low, high in SequenceMatcher(None, usual, other, autojunk=False).get_opcodes():
        if kind != "equal":
            found += [f"<del>{each}</del>" for each in usual[at:end]] + [
                f"<ins>{each}</ins>" for each in other[low:high]
            ]
    return found


def approved(name: str) -> dict[str, list[str]]:
    """The reports of an approved page by their headings."""
    file = APPROVED / f"{name}.html"
    parts = file.read_text(encoding="utf-8").strip().split("\n\n<h2>")[1:] if file.exists() else []
    lines = (part.split("\n") for part in parts)
    return {title.removesuffix("</h2>"): rest for title, *rest in lines}


def check_approved(name: str, kinds: Iterable[str], kind: str, lines_of: Callable[[str], list[str]]) -> None:
    """Compare a report with what a person has read under its heading; `kinds`: all headings of that page."""
    page, usual = approved(name), next(iter(kinds))
    lines = lines_of(kind) if kind == usual else difference(lines_of(usual), lines_of(kind))
    if os.environ.get("APPROVE"):
        page = {each: page.get(each, []) for each in kinds} | {kind: lines}
        parts = ("\n".join([f"<h2>{title}</h2>", *rest]) for title, rest in page.items())
        APPROVED.mkdir(exist_ok=True)
        (APPROVED / f"{name}.html").write_text("\n\n".join(['<meta charset="utf-8">', *parts, ""]), encoding="utf-8")
    assert list(page) == [*kinds]
    assert lines == page[kind], "APPROVE=1 writes what is new into the page"


@cache
def lines_of_one(kind: str) -> list[str]:
    found = facts(**ONE_OF[kind])
    return blocks(sheet(found))


@cache
def lines_of_several(kind: str) -> list[str]:
    table = SEVERAL[kind]()
    return blocks(several.sheet(table))


@pytest.mark.parametrize("kind", ONE_OF)
def test_a_report_of_one_answer_is_as_approved(kind: str) -> None:
    check_approved("report_of_one_answer", ONE_OF, kind, lines_of_one)


@pytest.mark.parametrize("kind", SEVERAL)
def test_a_report_of_several_answers_is_as_approved(kind: str) -> None:
    check_approved("report_of_several_answers", SEVERAL, kind, lines_of_several)


class Balanced(HTMLParser):
    """Complains of a tag that is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in {"meta", "img", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def text_of(html: str) -> str:
    html = re.sub(r"</?span[^>]*>", "", html)  # inside a word
    return unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)))


EVERY_FILE: dict[str, Callable[[], str]] = {
    "one answer": lambda: document(
        facts(title=EVIL, account=EVIL, wording=Wording(EVIL, "number", EVIL, EVIL, EVIL, 0))
    ),
    "groups": lambda: several.document(of_towns(30_000, 50_000, names=(EVIL, "Oslo"))),
    "columns": lambda: several.document(columns()),
}


@pytest.mark.parametrize("kind", EVERY_FILE)
def test_a_file_is_whole_small_asks_no_other_machine_and_holds_names_as_text(kind: str) -> None:
    page = EVERY_FILE[kind]()
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert len(page.encode()) < 100_000
    assert re.findall("src=|href=|url[(]|<script|http", page) == []
    assert 'class="dpq-point"' in page
    assert "a" * 32 in page
    assert "Release, private answers only" in page


def test_errors_are_ranks_and_no_percents_that_read_as_values() -> None:
    """39 of 1,000 is no 3.9 % of the euros."""
    found = facts(DECILES, 1000, wording=Wording("income", "money", "€", "person", "people", 2))
    shares = re.findall(r"([\d.]+) %", text_of(sheet(found)).replace("\xa0", " "))
    assert set(shares) == {f"{10 * k}" for k in range(1, 10)} | {"95"}, "asked shares, and how sure the range is"


def test_every_level_has_a_range_open_at_the_bounds() -> None:
    found = facts(DECILES, 1000)
    said = {level: range_of(found, level, unit=False) for level in DECILES.quantiles}
    assert (said[Fraction(1, 10)], said[Fraction(1, 2)], said[Fraction(9, 10)]) == (
        "at most 21",
        "21 to 23",
        "at least 23",
    )
    assert all(re.fullmatch(r"\d+ to \d+|\d+|at (most|least) \d+", text) for text in said.values())
    assert range_of(facts(**ONE_OF["of a level between its bounds"]), Fraction(1, 2)) == "cannot be determined"


def test_an_answer_far_beyond_all_others_is_grey_and_stretches_no_axis() -> None:
    """-5.6e13 was an age in chart, codebook and report."""
    chart = answer_chart(facts(**ONE_OF["of an answer far beyond"]))
    assert roles(chart) == ["private"] * 4
    assert texts_of(chart).count("not usable") == 1
    places = [float(place) for place in re.findall(r'dpq-point" style="left:([\d.]+)%', chart)]
    assert places[1] - places[0] > 10, "the others fill the axis"


@pytest.mark.parametrize("count", [12, 20, 24, 33, 100])
def test_a_long_answer_is_cut_for_one_page_and_keeps_its_middle(count: int) -> None:
    found = facts(Plan([Fraction(k, count + 1) for k in range(1, count + 1)]), error_bound=None, presets={})
    levels = chosen(found.plan.quantiles)
    assert (len(set(levels)), levels[0], levels[-1]) == (MOST_ROWS, Fraction(1, count + 1), Fraction(count, count + 1))
    assert found.middle in levels == sorted(levels)
    assert len(roles(answer_chart(found))) == MOST_ROWS


@pytest.mark.parametrize(
    ("records", "n", "said"),
    [
        (17, 1000, "within 17 ranks of 1,000"), (121, 1001, "within 130 ranks of 1,001"),
        (1201, 9000, "within 1,300 ranks of 9,000"), (995, 1000, "within 1,000 ranks of 1,000"),
        (991, 995, "within 995 ranks of 995"), (9, 9, "within 9 ranks of 9"), (0, 1000, "under 1 rank of 1,000"),
    ],
)  # fmt: skip
def test_bounds_have_two_digits_are_rounded_up_and_never_exceed_everybody(records: int, n: int, said: str) -> None:
    assert bound(records, n) == said


@pytest.mark.parametrize("kind", ["with intervals", "of nothing known", "whose names were found"])
def test_groups_are_in_no_order_and_unjudged_without_what_they_had_of_the_budget(kind: str) -> None:
    """Names take a part of the budget, and ends of intervals are levels, too."""
    table = SEVERAL[f"of groups {kind}"]()
    chart = ranked_chart(table)
    assert [text for text in texts_of(chart) if text in TOWNS] == sorted(TOWNS), "by name, not by answer"
    assert ("dpq-bar" in chart) is (kind == "with intervals")
    assert table.too_small == []
    assert "no two are compared" in headlines(table)[0]


def test_a_group_too_small_is_grey_and_in_no_headline_and_no_order() -> None:
    """Its noise is higher than every other answer."""
    small = of_towns(30_000, 50_000, 95_000, known=SMALL)
    assert headlines(small)[0].endswith("Too small for this budget: Hamar.")
    (part,) = (part for part in small.parts if part.title == "Hamar")
    assert (part.too_small, part.intervals) == (True, ())
    assert roles(ranked_chart(of_towns(30_000, 50_000, 45_000, known=SMALL))) == ["private", "private", "faint"]
    none = of_towns(*APART, known=OfGroups(sizes=GroupSizes(10)))
    assert {*roles(ranked_chart(none))} == {"faint"}


def roles(chart: str) -> list[str]:
    """Whether each answer that is drawn is noise."""
    rows = [row for row in re.findall(r'class="dpq-row[^"]*">.*?</div></div>', chart) if "dpq-point" in row]
    return ["faint" if "dpq-faint" in row else "private" for row in rows]


@pytest.mark.parametrize(
    ("size", "taken"), [(1, 1), (9, 8), (10, 10), (14, 12), (199, 150), (1000, 1000), (99_999, 80_000)]
)
def test_sizes_are_rounded_down_to_ten_in_a_decade(size: int, taken: int) -> None:
    assert rounded_down(size) == taken
