"""The texts of the lessons, read from Markdown: every part has a fixed heading.

    # Title
    Words: terms of the glossary, separated by commas
    ## In plain words, ## Predict, ## Reveal, ## Check, ## Formula, ## Go deeper

In the reveal, `{shown}` is the state that the question asks about, as the slider shows it. The two questions
are a sentence and a task list, in which `[x]` marks what is right; the lines under a choice say why.
`Go deeper` is one link, `[words](page?setting=value)`, to a page of this dashboard.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

FOLDER = Path(__file__).parents[1] / "texts" / "lessons"
PARTS = ("In plain words", "Predict", "Reveal", "Check", "Formula", "Go deeper")
CHOICE = re.compile(r"^- \[([ x])\] ", re.MULTILINE)
LINK = re.compile(r"\[(?P<words>[^\]]+)\]\((?P<target>[^)]+)\)")
WORDS_A_MINUTE = 200
MINUTES_TO_PLAY = 0.5
"""To move the slider, and to read the title and the axes of the picture."""


class Choice(NamedTuple):
    """One possible answer, and why it is right or wrong."""

    text: str
    is_right: bool
    because: str


class Quiz(NamedTuple):
    """A question with its choices."""

    text: str
    choices: tuple[Choice, ...]

    @property
    def right(self) -> Choice:
        """The choice that is right."""
        return next(choice for choice in self.choices if choice.is_right)


class Deeper(NamedTuple):
    """Where to go on: a page and the settings that it opens with."""

    words: str
    page: str
    settings: dict[str, str]


class LessonText(NamedTuple):
    """Everything that a lesson says, as Markdown."""

    title: str
    terms: tuple[str, ...]
    words: str
    predict: Quiz
    reveal: str
    check: Quiz
    formula: str
    deeper: Deeper

    @property
    def minutes(self) -> float:
        """How long the lesson takes, without its formula and the words of the glossary."""
        read = [self.title, self.words, self.reveal, self.check.right.because, self.predict.text, self.check.text]
        read += [each.text for each in (*self.predict.choices, *self.check.choices)]
        return len(" ".join(read).split()) / WORDS_A_MINUTE + MINUTES_TO_PLAY


@lru_cache(maxsize=32)
def text_of(name: str) -> LessonText:
    """Return the text of a lesson. Raises KeyError or ValueError where a part is missing: a mistake in the file."""
    return parse((FOLDER / f"{name}.md").read_text(encoding="utf-8"))


def parse(markdown: str) -> LessonText:
    """Return a lesson from its Markdown. Raises ValueError."""
    head, *sections = markdown.split("\n## ")
    parts = {heading.strip(): body.strip() for heading, _, body in (section.partition("\n") for section in sections)}
    if tuple(parts) != PARTS or not all(parts.values()):
        raise ValueError(f"A lesson has the parts {', '.join(PARTS)}, in this order and none empty.")
    words, predict, reveal, check, formula, deeper = parts.values()
    title, _, terms = head.removeprefix("# ").partition("\n\nWords: ")
    link = LINK.fullmatch(deeper)
    if link is None:
        raise ValueError("A lesson ends with one link, [words](page?setting=value).")
    target = urlsplit(link["target"])
    settings = dict(parse_qsl(target.query, strict_parsing=bool(target.query)))
    return LessonText(
        title.strip(), tuple(term.strip() for term in terms.split(",")), words, _quiz(predict), reveal, _quiz(check),
        formula, Deeper(link["words"], target.path, settings),
    )  # fmt: skip


def _quiz(body: str) -> Quiz:
    text, *rest = CHOICE.split(body)
    choices = []
    for mark, choice in zip(rest[::2], rest[1::2], strict=True):
        answer, _, because = choice.strip().partition("\n")
        choices.append(Choice(answer.strip(), mark == "x", " ".join(because.split())))
    if len(choices) < 2 or sum(choice.is_right for choice in choices) != 1:
        raise ValueError("A question has at least two choices, and one of them is right.")
    return Quiz(text.strip(), tuple(choices))
