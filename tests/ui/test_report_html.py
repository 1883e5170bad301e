"""The sheet: what it says, that it says nothing else, and that it needs nothing else."""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from dpq_core import Adjacency, Domain, Plan, PureDP
from dpq_core.figures.report import draw_guesses
from dpq_core.studies.reach import Together, presets, reach_of, together
from dpq_core.ui.report_html import MOST_ROWS, document, sheet
from dpq_core.ui.report_words import Told, again, label, middle, proved, share
from dpq_core.ui.wording import Wording

AGES = Domain(0, 120, 1)


def told(plan: Plan | None = None, n: int = 5000, **changes: object) -> Told:
    plan = plan or Plan([Fraction(k, 100) for k in range(1, 100)])
    answer = Told(
        title="Age",
        about="patients · release · 2026-01-31",
        wording=Wording("age", "number", "years", "patient", "patients", 0),
        plan=plan,
        domain=AGES,
        values=tuple(float(20 + at // 2) for at in range(len(plan.quantiles))),
        draws=1,
        simulated=False,
        privacy=plan.privacy,
        spent="ε = 1",
        account="patients",
        left="ε = 2 left",
        allows_again=True,
        date="2026-01-31",
        version="0",
        n=n,
        reach=reach_of(plan, AGES, n),
        together=together(plan, plan, AGES, n),
        presets=presets(plan, AGES, n),
    )
    return replace(answer, **changes)  # type: ignore[arg-type]


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
    return re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL))


def test_three_numbers_without_greek_come_first() -> None:
    page = document(told())
    numbers = re.findall(r'class="dpq-number">([^<]+)<', page)
    assert numbers[:2] == ["any 1 patient", "at most 74 of 100"]
    assert re.fullmatch(r"\d\.\d\s%", numbers[2])
    before_the_choices = text_of(page).partition("What another budget would buy")[0]
    assert not re.search("[ερδ]", before_the_choices)


def test_the_file_is_whole_small_and_asks_no_other_machine() -> None:
    page = document(told())
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert len(page) < 40_000
    assert "<script" not in page
    assert re.findall(r'(?:src|href)="(?!data:)', page) == []
    assert "http" not in text_of(page)


def test_names_are_text_only() -> None:
    evil = '<script>alert("x")</script>'
    page = document(told(title=evil, account=evil, wording=Wording(evil, "number", evil, evil, evil, 0)))
    assert "<script" not in page
    drawings = [b64decode(code).decode() for code in re.findall(r"base64,([^\"]+)", page)]
    assert drawings
    assert not any("<script" in drawing for drawing in drawings)


def test_the_median_is_put_between_released_values_only() -> None:
    found = told()
    limit = next(limit for limit in found.limits if limit.level == Fraction(1, 2))
    assert limit.low is not None
    assert limit.high is not None
    low, high = (found.wording.value(found.value(end)) for end in (limit.low, limit.high))
    assert f"the released {limit.low * 100} % and {limit.high * 100} % points" in middle(found)
    assert f"{low} and {high}." in middle(found)
    assert "not enough quantiles released" in middle(told(Plan(["1/2"])))


def test_a_long_answer_is_cut_for_two_pages_and_says_so() -> None:
    page = sheet(told())
    table = page[: page.index("What another budget")]
    assert table.count("<tr>") == MOST_ROWS + 1
    assert "50 % · median" in table
    assert f"{MOST_ROWS} of 99 answers are shown" in table


def test_a_simulation_says_so_and_a_release_does_not() -> None:
    assert "It is no release and protects nobody" in sheet(told(simulated=True))
    assert "no release" not in sheet(told())
    assert label(told())["What this is"] == "Release, private answers only"
    assert "Data set" not in label(told(simulated=True, account="", left=""))


def test_measuring_again_is_priced() -> None:
    assert "at most 89 would then be right instead of 74" in again(told())
    assert "does not allow it" in again(told(allows_again=False))
    assert "two draws, averaged. Both were charged" in again(told(draws=2, privacy=PureDP(2.0)))
    unequal = told(draws=2, privacy=PureDP(3.0), together=Together(percent=20, reach=7))
    assert "the first with 20 and the second with 80 parts of 100. Both were charged" in again(unequal)
    assert unequal.error == 7


def test_only_a_useful_theorem_is_told() -> None:
    assert "it is proved" in proved(told(n=100_000))
    assert proved(told(n=1000)) == ""


def test_shares_are_rounded_up() -> None:
    shares = [share(*pair).replace("\xa0", " ") for pair in ((17, 1000), (1, 3000), (0, 10), (171, 1001), (1, 1))]
    assert shares == ["1.7 %", "under 0.1 %", "under 0.1 %", "18 %", "100 %"]


def test_dots_count() -> None:
    drawing = b64decode(re.findall(r"base64,([^\"]+)", draw_guesses(74, alt="guesses"))[0]).decode()
    assert (drawing.count("<circle"), drawing.count('fill="none"')) == (100, 26)


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_what_is_hidden_fits_the_adjacency(adjacency: Adjacency) -> None:
    hidden = label(told(Plan(["1/4", "1/2"], "aq", PureDP(1.0), adjacency)))["What is hidden"]
    start = "whether" if adjacency is Adjacency.ADD_REMOVE else "that"
    assert hidden == f"{start} {adjacency.in_words.replace('one person', 'one patient')}"
