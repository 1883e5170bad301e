"""The numbers of the lessons: as they were approved, and the laws and right answers found again from raw data."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest

from dpq_core.figures.lessons import STRONG
from dpq_core.sources.examples import load_example
from pages.learn.controls import LESSONS
from pages.learn.course import COURSE
from pages.learn.picture import LessonPicture, percent
from tests.approved import check_approved

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
    "one-by-one": far_more,
    "halves": lambda picture: strong_boxes(picture) == 4,
    "slices": lambda picture: strong_boxes(picture) == 1,
    "broken": only_all_answers_tell,
    "beliefs": twice_as_close,
}
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
