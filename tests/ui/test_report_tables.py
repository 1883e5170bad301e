"""Reports of several columns and of all groups: nobody ranks noise, and a budget is said of the whole."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from dpq_core import ZCDP, Domain, Groups, Plan, Sample, release
from dpq_core.columns import ColumnsRelease
from dpq_core.figures.report_chart.scene import Diamond, Words
from dpq_core.groups import GroupedRelease, GroupName
from dpq_core.privacy import Guarantee
from dpq_core.report.ranking import Ranked, alike_sets, all_alike, by_answer, listed, may_be_highest
from dpq_core.report.sentences import about_ranges, apart, headlines, label
from dpq_core.report.several import MOST_GROUPS, document, picture, ranked_chart, sheet
from dpq_core.report.tables import OfGroups, TableFacts, of_columns, of_groups
from dpq_core.results.groups.sizes import GroupSizes, rounded_down
from dpq_core.results.wording import Wording
from tests.ui.test_report_html import text_of, words_of

INCOMES = Domain(0, 100_000, 100)
EUROS = Wording("Income", "money", "€", "person", "people", 0)
COMMON: dict[str, Any] = {
    "title": "Income by group", "about": "towns · release · 2026-01-31", "account": "towns",
    "release_id": "a" * 32, "left": "ε = 1 left", "released": "2026-01-31", "version": "0",
}  # fmt: skip
QUARTILES = Plan(["1/4", "1/2", "3/4"])


TOWNS = ("Oslo", "Bergen", "Hamar")


def grouped(*medians: float, names: tuple[str, ...] = TOWNS, plan: Plan = QUARTILES) -> GroupedRelease:
    """A release as a mechanism could have made it."""
    by = [20_000 * (float(level) - 0.5) for level in plan.quantiles]
    values: dict[GroupName, tuple[float, ...]] = {
        name: tuple(middle + each for each in by) for name, middle in zip(names, medians, strict=False)
    }
    spent = Guarantee(epsilon=1.0, delta=0.0, rho=None, adjacency=plan.adjacency, exact=True)
    return GroupedRelease(values=values, guarantee=spent, plan=plan, domain=INCOMES)


THOUSAND = GroupSizes(1000)
ONE_EACH = OfGroups(sizes=THOUSAND)


def facts(answer: GroupedRelease, known: OfGroups | None = ONE_EACH) -> TableFacts:
    return of_groups(answer, EUROS, known, **COMMON)


def one(name: str, low: float, high: float) -> Ranked:
    return Ranked(name, (low + high) / 2, (low, high))


def test_the_largest_sets_of_overlapping_ranges_are_all_found() -> None:
    """Against every subset, on random small intervals with many ties."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        ends = np.sort(rng.integers(0, 9, (6, 2)), axis=1).tolist()
        groups = [one(str(at), low, high) for at, (low, high) in enumerate(ends)]
        alike = [
            set(some)
            for size in range(2, 7)
            for some in combinations(groups, size)
            if all(a.interval[0] <= b.interval[1] and b.interval[0] <= a.interval[1] for a, b in combinations(some, 2))
        ]
        largest = [some for some in alike if not any(some < other for other in alike)]
        found = [set(some) for some in alike_sets(groups)]
        assert len(found) == len(largest)
        assert all(some in largest for some in found)
        assert all_alike(groups) == (set(groups) in alike)
        surely_lower = [a for a in groups if any(a.interval[1] < b.interval[0] for b in groups)]
        assert {*may_be_highest(groups)} == {*groups} - {*surely_lower}


def test_ranges_that_touch_are_not_told_apart() -> None:
    groups = [one("a", 0, 5), one("b", 5, 9), one("c", 10, 12)]
    assert [[group.name for group in some] for some in alike_sets(groups)] == [["b", "a"]]
    assert [group.name for group in by_answer(groups)] == ["c", "b", "a"]


