"""What no text and no module has: words that make a reader read twice, and the nevers of the design.

A complaint says file and line, and what to do instead. Imports, randomness and swallowed errors are checked by
import-linter and ruff, as pyproject.toml says.
"""

import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import dpq_core as dpq
from tests.documents import PAGES, ROOT, modules
from tests.narrowing import present

WORDS = {
    r"whoever": "name the person: a reader, a visitor, a curator", r"whatever": "any, every, or what it is",
    r"somebody|someone else|anybody": "a person, or the person meant", r"(?:is|are) said": "name who says it",
    r"(?:is|are|was|were) told": "name who tells it", r"so many": "a number, or 'at most k'",
    r"a coin gets": "someone who guesses is right", r"told apart|tells? apart|tells? more apart": "distinguish",
    r"stands? (?:in|under|on|at|alone|there|against|for)|stood": "is, or has",
    r"hopeless(?!\()|dear|dearest|dearer": "too small; expensive", r"what stays": "residual risk",
    r"thereof|of which one line says": "write a sentence of its own", r"the mend|mended(?!\()": "the fix",
    r"nobody knows": "you do not know", r"fine-tuning": "Advanced", r"spent if released": "Budget this would use",
    r"made to agree": "made consistent", r"set right what": "correct the fields in red",
}  # fmt: skip
"""Words of texts, docstrings, comments and pages, each with what to write; quoted in backticks they may stand."""
GAP = r"(?:\s|[\"'#])+"
"""What a line break may put between two words: quotation marks of a text that goes on, the mark of a comment."""


class Never(NamedTuple):
    """A pattern that no module of some folders has, but for those whose task it is."""

    pattern: str
    folders: tuple[str, ...]
    but: tuple[str, ...]
    instead: str
    unless: str = "$^"
    """What a match must have to be right."""


ALL = ("dpq_core", "pages", "app")
DASHBOARD = ("pages", "app")
CALL = r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)"
"""The arguments of a call, with calls in calls in calls."""
ADDS_LOSSES = ("dpq_core.privacy", "dpq_core.mechanisms")
MADE_TWICE = "let pages/keys.py make the key: two that are made in two places can be the same by accident"

NEVERS = (
    Never(
        r"(?<!%)(?<!%\{)\{[^{}]*:[.\d]+%\}", ALL, (),
        "write a blank before %: only plotly's own templates, `%{y:.1%}`, know no other way",
    ),
    Never(r"\bround_(?:up|down)\b", ALL, ADDS_LOSSES, "ask dpq_core.privacy: losses are added in one place"),
    Never(
        r"(?<!class )\bGuarantee\(", ALL, (*ADDS_LOSSES, "dpq_core.ledger", "dpq_core.release"),  # what is stored
        "ask dpq_core.privacy: losses are added in one place",
    ),
    Never(r"\bsuppress\((?:Base)?Exception\)", ALL, (), "name the error that may come: none is swallowed unseen"),
    Never(r"\bdpq[_:](?!core)|\bPREFIX\b", DASHBOARD, ("pages.keys",), MADE_TWICE),
    Never(r"\bkey=(?:f?[\"']|\w[\w.]* \+)", DASHBOARD, ("pages.keys",), MADE_TWICE),
    Never(r"\bst\.session_state(?:\[|\.\w+\()\s*f?[\"']", DASHBOARD, ("pages.keys",), MADE_TWICE),
    Never(r"[\"'] (?:not )?in st\.session_state", DASHBOARD, ("pages.keys",), MADE_TWICE),
    Never(
        rf"(?<!\bfields)\.(?:text_input|text_area|chat_input){CALL}", DASHBOARD, (),
        "give `max_chars`: one message of some megabytes keeps all visitors waiting", unless="max_chars=",
    ),
    Never(
        rf"\b(?:ParameterError|Infeasible){CALL}", ("dpq_core",), (),
        "give each name as a Name: one in backticks would reach the screen as it is", unless="^[^`]*$",
    ),
    Never(
        rf"\bDataError{CALL}", ("dpq_core.sources",), (),
        "say by `discloses=` which fact about the data the message tells", unless=r"discloses=Disclosure\.[A-Z]",
    ),
)  # fmt: skip


def words_in(text: str, of_python: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the line of each word of the list, and what to write."""
    code = r"`[^`\n]*`" if of_python else r"^```.*?^```|`[^`]*`"
    prose = re.sub(code, lambda found: re.sub(r"[^\n]", "_", found.group()), text, flags=re.MULTILINE | re.DOTALL)
    for found in ANY_WORD.finditer(prose.lower()):
        line = prose.count("\n", 0, found.start()) + 1
        yield line, f"“{' '.join(found.group().split())}”: {list(WORDS.values())[int(present(found.lastgroup)[1:])]}"


ANY_WORD = re.compile(
    r"\b(?:" + "|".join(f"(?P<w{at}>{words.replace(' ', GAP)})" for at, words in enumerate(WORDS)) + r")\b"
)


def nevers_in(text: str, module: str) -> Iterator[tuple[int, str]]:
    """Yield the line of each pattern that a module must not have, and what to do instead."""
    for never in NEVERS:
        if module.startswith(never.folders) and not module.startswith(never.but):
            for found in re.finditer(never.pattern, text):
                if not re.search(never.unless, found.group()):
                    yield text.count("\n", 0, found.start()) + 1, never.instead


def complaints(found: Iterable[tuple[Path, Iterable[tuple[int, str]]]]) -> str:
    return "\n".join(f"{file.relative_to(ROOT)}:{line}: {say}" for file, lines in found for line, say in lines)


def test_no_text_has_a_word_of_the_list() -> None:
    pages = [*PAGES, ROOT / "CHANGELOG.md", *(ROOT / "dpq_core").rglob("*.md"), *(ROOT / "pages").rglob("*.md")]
    files = [*pages, *modules().values()]
    assert not complaints((file, words_in(file.read_text("utf-8"), file.suffix == ".py")) for file in files)


def test_no_module_has_what_none_may_have() -> None:
    assert not complaints((file, nevers_in(file.read_text("utf-8"), module)) for module, file in modules().items())


def docstrings() -> Iterator[tuple[str, str]]:
    """Yield every public name of the package, and its public methods, own and inherited, with what each says."""
    for name in dpq.__all__:
        found = getattr(dpq, name)
        if callable(found):
            yield name, found.__doc__ or ""
        bases = [base for base in getattr(found, "__mro__", ()) if base.__module__.startswith("dpq_core")]
        for key in {key for base in bases for key in vars(base) if not key.startswith("_")}:
            value = inspect.getattr_static(found, key)
            method = getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", value)
            if inspect.isfunction(method):
                yield f"{name}.{key}", method.__doc__ or ""


def test_a_docstring_of_a_public_name_starts_with_a_verb() -> None:
    found = dict(docstrings())
    no_verb = {"The", "A", "An", "What", "How", "Which", "Whether", "Where", "All", "One", "It", "That"}
    assert {name for name, text in found.items() if len(text.split()) < 3 or text.split()[0] in no_verb} == set()
    assert {"Plan.to_json", "Column.from_values", "Column.n", "forecast", "Study.to_frame"} <= found.keys()
