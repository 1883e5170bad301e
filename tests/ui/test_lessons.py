"""The lessons: every text whole, every link of use, every term explained, every figure following its slider.

The numbers are as they were approved; the laws and right answers are found again from raw data.
"""

import ast
import json
import re
from collections.abc import Callable
from math import exp
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest

from dpq_core.figures.lessons import STRONG
from dpq_core.sources.examples import load_example
from pages.learn.course import CODE, COURSE, EXERCISES, SHOWS, notebook
from pages.learn.shows import LessonPicture, percent
from pages.learn.texts import FOLDER, LESSONS, parse, text_of
from pages.menu import MENU
from pages.shell import links
from pages.shell.header import TEXTS, glossary
from tests.approved import check_approved

GREEK = re.compile(r"[\u0370-\u03ff]")
MOST_POINTS = 2000
MOST_WORDS = 70
"""Of an explanation."""


def test_every_text_is_a_lesson_and_every_lesson_has_all_it_needs() -> None:
    assert {file.stem for file in FOLDER.glob("*.md")} == set(LESSONS) == set(SHOWS)
    assert [lesson.number for lesson in COURSE.values()] == list(range(1, 9))
    minutes = [text_of(name).minutes for name in LESSONS]
    assert max(minutes) < 2
    assert 12 < sum(minutes) <= 15, "a quarter of an hour"


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_whole(name: str) -> None:
    text = text_of(name)
    assert all([text.title, text.words, text.predict.text, text.reveal, text.check.text, text.formula])
    assert all(choice.because for choice in text.check.choices), "right or wrong, the reason is told"
    assert re.search(r"\d{4}", text.formula) or "dpq_core" in text.formula, "a formula names its source"
    assert not GREEK.search(text.title + text.words + text.predict.text), "plain words first"
    assert text.terms
    assert set(text.terms) <= set(glossary())


@pytest.mark.parametrize("name", LESSONS)
def test_the_link_to_go_deeper_opens_a_page_with_settings_it_understands(name: str) -> None:
    deeper = text_of(name).deeper
    assert deeper.page in {page for page, _, _ in MENU}
    values, notes = links.read_link(deeper.settings, deeper.page)
    assert notes == []
    assert deeper.settings.items() <= values.items()


@pytest.mark.parametrize("broken", [
    lambda text: text.replace("## Reveal", "## Revealed"), lambda text: text.replace("- [x]", "- [ ]"),
    lambda text: text.replace("- [ ]", "- [x]", 1), lambda text: re.sub(r"\[.*\]\(.*\)", "read on", text),
], ids=["a part is missing", "nothing is right", "two are right", "no link"])  # fmt: skip
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


@pytest.mark.parametrize("name", LESSONS)
def test_a_seed_is_told_exactly_where_it_changes_the_figure(name: str) -> None:
    lesson = COURSE[name]
    one, other = (lesson.show(lesson.control.default, seed, True) for seed in (1, 2))
    assert (one.seed, other.seed) in {(1, 2), (None, None)}
    assert (one.figure.to_json() != other.figure.to_json()) == (one.seed is not None)


@pytest.mark.parametrize("name", LESSONS)
def test_the_revealed_text_names_the_state_that_the_question_asks_about(name: str) -> None:
    lesson = COURSE[name]
    in_question = lesson.control.in_question
    assert ("{shown}" in lesson.text.reveal) is bool(in_question)
    assert in_question in ("", *lesson.control.options)
    assert not in_question or lesson.control.shown(in_question) in lesson.reveal
    about = [each for each in lesson.text.reveal.split(". ") if "{shown}" in each]
    assert all(each.split()[0] in {"If", "With", "At", "Each"} for each in about), "it holds where the slider goes next"


@pytest.mark.slow
def test_the_notebook_runs_from_its_first_cell_to_its_last(capsys: pytest.CaptureFixture[str]) -> None:
    made = json.loads(notebook())
    names: dict[str, object] = {}
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert capsys.readouterr().out.count("off by") >= 10
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in made["cells"]}) == len(made["cells"])
    code = ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code"]
    assert code == [found.strip() for found in CODE.findall(EXERCISES.read_text("utf-8"))]