def test_names_are_listed_as_people_do() -> None:
    assert [listed(list("abc")[:count]) for count in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert listed([*"abc"], last="or") == "a, b or c"
    assert listed([str(at) for at in range(20)]) == "0, 1, 2, 3, 4, 5, 6 and 13 more"


HIGHEST = "The median of Income appears highest in Hamar: €\u00a070,000 (roughly €\u00a0"
TWO = "The median of Income may be highest in Hamar or Bergen: their ranges overlap."
ALIKE = "No two groups clearly differ: the ranges of the median of Income all overlap."
NOISE = "All ranges overlap, so any difference between the groups may be noise alone."
ALONE = "The median of Income in Oslo: €\u00a050,000 (roughly €\u00a0"


@pytest.mark.parametrize(
    ("medians", "said", "told"),
    [
        ((30_000, 50_000, 70_000), HIGHEST, "Clearly different from every other group: Hamar, Bergen and Oslo."),
        ((30_000, 50_000, 50_100), TWO, "Hamar and Bergen: their ranges overlap, so which is higher may be noise."),
        ((50_200, 50_000, 50_100), ALIKE, NOISE),
        ((50_000,), ALONE, "There is no other group."),
    ],
)
def test_nobody_ranks_noise(medians: tuple[float, ...], said: str, told: str) -> None:
    table = facts(grouped(*medians))
    (sentence,) = headlines(table)
    assert sentence.startswith(said)
    assert told in apart(table)
    page = text_of(sheet(table))
    assert sentence in page
    assert page.index(sentence) < page.index("Which groups clearly differ?") < page.index("What this does not mean")
    assert "Each group is assumed to have 1,000 people or more" in about_ranges(table)
    assert "records" not in about_ranges(table), "they are people"
    assert "95 %" not in sentence, "ranges from neighbouring levels hold less often"
    assert "spread unevenly between two levels" in about_ranges(table)


def test_told_apart_are_those_whose_ranges_meet_no_other() -> None:
    assert apart(facts(grouped(30_000, 50_000, 50_100)))[-1] == "Clearly different from every other group: Oslo."


def test_without_what_the_groups_are_no_range_and_no_order_is_told() -> None:
    """A person in several groups leaves each a part of the budget, which nobody said; names take another part.

    Nor where nobody said how large the groups are.
    """
    for known in (
        None,
        OfGroups(finding=0.1, sizes=THOUSAND),
        OfGroups(),
        OfGroups(sizes=GroupSizes(own=TWO_OF_THREE)),
    ):
        table = facts(grouped(30_000, 50_000, 70_000), known=known)
        (said,) = headlines(table)
        unknown = "it is not known how much of this is noise, so no two are compared."
        assert said == f"The median of Income in 3 groups: {unknown}"
        texts = [mark.text for mark in ranked_chart(table).marks if isinstance(mark, Words)]
        assert [text for text in texts if text in TOWNS] == sorted(TOWNS), "by name, not by answer"
        assert "the report does not rank the groups" in apart(table)[0]
        assert "Ranges worked out for" not in label(table)
        assert [mark for mark in ranked_chart(table).marks if mark.role == "interval"] == []


TWO_OF_THREE = (("Oslo", 1000), ("Bergen", 1000))


def test_a_group_too_small_is_grey_and_in_no_headline_and_no_order() -> None:
    """Its noise is higher than every other answer; by 1,000 people for all it was "most likely highest"."""
    answer = grouped(30_000, 50_000, 95_000)
    small = facts(answer, OfGroups(sizes=GroupSizes(1000, (("Hamar", 10),))))
    (said,) = headlines(small)
    assert said.startswith("Among the 2 groups that can be compared, the median of Income appears highest in Ber")
    assert said.endswith("Too small for this budget: Hamar.")
    assert not any("Hamar" in each for each in apart(small) if "Too small" not in each)
    assert "Too small for this budget, so their answers are noise: Hamar." in apart(small)
    (part,) = (part for part in small.parts if part.title == "Hamar")
    assert (part.too_small, part.intervals) == (True, ())
    chart = ranked_chart(small)
    assert [mark.role for mark in chart.marks if isinstance(mark, Diamond)] == ["private", "private"], "off the axis"
    near = ranked_chart(facts(grouped(30_000, 50_000, 45_000), OfGroups(sizes=GroupSizes(1000, (("Hamar", 10),)))))
    assert [mark.role for mark in near.marks if isinstance(mark, Diamond)] == ["private", "private", "faint"]
    assert [mark.role for mark in chart.marks if isinstance(mark, Words) and mark.text == "too small"] == ["quiet"]
    assert "Hamar 95,000, too small for this budget" in chart.alt
    assert "Grey: too small for this budget, so the answers are noise." in text_of(sheet(small))
    assert label(small)["Ranges worked out for"] == "1,000 people in a group"
    assert "highest in Hamar" not in text_of(sheet(small))
    known = facts(answer)
    assert headlines(known)[0].startswith("The median of Income appears highest in Hamar: €\u00a095,000")


def test_groups_whose_answers_all_lie_at_a_bound_are_named() -> None:
    answer = grouped(30_000, 50_000, 95_000)
    answer = replace(answer, values=answer.values | {"Hamar": (100_000.0,) * 3})
    said = "All answers of 1 of 3 groups lie at the highest possible value (Hamar): the bound is prob"
    assert said in text_of(sheet(facts(answer)))


def test_where_every_group_is_too_small_nothing_is_told() -> None:
    table = facts(grouped(30_000, 50_000, 95_000), OfGroups(sizes=GroupSizes(10)))
    assert headlines(table) == [
        "The median of Income is not known in any group: every group is too small for this budget."
    ]
    assert {mark.role for mark in ranked_chart(table).marks if isinstance(mark, Diamond)} == {"faint"}
    assert "Ranges worked out for" not in label(table)


def test_a_range_is_worked_out_for_the_size_of_its_group() -> None:
    sizes = GroupSizes(20_000, (("Oslo", 110),))
    table = facts(grouped(30_000, 50_000, 70_000), OfGroups(sizes=sizes))
    widths = {part.title: np.subtract(*part.interval(part.plan.quantiles[1])[::-1]) for part in table.parts}
    assert widths["Oslo"] > 5 * widths["Bergen"]
    assert "Each group is assumed to have 110 to 20,000 people (each its own number) or more" in about_ranges(table)


def test_of_many_groups_some_that_are_not_compared_are_drawn_too() -> None:
    names = tuple(f"town {at:02d}" for at in range(60))
    sizes = GroupSizes(1000, tuple((name, 10) for name in names[:20]))
    table = facts(grouped(*range(20_000, 80_000, 1000), names=names), OfGroups(sizes=sizes))
    chart = ranked_chart(table)
    roles = [mark.role for mark in chart.marks if isinstance(mark, Diamond)]
    assert roles == ["private"] * (MOST_GROUPS - 4)
    texts = [mark.text for mark in chart.marks if isinstance(mark, Words)]
    assert texts.count("too small") == 4, "by their names; their answers lie beyond the axis"
    assert [text for text in texts if text.startswith("…")] == ["… 28 groups between", "… 16 groups more"]
    assert texts.index("town 59") < texts.index("town 20") < texts.index("town 00")


@pytest.mark.parametrize(
    ("size", "taken"), [(1, 1), (9, 8), (10, 10), (14, 12), (199, 150), (1000, 1000), (99_999, 80_000)]
)
def test_sizes_are_rounded_down_to_ten_in_a_decade(size: int, taken: int) -> None:
    assert rounded_down(size) == taken


def width(table: TableFacts) -> float:
    part = table.parts[0]
    low, high = part.interval(part.plan.quantiles[1])
    return high - low


def test_ranges_grow_with_the_parts_of_the_budget_and_with_the_number_of_groups() -> None:
    one_group = width(facts(grouped(50_000)))
    assert width(facts(grouped(50_000), known=OfGroups(groups_per_person=8, sizes=THOUSAND))) > 2 * one_group
    names = tuple(f"town {at}" for at in range(40))
    many = facts(grouped(*[50_000.0] * 40, names=names))
    assert width(many) > one_group
    assert "Approximate 99.88 % ranges" in about_ranges(many), "95 % for all 40 at once"
    more = facts(grouped(*[50_000.0] * 60, names=tuple(map(str, range(60)))))
    assert "Approximate 99.9 % ranges" in about_ranges(more), "each as sure as it can be"


@pytest.mark.very_slow
def test_ranges_hold_the_true_medians_of_a_table() -> None:
    """Of 40 groups at once, in 95 of 100 releases: that three fail one after the other has a chance of 1 in 8,000."""
    values, of = np.random.default_rng(1).normal(50_000, 9000, (40, 400)), np.repeat(np.arange(40), 400)
    groups = Groups.from_values(values.ravel(), of, INCOMES, names=list(range(40)))
    truth = np.sort(groups.domain.decode(groups.domain.encode(values)), axis=1)[:, 199:201]

    def holds() -> bool:
        table = facts(release(groups, Plan([f"{k}/10" for k in range(1, 10)])), OfGroups(sizes=GroupSizes(400)))
        inside = [part.interval(part.plan.quantiles[4]) for part in table.parts]
        return all(low <= true[1] and true[0] <= high for (low, high), true in zip(inside, truth, strict=True))

    assert any(holds() for _ in range(3))


def test_of_many_groups_the_highest_and_the_lowest_are_drawn() -> None:
    names = tuple(f"town {at}" for at in range(60))
    table = facts(grouped(*range(20_000, 80_000, 1000), names=names))
    chart = ranked_chart(table)
    assert len([mark for mark in chart.marks if isinstance(mark, Diamond)]) == MOST_GROUPS
    texts = [mark.text for mark in chart.marks if isinstance(mark, Words)]
    assert texts.index("town 59") < texts.index(f"… {60 - MOST_GROUPS} groups between") < texts.index("town 0")
    assert f"{MOST_GROUPS} of 60 groups are shown" in sheet(table)
    assert "town 30" in sheet(table), "the table has all"


@pytest.fixture(scope="module")
def columns() -> ColumnsRelease[Any]:
    rng = np.random.default_rng(0)
    samples = {
        "age": Sample.from_values(rng.integers(18, 90, 3000), Domain(0, 120, 1)),
        "admitted": Sample.from_values(rng.integers(18_000, 20_000, 3000), Domain(15_000, 21_000, 1)),
    }
    return release(samples, Plan(["1/4", "1/2", "3/4"], privacy=ZCDP(0.5)))


def of_two(found: ColumnsRelease[Any], most_rows: int | None = 1) -> TableFacts:
    words = {
        "age": Wording("age", "number", "years", "person", "people", 0),
        "admitted": Wording("admitted", "date", "", "person", "people", 0),
    }
    return of_columns(found, words, 3000, most_rows, wording=Wording("2 columns", many="people"), **COMMON)


def test_every_column_has_its_sentence_and_all_share_one_budget(columns: ColumnsRelease[Any]) -> None:
    table = of_two(columns)
    age, admitted = headlines(table)
    assert age.startswith("For half of the people, age is ")
    assert " years or less (roughly " in age
    assert " or earlier (roughly 20" in admitted
    whole = re.compile(r'admitted is <span class="dpq-whole">20[\d-]{8}</span> or earlier')
    assert whole.search(sheet(table)), "no line ends inside a date"
    assert label(table)["Budget of these answers"] == "ρ = 0.5"
    assert label(table)["Columns"] == "2"
    assert {part.privacy for part in table.parts} == {ZCDP(0.5)}
    page = text_of(sheet(table))
    assert page.index(age) < page.index(admitted) < page.index("What this does not mean")


def test_notes_of_a_release_are_below_what_they_are_about(columns: ColumnsRelease[Any]) -> None:
    note = "2 of 3 levels were drawn; the others lie between them, because the records are too few for more."
    own = replace(columns.releases["admitted"], notes=(note,))
    table = of_two(replace(columns, releases={**columns.releases, "admitted": own}))
    page = text_of(sheet(table))
    assert page.count(note) == 1
    assert page.index(headlines(table)[1]) < page.index(note) < page.index("What this does not mean")
    both = of_two(
        replace(columns, releases={name: replace(each, notes=(note,)) for name, each in columns.releases.items()})
    )
    assert text_of(sheet(both)).count(note) == 2
    groups = facts(replace(grouped(30_000, 50_000), notes=(note,)))
    assert text_of(sheet(groups)).count(note) == 1
    assert note not in text_of(sheet(facts(grouped(30_000, 50_000))))


def test_pictures_say_what_they_leave_out(columns: ColumnsRelease[Any]) -> None:
    eight = replace(of_two(columns), parts=of_two(columns).parts * 4)
    assert "6 of 8 columns are shown; the codebook has all" in words_of(picture(eight))
    deciles = grouped(30_000, 50_000, plan=Plan([f"{share}/10" for share in range(1, 10)]))
    assert "1 of 9 answers of each group are shown; the table on screen lists more." in sheet(facts(deciles))


def test_where_it_is_not_known_how_many_rows_a_person_has_no_range_is_told(columns: ColumnsRelease[Any]) -> None:
    assert not any(part.intervals for part in of_two(columns, None).parts)


def test_files_are_whole_small_and_hold_names_as_text(columns: ColumnsRelease[Any]) -> None:
    evil = "<script>alert(1)</script>"
    for table in (facts(grouped(30_000, 50_000, names=(evil, "Oslo"))), of_two(columns)):
        page = document(table)
        assert "<script>alert" not in page
        assert len(page.encode()) < 300_000
        assert "Release, private answers only" in page
        alone = " ".join(mark.text for mark in picture(table).marks if isinstance(mark, Words))
        assert headlines(table)[0] in alone
        assert "Release, private answers only" in alone


def test_released_intervals_of_groups_are_no_order_and_are_not_worked_out_anew() -> None:
    """Each is for its own group alone, and the levels at their ends left less of the budget for the answers."""
    plan = Plan(["1/4", "1/2", "3/4"], "indexp", intervals=0.5, about_n=300)
    values = np.random.default_rng(0).uniform(0, 100_000, 600)
    groups = Groups.from_values(values, ["Oslo", "Bergen"] * 300, INCOMES, names=["Oslo", "Bergen"])
    table = facts(release(groups, plan))
    assert table.bought
    assert not table.ranked
    assert not any(part.too_small for part in table.parts)
    assert "each interval is for one group alone, so no two are compared" in headlines(table)[0]
    assert all(part.intervals for part in table.parts), "they are told beside the answers"
    assert apart(table)[0].endswith("so the report does not rank the groups.")
    for said in (document(table), " ".join(headlines(table) + apart(table))):
        assert "not known" not in said
        assert "roughly where" not in said
    assert picture(table).height > 0


def test_an_answer_without_levels_or_groups_says_so() -> None:
    nothing = facts(GroupedRelease(values={}, guarantee=grouped(1).guarantee, plan=QUARTILES, domain=INCOMES))
    assert headlines(nothing) == ["There is no group in this answer."]
    empty = facts(grouped(1, plan=Plan([])))
    assert headlines(empty) == ["No quantile was requested, so there is no answer."]
    for table in (nothing, empty):
        assert headlines(table)[0] in sheet(table)
        assert picture(table).height > 0
