"""Reports as approved pages, and what holds of every report: whole, small, names as text, and nobody ranks noise.

`APPROVE=1` writes the page in `approved` anew, and whoever reviews a change reads its difference. It has the whole
sheet of the first report of each shape, and of each other one what it takes away from that (`del`) and adds (`ins`).
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from fractions import Fraction
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from dpq_core import Adjacency, Domain, FindBounds, PureDP
from dpq_core.columns_plan import ColumnsPlan
from dpq_core.groups.names import GroupName
from dpq_core.intervals.drawn import Basis, sentences_of
from dpq_core.plan import Intervals
from dpq_core.privacy.budgets import Guarantee
from dpq_core.release import Cells, ColumnWords, Description, Release
from dpq_core.report import facts, sentences
from dpq_core.report.chart import MOST_LEVELS, chart_of, chosen
from dpq_core.report.facts import Report
from dpq_core.report.html import as_html
from dpq_core.report.sentences import bound, differences, headline, range_of
from dpq_core.results import error_bound
from dpq_core.results.error_bound import error_bound_of
from tests.harness import Plan
from tests.results.test_approved import OUTCOMES

APPROVED = Path(__file__).parent / "approved" / "reports.html"
AGES, INCOMES = Domain(0, 120, 1), Domain(0, 100_000, 100)
QUARTILES, DECILES = Plan(["1/4", "1/2", "3/4"]), Plan([Fraction(k, 10) for k in range(1, 10)])
FIVE = Plan([Fraction(share, 100) for share in (5, 25, 50, 75, 95)])
NOTE = "12 of 99 levels were drawn; the others lie between them, because the records are too few for more."
EVIL = '<script>alert("x")</script>'
YEARS = {"age": ColumnWords(unit="years")}
PATIENTS = Description(columns=YEARS, one="patient", many="patients")
PEOPLE = Description(columns={"income": ColumnWords(kind="money", unit="€")}, one="person", many="people",
                     max_groups_per_person=1, group_size=1000)  # fmt: skip
LATER: dict[str, Any] = {"made": "2026-02-01"}


@pytest.fixture(autouse=True, scope="module")
def few_runs() -> Iterator[None]:
    """Simulate errors with few runs: which they are is asked in tests/results, here only how they are told."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(error_bound, "TRIALS", 16)
        error_bound_of.cache_clear()
        yield
    error_bound_of.cache_clear()


def released(*cells: Cells, words: Description = PATIENTS, **changed: Any) -> Release:
    plan = ColumnsPlan.of([each.column for each in cells], cells[0].plan)
    release: Release = Release(
        plan=plan, guarantee=cells[0].guarantee, cells=cells, description=words, id="a" * 32, account="patients",
        made="2026-01-31T12:00:00+00:00", version="0",
    )  # fmt: skip
    return replace(release, **changed)


