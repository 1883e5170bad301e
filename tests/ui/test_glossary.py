"""The glossary: every term that a page asks for is in it, once, and short."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pages.frame.header import TEXTS, glossary, term
from pages.lessons.controls import LESSONS
from pages.lessons.texts import text_of

ROOT = Path(__file__).parents[2]
MOST_WORDS = 70
MEASURES = {"epsilon", "delta", "rho"}
"""What the calls of `term` with a variable ask for."""


def asked_for() -> dict[str, str]:
    """Every constant that some `term(...)` is called with, and in which file."""
    found: dict[str, str] = {}
    for file in (ROOT / "pages").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "term":
                constants = [each.value for each in node.args if isinstance(each, ast.Constant)]
                found |= {value: file.name for value in constants if isinstance(value, str)}
    return found


def test_every_term_on_a_page_is_in_the_glossary() -> None:
    asked = asked_for()
    assert len(asked) >= 10, "the reader of calls finds them"
    assert {name: file for name, file in asked.items() if name not in glossary()} == {}
    assert set(glossary()) >= MEASURES


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_word_of_a_lesson_is_in_the_glossary(lesson: str) -> None:
    terms = text_of(lesson).terms
    assert terms
    assert set(terms) <= set(glossary())


def test_no_term_is_explained_twice_or_at_length() -> None:
    headings = [line for line in (TEXTS / "glossary.md").read_text().splitlines() if line.startswith("## ")]
    assert len(headings) == len(set(headings)) == len(glossary())
    assert {
        name: len(body.split()) for name, body in glossary().items() if not 5 < len(body.split()) <= MOST_WORDS
    } == {}


def test_an_unknown_term_is_no_silence() -> None:
    with pytest.raises(KeyError):
        term("anonymised")