def asked_for() -> dict[str, str]:
    """Every constant that some `term(...)` is called with, and in which file."""
    found: dict[str, str] = {}
    for file in (Path(__file__).parents[2] / "pages").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "term":
                constants = [each.value for each in node.args if isinstance(each, ast.Constant)]
                found |= {value: file.name for value in constants if isinstance(value, str)}
    return found


def test_every_term_on_a_page_is_in_the_glossary() -> None:
    asked = asked_for()
    assert len(asked) >= 10, "the reader of calls finds them"
    assert {name: file for name, file in asked.items() if name not in glossary()} == {}
    assert set(glossary()) >= {"epsilon", "delta", "rho"}, "what the calls with a variable ask for"


def test_no_term_is_explained_twice_or_at_length() -> None:
    headings = [line for line in (TEXTS / "glossary.md").read_text().splitlines() if line.startswith("## ")]
    assert len(headings) == len(set(headings)) == len(glossary())
    assert {
        name: len(body.split()) for name, body in glossary().items() if not 5 < len(body.split()) <= MOST_WORDS
    } == {}


MOST = 100
"""Of the points of a curve."""
APPROVED = Path(__file__).parent / "approved" / "lessons.json"


def traces(picture: LessonPicture, name: str) -> list[Any]:
    return [trace for trace in picture.figure.data if (trace.name or "").startswith(name)]


def curve(picture: LessonPicture, name: str) -> np.ndarray:
    (trace,) = traces(picture, name)
    return np.asarray(trace.y, dtype=float)


def strong_boxes(picture: LessonPicture) -> int:
    return sum(shape.opacity == STRONG for shape in picture.figure.layout.shapes)


def raw(example: str) -> np.ndarray:
    """The column of an example, as its file has it."""
    return np.array(load_example(example).values)


def numbers_of(picture: LessonPicture) -> dict[str, Any]:
    """What the figure draws, what the table lists, and what the sentence says."""
    drawn = [[trace.name, *([*(each or ())][:MOST] for each in (trace.x, trace.y))] for trace in picture.figure.data]
    boxes = [[shape.x0, shape.x1, shape.opacity] for shape in picture.figure.layout.shapes]
    return {"drawn": drawn, "boxes": boxes, "table": picture.table, "sentence": picture.sentence}


@pytest.mark.parametrize("name", LESSONS)
def test_the_numbers_of_a_lesson_are_as_approved(name: str) -> None:
    lesson, control = COURSE[name], LESSONS[name]
    stops = dict.fromkeys((control.options[0], control.default, control.in_question, control.options[-1]))
    pictures = {
        f"{stop} {'after' if revealed else 'before'}": numbers_of(lesson.show(stop, 1, revealed))
        for stop in filter(None, stops) for revealed in (False, True)
    }  # fmt: skip
    check_approved(APPROVED, name, pictures)


def median_law(ages: list[float], epsilon: float) -> np.ndarray:
    """The chance of each private median 0, 1, ..., 100: among equal people it counts how many lie between."""
    ordered, grid = np.sort(ages), np.arange(101)
    below, up_to = (np.searchsorted(ordered, grid, side) for side in ("left", "right"))
    off = np.maximum(below - ordered.size / 2, ordered.size / 2 - up_to)
    weights = np.exp(-epsilon * (off - off.min()))
    return np.asarray(weights / weights.sum())


@pytest.mark.parametrize("kim", ["17", "30", "41", "90"])
def test_one_more_person_moves_the_law_by_less_than_the_claim(kim: str) -> None:
    ages, picture = raw("tiny").tolist(), COURSE["one-person"].show(kim, 1, True)
    laws = [median_law(ages, 0.5), median_law([*ages, int(kim)], 0.5)]
    for law, who in zip(laws, ("without", "with"), strict=True):
        assert curve(picture, f"private answer {who} Kim") == pytest.approx(law, rel=1e-6)
    ratio = exp(np.abs(np.log(laws[0] / laws[1])).max())
    assert f"{ratio:.2f}" in picture.sentence
    assert ratio < exp(0.5)


