"""Words and phrases that make a reader read twice do not come back into the written pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.documents import PAGES

INSTEAD = {
    r"whoever": "name the person: a reader, a visitor, a curator",
    r"whatever": "any, every, or what it is",
    r"somebody|someone else|anybody": "a person, or the person meant",
    r"(?:is|are) said": "name who says it",
    r"(?:is|are|was|were) told": "name who tells it",
    r"so many": "a number, or 'at most k'",
    r"a coin gets": "someone who guesses is right",
    r"told apart|tells? apart|tells? more apart": "distinguish",
    r"stands? (?:in|under|on|at|alone|there|against|for)|stood": "is, or has",
    r"hopeless|dear|dearest|dearer": "too small; expensive",
    r"what stays": "residual risk",
    r"thereof|of which one line says": "write a sentence of its own",
    r"the mend|mended": "the fix",
    r"nobody knows": "you do not know",
}
"""Patterns, each between word boundaries, and what to write."""
EXCEPTIONS = {
    ("privacy.md", "is said"): "a disclosure, word by word as the code has it",
    ("words.md", "so many"): "a label of the page",
}
"""(page, words): why they are there."""


def found_in(text: str) -> dict[str, str]:
    """Return the words of the list that a text has, each with what to write; code and quotations of it do not count."""
    prose = re.sub(r"^```.*?^```|`[^`]*`", "", text, flags=re.MULTILINE | re.DOTALL)
    joined = " ".join(prose.split())
    return {
        match.group().lower(): instead
        for words, instead in INSTEAD.items()
        for match in re.finditer(rf"\b(?:{words})\b", joined, re.IGNORECASE)
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_has_a_word_of_the_list(page: Path) -> None:
    found = found_in(page.read_text(encoding="utf-8"))
    assert {words: how for words, how in found.items() if (page.name, words) not in EXCEPTIONS} == {}


def test_every_exception_is_needed() -> None:
    pages = {page.name: found_in(page.read_text(encoding="utf-8")) for page in PAGES}
    assert [name for name, words in EXCEPTIONS if words not in pages[name]] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [("Whoever wants\nmay.", "whoever"), ("what\nis said here", "is said"), ("`whatever` is code", None)],
)
def test_the_list_is_found_in_a_text(text: str, words: str | None) -> None:
    assert set(found_in(text)) == ({words} if words else set())
