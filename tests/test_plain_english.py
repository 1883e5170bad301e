"""Words and phrases that make a reader read twice do not come back into the written pages."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

import dpq_core as dpq
from dpq_core.__main__ import main
from tests.documents import PAGES, ROOT

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
NO_VERB = {"The", "A", "An", "What", "How", "Which", "Whether", "Where", "All", "One", "It", "That"}
"""What a docstring of a public name does not begin with."""


def public_docstrings() -> Iterator[tuple[str, str]]:
    """Every public name of the package, and its public methods, own and inherited, with what each says."""
    for name in dpq.__all__:
        found = getattr(dpq, name)
        if inspect.isclass(found):
            yield name, found.__doc__ or ""
            bases = [base for base in reversed(found.__mro__) if base.__module__.startswith("dpq_core")]
            methods = {key: value for base in bases for key, value in vars(base).items() if not key.startswith("_")}
            for key, value in methods.items():
                function = getattr(value, "fget", None) or getattr(value, "func", None) or value
                function = getattr(function, "__func__", function)
                if inspect.isfunction(function):
                    yield f"{name}.{key}", function.__doc__ or ""
        elif callable(found):
            yield name, found.__doc__ or ""


WRITTEN = [*PAGES, ROOT / "CHANGELOG.md"]


def found_in(text: str) -> dict[str, str]:
    """Return the words of the list that a text has, each with what to write; code and quotations of it do not count."""
    prose = re.sub(r"^```.*?^```|`[^`]*`", "", text, flags=re.MULTILINE | re.DOTALL)
    joined = " ".join(prose.split())
    return {
        match.group().lower(): instead
        for words, instead in INSTEAD.items()
        for match in re.finditer(rf"\b(?:{words})\b", joined, re.IGNORECASE)
    }


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_no_page_has_a_word_of_the_list(page: Path) -> None:
    assert found_in(page.read_text(encoding="utf-8")) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [("Whoever wants\nmay.", "whoever"), ("what\nis said here", "is said"), ("`whatever` is code", None)],
)
def test_the_list_is_found_in_a_text(text: str, words: str | None) -> None:
    assert set(found_in(text)) == ({words} if words else set())


@pytest.mark.parametrize(
    "command", ["", "release", "report", "study", "papers", "ledger", "ledger accept", "ledger rekey", "app"]
)
def test_no_help_of_a_command_has_a_word_of_the_list(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([*command.split(), "--help"])
    text = capsys.readouterr().out
    assert "usage: dpq" in text
    assert found_in(text) == {}


FOLDERS = ("dpq_core", "pages")
"""Folders without a word of the list, in no text, docstring or comment."""


def texts_of(file: Path) -> Iterator[str]:
    """Every string and comment of a file of Python; of another file, all of it."""
    content = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        yield content
        return
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_text_docstring_or_comment_of_a_folder_has_a_word_of_the_list(folder: str) -> None:
    files = [file for file in (ROOT / folder).rglob("*") if file.suffix in {".py", ".md"}]
    found = {
        f"{file.relative_to(ROOT)}: {words}" for file in files for text in texts_of(file) for words in found_in(text)
    }
    assert files
    assert found == set()


def test_strings_and_comments_of_a_file_are_found(tmp_path: Path) -> None:
    file = tmp_path / "some.py"
    file.write_text('"""Whoever."""\nname = "somebody"  # whatever\n', encoding="utf-8")
    assert {words for text in texts_of(file) for words in found_in(text)} == {"whoever", "somebody", "whatever"}


DOCSTRINGS = dict(public_docstrings())


@pytest.mark.parametrize("name", DOCSTRINGS)
def test_a_public_name_says_what_it_does_verb_first_and_in_plain_words(name: str) -> None:
    words = DOCSTRINGS[name].split()
    assert len(words) >= 3
    assert words[0] not in NO_VERB
    assert found_in(DOCSTRINGS[name]) == {}


def test_methods_and_functions_of_every_kind_are_found() -> None:
    assert {"Plan.to_json", "Sample.from_values", "Sample.n", "best_plan", "Study.to_frame"} <= set(DOCSTRINGS)
    assert len(DOCSTRINGS) >= 150
