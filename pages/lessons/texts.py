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
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

FOLDER = Path(__file__).parents[1] / "texts" / "lessons"
PARTS = ("In plain words", "Predict", "Reveal", "Check", "Formula", "Go deeper")
CHOICE = re.compile(r"^- \[([ x])\] ", re.MULTILINE)
WORDS_A_MINUTE = 200
MINUTES_TO_PLAY = 0.5
"""To move the slider, and to read the title and the axes of the picture."""
LINK = re.compile(r"\[(?P<words>[^\]]+)\]\((?P<target>[^)]+)\)")


@dataclass(frozen=True)
class Choice:
    """One possible answer."""

    text: str
    right: bool
    because: str


@dataclass(frozen=True)
class Quiz:
    """A question with its choices."""

    text: str
    choices: tuple[Choice, ...]

    def choice(self, text: str) -> Choice:
        """Return the choice of that text."""
        return next(choice for choice in self.choices if choice.text == text)


@dataclass(frozen=True)
class Deeper:
    """Where to go on: a page and the settings that it opens with."""

    words: str
    page: str
    settings: dict[str, str]


@dataclass(frozen=True)
class LessonText:
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
        questions = [
            part
            for each in (self.predict, self.check)
            for part in (each.text, *(choice.text for choice in each.choices))
        ]
        right = next(choice.because for choice in self.check.choices if choice.right)
        read = " ".join([self.title, self.words, self.reveal, right, *questions])
        return len(read.split()) / WORDS_A_MINUTE + MINUTES_TO_PLAY


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
    title, _, terms = head.partition("\n\nWords: ")
    return LessonText(
        title=title.removeprefix("# ").strip(),
        terms=tuple(term.strip() for term in terms.split(",")),
        words=words,
        predict=_question(predict),
        reveal=reveal,
        check=_question(check),
        formula=formula,
        deeper=_deeper(deeper),
    )


def _question(body: str) -> Quiz:
    text, *rest = CHOICE.split(body)
    choices = []
    for mark, choice in zip(rest[::2], rest[1::2], strict=True):
        answer, _, because = choice.strip().partition("\n")
        choices.append(Choice(answer.strip(), mark == "x", " ".join(because.split())))
    if len(choices) < 2 or sum(choice.right for choice in choices) != 1:
        raise ValueError("A question has at least two choices, and one of them is right.")
    return Quiz(text.strip(), tuple(choices))


def _deeper(body: str) -> Deeper:
    found = LINK.fullmatch(body)
    if found is None:
        raise ValueError("A lesson ends with one link, [words](page?setting=value).")
    target = urlsplit(found["target"])
    return Deeper(found["words"], target.path, dict(parse_qsl(target.query, strict_parsing=bool(target.query))))