@pytest.mark.parametrize("epsilon", LESSONS["gaps"].options)
def test_the_chances_of_answers_are_those_of_their_law(epsilon: str) -> None:
    law = median_law(raw("tiny").tolist(), float(epsilon))
    assert curve(COURSE["gaps"].show(epsilon, 1, False), "probability") == pytest.approx(law, rel=1e-6)


@pytest.mark.parametrize("noise", LESSONS["broken"].options)
def test_a_claim_is_broken_where_an_answer_is_more_likely_than_it_allows(noise: str) -> None:
    people, picture = [40.0] * 10, COURSE["broken"].show(noise, 1, True)
    without, joined = (median_law(each, 100 / int(noise)) for each in (people, [*people, 0.0]))
    assert curve(picture, "times as likely") == pytest.approx(joined / without, rel=1e-6)
    beyond = np.flatnonzero(np.abs(np.log(joined / without)) > 1)
    assert sorted(int(x) for trace in traces(picture, "beyond the claim") for x in trace.x) == beyond.tolist()
    assert ("the claim holds" in picture.sentence) is (not beyond.size)


def twice_as_close(picture: LessonPicture) -> bool:
    answers, (truth,) = curve(picture, "one release"), set(curve(picture, "truth"))
    return bool(abs(curve(picture, "average so far")[-1] - truth) < np.abs(answers - truth).mean() / 2)


def far_more(picture: LessonPicture) -> bool:
    errors = dict(zip(traces(picture, "people off")[0].x, curve(picture, "people off"), strict=True))
    return bool(errors[15] > 15 * errors[1] and errors[1] < 1)


def only_all_answers_tell(picture: LessonPicture) -> bool:
    without, joined = (curve(picture, f"private answer {who} Kim") for who in ("without", "with"))
    return bool(np.abs(without - joined).sum() / 2 < 0.02 and len(traces(picture, "beyond the claim")[0].x) > 0)


def only_38_tells(picture: LessonPicture) -> bool:
    ages = raw("tiny").tolist()
    shown = {age: COURSE["one-person"].show(str(age), 1, False) for age in (30, *range(37, 44))}
    middles = {age: traces(each, "middle with Kim")[0].x[0] for age, each in shown.items()}
    between = all(middle == age for age, middle in middles.items() if 38 < age < 42)
    return between and all((middle == 38) is (age <= 38) for age, middle in middles.items()) and median(ages) == 40


IS_TRUE: dict[str, Callable[[LessonPicture], bool]] = {
    "quantile": lambda picture: traces(picture, "true middle")[0].x[0] == median(raw("adult-age")[:300].tolist()),
    "one-person": only_38_tells,
    "gaps": lambda picture: bool(curve(picture, "probability").min() > curve(picture, "probability").max() / 2),
    "one-by-one": far_more, "halves": lambda picture: strong_boxes(picture) == 4,
    "slices": lambda picture: strong_boxes(picture) == 1, "broken": only_all_answers_tell, "beliefs": twice_as_close,
}  # fmt: skip
"""The right answer of every prediction, in the figure of the state that is asked about."""


@pytest.mark.parametrize("name", LESSONS)
def test_the_right_answer_is_true_of_the_figure(name: str) -> None:
    lesson = COURSE[name]
    for seed in (1, 2):
        assert IS_TRUE[name](lesson.show(lesson.control.in_question or lesson.control.default, seed, True))


@pytest.mark.parametrize(
    ("probability", "shown"),
    [(0, "0 %"), (1, "100 %"), (0.9999, "over 99 %"), (0.206, "21 %"), (2.3e-9, "0.00000023 %"), (0.1, "10 %")],
)
def test_a_probability_in_percent_is_no_more_certain_than_it_is(probability: float, shown: str) -> None:
    assert percent(probability).replace("\u00a0", " ") == shown
