"""The lessons in their order: the slider of each, whose options links know as well, and its text, read from Markdown.

Every part of a text has a fixed heading:

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
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Control:
    """A slider over a few texts, by the name of its setting."""

    setting: str
    label: str
    options: tuple[str, ...]
    default: str
    unit: str = ""
    in_question: str = ""
    """Where the slider goes once the prediction was made: the state that the question asks about.

    Empty where the figure shows that state at every position of the slider.
    """

    def shown(self, option: str) -> str:
        """Return an option as it is shown beside the slider: `1,000 years`."""
        number = f"{int(option):,}" if option.isdigit() else option
        return f"{number} {self.unit.removesuffix('s') if option == '1' else self.unit}".strip()


AGES = tuple(map(str, range(17, 91)))
MANY = "How many quantiles?"
LESSONS = {
    "quantile": Control("learn_guess", "Your line: half of the people should be younger", AGES, "50", "years"),
    "one-person": Control("learn_newcomer", "How old is Kim?", AGES, "30", "years", "30"),
    "gaps": Control(
        "learn_gap_epsilon", "Budget (epsilon): to the left is more private", ("0.1", "0.2", "0.5", "1", "2", "5"), "1",
        in_question="0.1",
    ),
    "one-by-one": Control("learn_one_by_one", MANY, ("1", "3", "7", "15", "31", "63"), "3", in_question="15"),
    "halves": Control("learn_halves", MANY, ("1", "3", "7", "15", "31"), "7", in_question="15"),
    "slices": Control("learn_slices", MANY, ("3", "5", "9", "19"), "5", in_question="19"),
    "beliefs": Control(
        "learn_releases", "How often is the same median released?", ("1", "2", "5", "10", "20", "50"), "5",
        "times", "50",
    ),
    "broken": Control(
        "learn_noise", "Noise that is really added", ("100", "90", "80", "65", "50", "33"), "100", "percent", "65"
    ),
}  # fmt: skip
"""By the names of the lessons in links."""


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
