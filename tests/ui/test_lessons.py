"""The lessons: every text whole, every link of use, every figure following its slider, and what the texts claim."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dpq_core import Domain, Plan, PureDP, Sample, simulate
from dpq_core.studies import even_levels
from dpq_core.ui.learn import basics, groups, promises, structures, surety, totals, unknown
from dpq_core.ui.learn.course import COURSE, SHOWS
from dpq_core.ui.learn.picture import sample_of, values_of
from dpq_core.ui.lessons.controls import CONTROLS, LESSONS
from dpq_core.ui.lessons.texts import FOLDER, parse, text_of
from dpq_core.ui.shell import links
from tests.narrowing import present

GREEK = re.compile(r"[\u0370-\u03ff]")
WORDS_A_MINUTE = 200
MOST_POINTS = 2000


def test_every_text_is_a_lesson_and_every_lesson_has_all_it_needs() -> None:
    assert {file.stem for file in FOLDER.glob("*.md")} == set(LESSONS) == set(SHOWS)
    assert sorted(LESSONS.values()) == sorted(CONTROLS)
    assert [lesson.number for lesson in COURSE.values()] == list(range(1, 17))


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_whole(name: str) -> None:
    text = text_of(name)
    assert all([text.title, text.words, text.predict.text, text.reveal, text.check.text, text.formula])
    assert all(choice.because for choice in text.check.choices), "right or wrong, the reason is told"
    assert re.search(r"\d{4}", text.formula) or "dpq_core" in text.formula, "a formula names its source"
    assert not GREEK.search(text.title + text.words + text.predict.text), "plain words first"


@pytest.mark.parametrize("name", LESSONS)
def test_the_link_to_go_deeper_opens_a_page_with_settings_it_understands(name: str) -> None:
    deeper = text_of(name).deeper
    assert (FOLDER.parents[3] / "pages" / f"{deeper.page}.py").is_file()
    values, notes = links.read_link(deeper.settings, deeper.page)
    assert notes == []
    understood = {name: values.get(name, values.get(f"option_{name}")) for name in deeper.settings}
    assert understood == deeper.settings


def test_all_lessons_together_take_about_twenty_minutes() -> None:
    minutes = []
    for name in LESSONS:
        text = text_of(name)
        read = [text.words, text.predict.text, text.reveal, text.check.text]
        read += [choice.text for question in (text.predict, text.check) for choice in question.choices]
        read += [text.check.choices[0].because]
        minutes.append(len(" ".join(read).split()) / WORDS_A_MINUTE)
    assert max(minutes) < 2
    assert 10 < sum(minutes) < 20, "with 20 seconds for each slider that is 15 to 25"


@pytest.mark.parametrize(
    "broken",
    [
        lambda text: text.replace("## Reveal", "## Revealed"),
        lambda text: text.replace("- [x]", "- [ ]"),
        lambda text: text.replace("- [ ]", "- [x]", 1),
        lambda text: re.sub(r"\[.*\]\(.*\)", "read on", text),
    ],
    ids=["a part is missing", "nothing is right", "two are right", "no link"],
)
def test_a_text_with_a_mistake_is_refused(broken: Callable[[str], str]) -> None:
    whole = (FOLDER / "gaps.md").read_text(encoding="utf-8")
    parse(whole)
    with pytest.raises(ValueError, match=r"A lesson|A question"):
        parse(broken(whole))


@pytest.mark.parametrize("name", LESSONS)
def test_a_figure_follows_its_slider_and_its_prediction(name: str) -> None:
    lesson = COURSE[name]
    first, last = lesson.control.options[0], lesson.control.options[-1]
    pictures = [lesson.show(option, 1, revealed) for option in (first, last) for revealed in (False, True)]
    specs = [picture.figure.to_json() for picture in pictures]
    assert len(set(specs)) == 4
    assert lesson.show(first, 1, True).figure.to_json() == specs[1], "a link shows everybody the same"
    for picture in pictures:
        assert picture.alt
        assert picture.sentence
        assert len({len(column) for column in picture.table.values()}) == 1
        assert all(len(trace.x or ()) <= MOST_POINTS for trace in picture.figure.data)
        assert picture.figure.layout.paper_bgcolor == "rgba(0, 0, 0, 0)"


@pytest.mark.parametrize("name", LESSONS)
def test_a_seed_is_told_exactly_where_it_changes_the_figure(name: str) -> None:
    lesson = COURSE[name]
    one, other = (lesson.show(lesson.control.default, seed, True) for seed in (1, 2))
    assert (one.seed, other.seed) in {(1, 2), (None, None)}
    assert (one.figure.to_json() != other.figure.to_json()) == (one.seed is not None)


# ── the state that is asked about ────────────────────────────────────────────────────────────────────────────────────

ASKED = {
    "quantile": "",
    "one-person": "30 years",
    "many-rows": "9 times",
    "gaps": "0.1",
    "one-by-one": "15",
    "halves": "15",
    "slices": "19",
    "free-total": "40 percent",
    "counts": "",
    "sketches": "5",
    "adding-up": "100",
    "groups": "10 departments",
    "unknown-bounds": "100 people",
    "how-sure": "80 percent",
    "broken": "65 percent",
    "beliefs": "50 times",
}
IN_WORDS = {
    "many-rows": "nine times",
    "groups": "ten departments",
    "beliefs": "Fifty such releases",
    "adding-up": "100 of them",
}
"""How a question speaks of a state that the slider writes otherwise."""


@pytest.mark.parametrize("name", LESSONS)
def test_the_revealed_text_names_the_state_that_the_question_asks_about(name: str) -> None:
    lesson = COURSE[name]
    in_question = lesson.control.in_question
    assert ("{shown}" in lesson.text.reveal) is bool(in_question)
    assert "{" not in lesson.reveal
    if in_question:
        assert in_question in lesson.control.options
        assert lesson.control.shown(in_question) == ASKED[name]
        assert re.search(rf"(?<![\d.,]){re.escape(ASKED[name])}(?![\d,])", lesson.reveal)
        question = lesson.text.predict.text
        assert IN_WORDS.get(name, ASKED[name].partition(" ")[0]) in question or name == "one-person"
    else:
        assert ASKED[name] == ""


def test_kim_of_the_question_is_somebody_who_moves_the_median_to_34() -> None:
    assert "from 38 to 34" in basics.one_more_person(COURSE["one-person"].control.in_question, 1, True).sentence


@pytest.mark.parametrize("guess", ["20", "50", "67", "80", "90"])
def test_the_ten_oldest_stand_at_ninety_and_nowhere_else(guess: str) -> None:
    """Wherever the slider stands: 290 dots, none of them one of the ten, and ten crosses; counted where they stand."""
    before, after = (basics.guess_the_middle(guess, 1, revealed).figure for revealed in (False, True))
    dots = sorted(x for trace in after.data[:2] for x in trace.x)
    (crosses,) = [trace for trace in after.data if trace.marker.symbol == "x-thin-open"]
    assert list(crosses.x) == [90] * 10
    assert dots == sorted(before.data[0].x)[:-10]
    younger = sum(x < int(guess) for x in [*dots, *crosses.x])
    assert f"{younger} people of 300 are younger" in basics.guess_the_middle(guess, 1, True).sentence
    middles = [trace.x[0] for trace in after.data if trace.name == "true middle"]
    assert middles == [sorted(before.data[0].x)[149]]


def test_the_bars_of_the_tree_compare_two_blocks_with_sixty_years() -> None:
    picture = structures.tree_of_counts("0.5", 1, True)
    (bars,) = [trace for trace in picture.figure.data if trace.type == "bar"]
    assert list(bars.y) == ["two blocks of 30 years", "sixty single years"]
    assert bars.x[0] == pytest.approx(1.5 * 6, rel=0.1), "the mean of two of scale 6"
    assert bars.x[1] == pytest.approx((60 * 2 * 36 * 2 / np.pi) ** 0.5, rel=0.1), "the mean of sixty, nearly normal"
    assert f"Two together are about {round(bars.x[0])} people off, sixty about {round(bars.x[1])}" in picture.sentence


@pytest.mark.parametrize("seed", range(1, 8))
def test_numbers_of_the_revealed_texts_hold_for_the_state_that_is_asked_about(seed: int) -> None:
    def shown(name: str) -> str:
        return COURSE[name].show(COURSE[name].control.in_question, seed, True).sentence

    def number(pattern: str, sentence: str) -> float:
        return float(present(re.search(pattern, sentence))[1].replace(",", ""))

    assert 12 < number(r"each is ([\d.]+) people of 1,000 off", shown("one-by-one")) < 20
    assert "Kim takes part in 4 of 15 draws" in shown("halves")
    assert "19 slices" in shown("slices")
    assert 30 <= number(r"([\d]+) of 40 hold", shown("how-sure")) < 40
    widths = [number(r"is ([\d,]+) €", surety.intervals(sure, seed, True).sentence) for sure in ("80", "99")]
    assert widths[1] > 2 * widths[0]
    assert "do not touch" in shown("slices")
    assert 8 <= number(r"values (\d+) are kept", shown("sketches")) <= 13
    assert "100 answers at 0.1 each: 10 as a plain sum. Concentrated: 2.4" in shown("adding-up")
    assert "10 answers cost Kim 0.5, and 5 if each were about everybody." in shown("groups")
    offs = [number(r"is ([\d.]+) people off", groups.departments(count, seed, True).sentence) for count in ("2", "10")]
    assert offs[1] == pytest.approx(offs[0], rel=0.5), "about as many people, whatever the size"
    assert "beyond the claim: it is broken" in shown("broken")
    assert "50 releases spend 2.5 in all" in shown("beliefs")
    off = errors_of_ways("100", seed)
    assert off[unknown.DIGITS] < 1.5 * off[unknown.KNOWN] < 15
    assert min(off[unknown.TOO_WIDE], off[unknown.FOUND]) > 45
    off = errors_of_ways("20000", seed)
    assert off[unknown.DIGITS] > 200
    assert max(off[unknown.KNOWN], off[unknown.TOO_WIDE], off[unknown.FOUND]) == 1, "that is, under one person"


def errors_of_ways(count: str, seed: int) -> dict[str, float]:
    table = unknown.unknown_bounds(count, seed, True).table
    shown = zip(table["way"], table["off, on average"], strict=True)
    return {way: float(present(re.search(r"[\d.]+", words))[0]) for way, words in shown}


# ── what the texts say ───────────────────────────────────────────────────────────────────────────────────────────────


def test_the_middle_stays_when_the_ten_oldest_are_ninety() -> None:
    ages = np.sort(values_of("adult-age")[: basics.PEOPLE])
    older = np.where(np.arange(ages.size) >= ages.size - basics.OLDEST, 90, ages)
    assert ages[-basics.OLDEST] == 67
    assert ages[ages.size // 2 - 1] == older[ages.size // 2 - 1]


@pytest.mark.parametrize(("age", "said"), [("17", "to 34"), ("34", "to 34"), ("36", "to 36"), ("38", "stays 38")])
def test_the_exact_median_tells_about_kim(age: str, said: str) -> None:
    assert said in basics.one_more_person(age, 1, False).sentence


def test_fifteen_one_by_one_is_more_than_fifteen_times_as_far_and_halves_help() -> None:
    for seed in range(1, 4):
        alone, many = structures.mean_error("indexp", 1, seed), structures.mean_error("indexp", 15, seed)
        assert many > 15 * alone
        assert structures.mean_error("aq", 15, seed) < many / 4


def test_kim_is_in_one_draw_of_every_row() -> None:
    for count, rows in (("7", 3), ("15", 4), ("31", 5)):
        table = structures.halves(count, 1, True).table
        assert sorted(row for row, held in zip(table["row"], table["holds Kim"], strict=True) if held == "yes") == [
            str(row) for row in range(1, rows + 1)
        ]


def test_slices_never_touch() -> None:
    for option in CONTROLS["learn_slices"].options:
        for seed in range(1, 6):
            slices = structures.slices(option, seed, True).table["slice"]
            ends = [[int(rank.replace(",", "")) for rank in each.split(" to ")] for each in slices]
            assert len(ends) > 1
            assert all(last < first for (_, last), (first, _) in pairwise(ends))


@pytest.mark.parametrize("setting", CONTROLS["learn_pair"].options)
def test_the_smaller_figure_is_the_hull_of_the_marks_and_the_larger_one_holds_it(setting: str) -> None:
    """By how far each of them reaches in many directions."""
    larger, smaller, *marks = totals.two_norms(setting, 1, True).figure.data
    turned = np.linspace(0, 2 * np.pi, 73)
    directions = np.array([np.cos(turned), np.sin(turned)])

    def reach(*traces: Any) -> np.ndarray:
        points = np.concatenate([np.column_stack([each.x, each.y]) for each in traces])
        return np.asarray((points @ directions).max(axis=0))

    assert reach(smaller) == pytest.approx(reach(*marks), rel=1e-3)
    assert (reach(larger) > reach(smaller) - 1e-9).all()
    assert reach(larger).max() > 1.1 * reach(smaller).max()


def test_what_kim_changes_is_what_each_mechanism_pays_for() -> None:
    picture = totals.two_norms("40", 1, True)
    assert picture.table["compared with n (JointExp)"] == ["1.2", "1.6", "1.2"]
    assert picture.table["with the best total"] == ["1", "1", "1"]
    assert "JointExp's sum by up to 1.6, that with the best total by 1." in picture.sentence


def test_the_error_of_twenty_quantiles_is_about_half() -> None:
    sample = Sample.from_values(np.linspace(-5, 5, 1000), Domain(-100, 100), seed=0)
    plans = [Plan(even_levels(20), key, PureDP(1.0)) for key in ("jointexp", "freetotal")]
    jointexp, freetotal = (simulate(sample, plan, trials=40, seed=1).rank_errors.mean() for plan in plans)
    assert 0.45 < freetotal / jointexp < 0.65
    assert "about half for 20 quantiles" in text_of("free-total").reveal


def test_a_hundred_answers_cost_ten_or_about_two_and_a_half() -> None:
    table = promises.answers_add_up("100", 1, True).table
    at = table["answers"].index("100")
    assert table["plain sum"][at] == "10"
    assert float(table["concentrated"][at]) == pytest.approx(2.4, abs=0.05)


def test_less_noise_breaks_the_claim_and_all_of_it_nearly_reaches_it() -> None:
    without, joined = np.array(promises.TWO_AGES), np.array([*promises.TWO_AGES, promises.NEWCOMER])
    plan = Plan(["1/2"], "aq", PureDP(promises.CLAIM))
    _, sound = basics.median_distributions(plan, without, joined)
    _, broken = basics.median_distributions(plan, without, joined, Fraction(9, 10))
    assert 0.99 < sound <= promises.CLAIM < broken
    assert "within the claim" in promises.broken_claim("100", 1, True).sentence
    assert "broken" in promises.broken_claim("90", 1, True).sentence


def test_a_ledger_grants_ten_of_fifty_releases_and_averaging_helps() -> None:
    picture = promises.averaged_releases("50", 1, True)
    assert picture.table["a ledger of 0.5"].count("granted") == 10
    assert "refuses number 11" in picture.sentence
    for seed in range(1, 6):
        answers = promises.averaged_releases("50", seed, True).table
        truth = 39.0
        single = np.mean([abs(float(answer.split()[0]) - truth) for answer in answers["answer"]])
        assert abs(float(answers["average so far"][-1].split()[0]) - truth) < single / 2


def test_lessons_use_public_examples_only() -> None:
    assert sample_of("adult-age").n == 1000
    with pytest.raises(ValueError, match="read-only"):
        values_of("tiny")[0] = 1
