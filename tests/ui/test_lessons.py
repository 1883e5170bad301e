"""The lessons: every text whole, every link of use, every term explained, every figure following its slider."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pages.learn.controls import LESSONS
from pages.learn.course import CODE, COURSE, EXERCISES, SHOWS, notebook
from pages.learn.texts import FOLDER, parse, text_of
from pages.menu import MENU
from pages.shell import links
from pages.shell.header import TEXTS, glossary

GREEK = re.compile(r"[\u0370-\u03ff]")
MOST_POINTS = 2000
MOST_WORDS = 70
"""Of an explanation."""


def test_every_text_is_a_lesson_and_every_lesson_has_all_it_needs() -> None:
    assert {file.stem for file in FOLDER.glob("*.md")} == set(LESSONS) == set(SHOWS)
    assert [lesson.number for lesson in COURSE.values()] == list(range(1, 9))


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
    understood = {name: values.get(name, values.get(f"option_{name}")) for name in deeper.settings}
    assert understood == deeper.settings


def test_all_lessons_together_take_a_quarter_of_an_hour() -> None:
    minutes = {name: text_of(name).minutes for name in LESSONS}
    assert max(minutes.values()) < 2
    assert 12 < sum(minutes.values()) <= 15


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