def ages(plan: Plan = DECILES, values: Sequence[float] | None = None, ranged: bool = True, **changed: Any) -> Cells:
    """Answers of a column, each with an interval to its neighbours."""
    found = tuple(float(20 + at // 2) for at in range(len(plan.quantiles))) if values is None else tuple(values)
    ends: tuple[tuple[tuple[float, float], ...], ...] = ()
    basis = None
    if ranged and found:
        asked = plan.intervals or Intervals(0.95)
        plan = replace(plan, intervals=asked, about_n=5000)
        ends = (tuple(zip((0.0, *(v - 1 for v in found[1:])), (*(v + 1 for v in found[:-1]), 120.0), strict=True)),)
        basis = Basis(False, sentences_of(asked, False, n=5000))
    guarantee = Guarantee.of(plan.privacy, plan.adjacency)
    own = Cells(column="age", plan=plan, guarantee=guarantee, domain=AGES, values=(found,), intervals=ends, basis=basis)
    return replace(own, **changed)


def one(words: Description = PATIENTS, n: int = 5000, release: dict[str, Any] | None = None, **own: Any) -> Report:
    return Report.of(released(ages(**own), words=words, **(release or {})), n, left="ε = 2 left", **LATER)


def towns(*medians: float, plan: Plan = QUARTILES, words: Description = PEOPLE, wide: float = 0, **own: Any) -> Report:
    """Answers of groups, with intervals of this half width."""
    by = [20_000 * (float(level) - 0.5) for level in plan.quantiles]
    values = tuple(tuple(middle + each for each in by) for middle in medians)
    names: tuple[GroupName, ...] = ("Oslo", "Bergen", "Hamar", *(f"town {at:03d}" for at in range(300)))
    plan = replace(plan, intervals=plan.intervals or Intervals(0.95), about_n=300) if wide else plan
    cells = Cells(
        column="income", by=("town",), groups=names[: len(medians)], plan=plan, domain=INCOMES, values=values,
        guarantee=Guarantee.of(plan.privacy, plan.adjacency),
        intervals=tuple(tuple((v - wide, v + wide) for v in each) for each in values) if wide else (),
        basis=Basis(False, sentences_of(plan.intervals, False, n=300, in_groups=True)) if plan.intervals else None,
    )  # fmt: skip
    return Report.of(released(replace(cells, **own), words=words), 1000, **LATER)


def columns(words: Description = PATIENTS, n: int = 3000, plan: Plan = QUARTILES, **own: Any) -> Report:
    days = replace(words, columns={**YEARS, "admitted": ColumnWords(kind="date")})
    first = ages(plan, [36.0 + at for at in range(len(plan.quantiles))], ranged=False)
    dates = [18_500.0 + 90 * at for at in range(len(plan.quantiles))]
    second = ages(plan, dates, ranged=False, column="admitted", domain=Domain(15_000, 21_000, 1), **own)
    return Report.of(released(first, second, words=days), n, **LATER)


ROWS = replace(PATIENTS, one="visit", many="visits", person="patient", rule="each patient counts once, by the mean")
TOGETHER = replace(QUARTILES, intervals=Intervals(0.95, together=True), about_n=300)
APART = (30_000.0, 50_000.0, 70_000.0)
MANY = [20_000.0 + 2000 * at for at in range(16)]
SHAPES = {"group": "of groups", "columns": "of columns", "": "usual"}
"""The first kind of each shape, by the word that all names of its kinds have."""
KINDS: dict[str, Any] = {
    "usual": one,
    "of a simulation": lambda: Report.of(
        released(ages(), id="", account=""), 5000, simulated="Ages · simulation with seed 1", **LATER
    ),
    "of records that were counted": lambda: one(replace(PATIENTS, records=5000)),
    "without intervals and with a note": lambda: one(ranged=False, notes=(NOTE,)),
    "of a replaced patient with all rows": lambda: one(
        ROWS, plan=Plan(DECILES.quantiles, "aq", PureDP(1.0), Adjacency.REPLACE_ONE)
    ),
    "of a budget that protects nobody": lambda: one(plan=Plan(DECILES.quantiles, "aq", PureDP(100.0))),
    "of bounds that were found": lambda: one(find_bounds=FindBounds(), ranged=False),
    "of an unknown rule": lambda: one(release={"guarantee": replace(ages().guarantee, protects="person")}),
    "of rows of people": lambda: one(replace(ROWS, max_rows_per_person=3, rule="at most 3 rows of each patient count")),
    "of rows that weigh as much as one": lambda: one(replace(ROWS, share=True)),
    "of extreme levels": lambda: one(plan=Plan(["0", "1"])), "of no level": lambda: one(plan=Plan([])),
    "of dates": lambda: one(replace(PATIENTS, columns={"age": ColumnWords(kind="date", label="Aufnahme")})),
    "of a population": lambda: one(plan=replace(DECILES, intervals=Intervals(0.95, of="population"), about_n=5000)),
    "at the highest value": lambda: one(values=(120.0,) * 9, ranged=False),
    "of an answer far beyond": lambda: one(
        plan=FIVE, values=(-5.6e13, 27.0, 41.0, 55.0, 74.0), domain=Domain.significant(2), ranged=False
    ),
    "over decades": lambda: one(
        plan=QUARTILES, values=(30.0, 2500.0, 180_000.0), domain=Domain.significant(2), ranged=False
    ),
    "of groups": lambda: towns(*APART), "of groups with intervals": lambda: towns(*APART, wide=900),
    "of groups with intervals that hold together": lambda: towns(30_000, 31_000, 70_000, plan=TOGETHER, wide=900),
    "of no group": towns, "of one group": lambda: towns(50_000),
    "of a group too small": lambda: towns(*APART, words=replace(PEOPLE, group_sizes=(("Hamar", 10),))),
    "of groups all too small": lambda: towns(*MANY, words=replace(PEOPLE, group_size=10)),
    "of many groups with intervals that hold together": lambda: towns(*MANY, plan=TOGETHER, wide=900),
    "of groups of nothing known": lambda: towns(*APART, words=replace(PEOPLE, max_groups_per_person=None)),
    "of groups whose names were found": lambda: towns(*APART, words=replace(PEOPLE, finding=0.1, group_size=10)),
    "of groups at a bound": lambda: towns(*APART, values=((3e4,) * 3, (5e4,) * 3, (1e5,) * 3)),
    "of more groups than a page shows": lambda: towns(*(20_000.0 + 100 * at for at in range(300))),
    "of columns": lambda: columns(notes=(NOTE,)), "of columns of few people": lambda: columns(n=12),
    "of columns of more levels than a chart shows": lambda: columns(plan=DECILES),
}  # fmt: skip


def blocks(html: str) -> list[str]:
    """The blocks of a sheet, one a line, with the places of marks; lines stand where ticks do."""
    html = re.sub(r'<style>.*?</style>| style="--lines[^"]*"', "", html, flags=re.DOTALL).replace("\n", "")
    return re.sub(r"(?=<(?:p|div|h\d|table|tr|details|section|ul|li)\b)", "\n", html).strip().split("\n")


@cache
def lines_of(kind: str) -> list[str]:
    """What one report takes away from the first of its shape, and what it adds; of the first one everything."""
    other, first = blocks(as_html(KINDS[kind](), alone=False)), next(SHAPES[word] for word in SHAPES if word in kind)
    if kind == first:
        return other
    known, found = lines_of(first), []
    for change, at, end, low, high in SequenceMatcher(None, known, other, autojunk=False).get_opcodes():
        if change != "equal":
            found += [f"<del>{each}</del>" for each in known[at:end]]
            found += [f"<ins>{each}</ins>" for each in other[low:high]]
    return found


@pytest.mark.slow(keep="usual")
@pytest.mark.parametrize("kind", KINDS)
def test_a_report_is_as_approved(kind: str) -> None:
    parts = APPROVED.read_text(encoding="utf-8").strip().split("\n\n<h2>")[1:] if APPROVED.exists() else []
    page = {title.removesuffix("</h2>"): rest for title, *rest in (part.split("\n") for part in parts)}
    if os.environ.get("APPROVE"):
        page = {each: page.get(each, []) for each in KINDS} | {kind: lines_of(kind)}
        written = ("\n".join([f"<h2>{title}</h2>", *rest]) for title, rest in page.items())
        APPROVED.write_text("\n\n".join(['<meta charset="utf-8">', *written, ""]), encoding="utf-8")
    assert list(page) == [*KINDS]
    assert lines_of(kind) == page[kind], "APPROVE=1 writes what is new into the page"


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


EVIL_WORDS = Description(
    columns={"age": ColumnWords(unit=EVIL, label=EVIL)}, one=EVIL, many=EVIL, person=EVIL, rule=EVIL
)
FILES: dict[str, Any] = {
    "one answer": lambda: one(EVIL_WORDS, release={"account": EVIL}, notes=(EVIL,)),
    "groups": lambda: towns(30_000, 50_000, groups=(EVIL, "Oslo"), by=(EVIL,), plan=TOGETHER, wide=900),
    "columns": columns,
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_is_whole_small_asks_no_other_machine_and_holds_names_as_text(kind: str) -> None:
    page = as_html(FILES[kind]())
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert len(page.encode()) < 100_000
    assert re.findall("src=|href=|url[(]|<script|http", page) == []
    assert 'class="dpq-point"' in page
    assert "a" * 32 in page
    assert "Release, private answers only" in page


def test_paper_has_the_numbers_that_a_chart_has_not() -> None:
    """A chart of groups has the numbers of their medians alone, of some groups; nobody unfolds a table on paper."""
    plans = (QUARTILES, Plan(["1/2"]))
    reports = [towns(*[30_000.0] * count, plan=plan) for count in (2, 61) for plan in plans]
    assert ["dpq-table dpq-printed" in as_html(each) for each in (*reports, one())] == [True, False, True, True, False]


def test_errors_are_ranks_and_no_percents_that_read_as_values() -> None:
    """39 of 1,000 is no 3.9 % of the euros."""
    text = unescape(re.sub(r"<[^>]+>", "", as_html(one(n=1000), alone=False).replace("\xa0", " ")))
    assert set(re.findall(r"([\d.]+) %", text)) == {f"{10 * k}" for k in range(1, 10)} | {"95"}


def test_every_level_has_a_range_open_at_the_bounds() -> None:
    (section,) = one().sections
    said = [range_of(section.parts[0], Fraction(k, 10), unit=False) for k in (1, 5, 9)]
    assert said == ["at most 21", "21 to 23", "at least 23"]
    (section,) = one(plan=Plan(["1/2"]), values=(38.0,)).sections
    assert range_of(section.parts[0], Fraction(1, 2)) == "cannot be determined"


def test_an_answer_far_beyond_all_others_is_grey_and_stretches_no_axis() -> None:
    """-5.6e13 was an age in chart, codebook and report."""
    (section,) = KINDS["of an answer far beyond"]().sections
    first, *others = chart_of(section, several=False).rows
    assert (first.range, first.look, first.marks) == ("not usable", "faint", ())
    places = [float(mark.style.removeprefix("left:").removesuffix("%")) for row in others for mark in row.marks]
    assert places[1] - places[0] > 10, "the others fill the axis"


@pytest.mark.parametrize("count", [12, 20, 24, 33, 100])
def test_a_long_answer_is_cut_for_one_page_and_keeps_its_middle(count: int) -> None:
    levels = [Fraction(k, count + 1) for k in range(1, count + 1)]
    found = chosen(levels)
    assert (len(set(found)), found[0], found[-1]) == (MOST_LEVELS, levels[0], levels[-1])
    assert min(levels, key=lambda level: abs(level - Fraction(1, 2))) in found == sorted(found)


@pytest.mark.parametrize(("records", "n", "said"), [
    (17, 1000, "within 17 ranks of 1,000"), (121, 1001, "within 130 ranks of 1,001"),
    (995, 1000, "within 1,000 ranks of 1,000"), (991, 995, "within 995 ranks of 995"), (9, 9, "within 9 ranks of 9"),
    (0, 1000, "under 1 rank of 1,000"),
])  # fmt: skip
def test_bounds_have_two_digits_are_rounded_up_and_never_exceed_everybody(records: int, n: int, said: str) -> None:
    assert bound(records, n) == said


@pytest.mark.parametrize("kind", ["of nothing known", "whose names were found"])
def test_groups_are_in_no_order_and_unjudged_without_what_they_had_of_the_budget(kind: str) -> None:
    """Names take a part of the budget, so sizes alone do not tell whether a group is too small for the rest."""
    report = KINDS[f"of groups {kind}"]()
    (section,) = report.sections
    assert [row.name for row in chart_of(section, several=False).rows] == ["Bergen", "Hamar", "Oslo"], "by name"
    assert section.too_small == []
    assert not any(town in headline(report, section) for town in ("Oslo", "Bergen", "Hamar"))


@pytest.mark.parametrize(("wide", "named"), [(900, True), (1e6, False)])
def test_the_headline_names_no_group_where_every_interval_spans_all_possible_values(wide: float, named: bool) -> None:
    report = towns(30_000, 50_000, 95_000, wide=wide)
    assert ("Oslo" in headline(report, report.sections[0])) is named


@pytest.mark.parametrize("wide", [0, 900])
def test_a_group_too_small_is_grey_and_in_no_headline_and_no_order(wide: float) -> None:
    """Its noise is higher than every other answer, and its interval may lie apart from all others."""
    small = replace(PEOPLE, group_sizes=(("Hamar", 10),))
    report = towns(30_000, 50_000, 95_000, words=small, wide=wide, plan=TOGETHER if wide else QUARTILES)
    (section,) = report.sections
    assert not any("Hamar" in said for said in differences(section)[0])
    assert "Hamar" not in headline(report, section)
    rows = chart_of(section, several=False).rows
    assert [row.look for row in rows] == ["", "", "faint"]
    kinds = [mark.kind for mark in rows[0].marks]
    assert kinds == sorted(kinds, key=["line", "dot", "bar", "point"].index), "no line lies over an answer"


@pytest.mark.parametrize(
    ("values", "ticks"), [((20.0, 60.0), ["20", "30", "40", "50", "60"]), ((0.5, 1.0), ["0.5", "0.6"])]
)
def test_whole_ticks_have_no_decimals(values: tuple[float, ...], ticks: list[str]) -> None:
    own = ages(Plan(["1/4", "3/4"]), values, ranged=False, domain=Domain(0, 120, Fraction(1, 10)))
    (section,) = Report.of(released(own), 5000).sections
    assert [text for _, text in chart_of(section, several=False).axis.ticks][: len(ticks)] == ticks


def compared(*medians: float, chance: float = 0.95, together: bool = True) -> list[str]:
    plan = replace(QUARTILES, intervals=Intervals(chance, together=together), about_n=300)
    (section,) = towns(*medians, plan=plan, wide=900).sections
    return differences(section)[0]


@pytest.mark.slow
def test_groups_clearly_differ_where_intervals_that_hold_together_do_not_overlap() -> None:
    assert compared(30_000, 31_900, 70_000) == ["Hamar: higher than Oslo and Bergen.", "Bergen: higher than Oslo."]
    assert compared(30_000, 31_800) == ["No two groups clearly differ."], "they touch at one value"
    assert compared(*APART, together=False) == compared(*APART, chance=0.8) == []
    assert compared(0, 100_000) == ["Bergen: higher than Oslo."], "their open ends lead away from each other"
    many = Plan([Fraction(k, 13) for k in range(1, 13)], "aq", PureDP(1.0))
    assert as_html(towns(*APART, plan=many)).count("<th>") == 1 + 9, "a table of groups has nine quantiles at most"


@pytest.mark.parametrize(("groups", "said"), [(2, "90 % or more"), (3, "about 85 % or more"), (40, "up to 2 are")])
def test_chances_that_intervals_of_groups_fail_add_up(groups: int, said: str) -> None:
    (section,) = towns(*(20_000.0 + 1000 * at for at in range(groups)), plan=TOGETHER, wide=100).sections
    assert said in " ".join(differences(section)[1])


def test_a_column_that_nobody_described_has_the_words_of_its_account() -> None:
    bare = released(ages(column="column"), words=Description())
    bare = replace(bare, guarantee=replace(bare.guarantee, protects="person"))
    found = facts.described(bare, "household", {}, unit="€")
    assert (found.description.person, found.description.many) == ("household", "households")
    report = Report.of(found, 5000)
    assert report.title == "Patients", "the account's name, where the column has none"
    assert sentences.whom(report) == "any one household, with all their rows"
    ranged = Plan(["1/2"], "aq", PureDP(1.0), intervals=Intervals(0.95, of="population"))
    of_all = Report.of(released(ages(ranged, column="a"), ages(Plan(["1/2"]), ranged=False, column="b")), 5000)
    assert ["no others" in sentences.does_not_mean(each)[0] for each in (report, of_all)] == [True, False]


@pytest.mark.slow(keep="simulation")
@pytest.mark.parametrize("kind", ["simulation", "groups by two", "table of persons"])
def test_a_simulation_of_every_shape_has_a_report(kind: str) -> None:
    found: Any = OUTCOMES[kind]()
    page = as_html(Report.of_simulation(found))
    assert sentences.NO_RELEASE in page
    assert all(each.group in page.replace("\xa0", " ") for each in found.answers)
    assert all(each.wording.number(each.values[0]) in page for each in found.answers if not each.too_small)
