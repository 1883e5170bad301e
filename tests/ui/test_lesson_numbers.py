"""Every number of every lesson once more, by another way: from the raw ages and incomes, formulas written out here, and
an exponential mechanism of a few lines. For each stop of each slider, before and after the prediction.

What the figure draws, what the table lists and what the sentence says must agree with these, and so with each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from math import ceil, exp, floor
from statistics import median
from typing import Any

import numpy as np
import pytest

from dpq_core.figures.lessons.costs import STRONG
from pages.learn import structures
from pages.learn.course import COURSE
from pages.learn.picture import LessonPicture, percent
from pages.lessons.controls import LESSONS

NUMBER = re.compile(r"(?<![\w.])[+-]?\d[\d,]*(?:\.\d+)?")
RUNS = 3_000
STOPS = 6
"""Of a slider in one test."""


def traces(picture: LessonPicture, name: str) -> list[Any]:
    return [trace for trace in picture.figure.data if (trace.name or "").startswith(name)]


def curve(picture: LessonPicture, name: str) -> np.ndarray:
    (trace,) = traces(picture, name)
    return np.asarray(trace.y, dtype=float)


def strong_boxes(picture: LessonPicture) -> int:
    return sum(shape.opacity == STRONG for shape in picture.figure.layout.shapes)


def raw(example: str) -> np.ndarray:
    """The column of an example, as its file has it."""
    from dpq_core.sources.examples import load_example

    return np.array(load_example(example).values)


def numbers(text: str) -> list[float]:
    return [float(each.replace(",", "")) for each in NUMBER.findall(text)]


def shown(number: float, digits: int = 3) -> float:
    return float(f"{number:.{digits}g}")


def off_by(ordered: np.ndarray, q: float, values: Any) -> np.ndarray:
    """How many people stand between each value and the place of the quantile."""
    target = floor(q * ordered.size + 1e-9)
    below, up_to = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return np.asarray(np.maximum(np.maximum(below - target, target - up_to), 0))


def exponential(ordered: np.ndarray, q: float, epsilon: float, low: float, high: float, step: float) -> np.ndarray:
    """Simulated answers of an exponential mechanism on a grid: each value by how far it is off."""
    draw = np.random.default_rng([12, round(10_000 * q)])
    grid = np.arange(low, high + step, step)
    return np.asarray(draw.choice(grid, RUNS, p=law_of(ordered, q, epsilon, grid)))


def law_of(ordered: np.ndarray, q: float, epsilon: float, grid: np.ndarray) -> np.ndarray:
    """The probability of each value of a grid. Among equal people it counts how many lie between it and an error."""
    below, up_to = (np.searchsorted(ordered, grid, side) for side in ("left", "right"))
    off = np.maximum(below - q * ordered.size, q * ordered.size - up_to)
    weights = np.exp(-epsilon / (2 * max(q, 1 - q)) * (off - off.min()))
    return np.asarray(weights / weights.sum())


def median_law(ages: Sequence[float], epsilon: float) -> np.ndarray:
    """The probability of each private median 0, 1, ..., 100 of a few people."""
    return _median_law(tuple(sorted(ages)), epsilon)


@cache
def _median_law(ages: tuple[float, ...], epsilon: float) -> np.ndarray:
    return law_of(np.array(ages), 0.5, epsilon, np.arange(101))


def percents(cells: Sequence[str]) -> list[float]:
    return [float(cell.removesuffix("\u00a0%").replace("over 99", "100")) for cell in cells]


def same(cells: Sequence[str], wanted: Sequence[float] | np.ndarray) -> None:
    """What a table lists is this, in the digits that it has."""
    for cell, number in zip(cells, wanted, strict=True):
        found = numbers(cell)[0]
        decimals = len(cell.partition(".")[2].split("\u00a0")[0].split(" ")[0])
        assert found == pytest.approx(number, rel=0.06 if decimals == 0 and found > 10 else 0.051, abs=0.0501), cell


# ── one function for each lesson ─────────────────────────────────────────────────────────────────────────────────────


def the_middle(option: str, revealed: bool, picture: LessonPicture) -> None:
    ages = np.sort(raw("adult-age")[:300])
    if not revealed:
        assert sorted(picture.figure.data[0].x) == ages.tolist()
        assert numbers(picture.sentence) == []
        return
    ages[-10:] = 90
    guess = int(option)
    younger, up_to = int((ages < guess).sum()), int((ages <= guess).sum())
    error = max(150 - up_to, younger - 150, 0)
    place = [younger] if up_to == younger else [younger, up_to]
    assert numbers(picture.sentence) == [*place, 300, 150, *([error] if error else [])]
    (middle,) = traces(picture, "true middle")
    assert middle.x[0] == median(ages.tolist()) == numbers(picture.table["value"][2])[0]
    assert sorted(x for trace in picture.figure.data[:3] for x in trace.x) == ages.tolist()
    (crosses,) = [trace for trace in picture.figure.data if trace.marker.symbol == "x-thin-open"]
    assert list(crosses.x) == [90] * 10, "the ten oldest, and nobody else"
    assert [numbers(cell) for cell in picture.table["value"]] == [[guess], place, [39], [150], [error]]


def one_more(option: str, revealed: bool, picture: LessonPicture) -> None:
    ages = raw("tiny").tolist()
    kim = int(option)
    before, after = median(ages), median([*ages, kim])
    assert [traces(picture, f"middle {who} Kim")[0].x[0] for who in ("without", "with")] == [before, after]
    moved = [before] if before == after else [before, after]
    if not revealed:
        assert numbers(picture.sentence) == moved
        return
    laws = [median_law(ages, 0.5), median_law([*ages, kim], 0.5)]
    for law, who in zip(laws, ("without", "with"), strict=True):
        assert curve(picture, f"private answer {who} Kim") == pytest.approx(law, rel=1e-6)
    ratio = exp(np.abs(np.log(laws[0] / laws[1])).max())
    assert ratio < exp(0.5)
    assert numbers(picture.sentence) == [*moved, round(ratio, 2), 1.65]
    assert [numbers(cell)[0] for cell in picture.table["value"]] == [before, after, round(ratio, 2), 1.65]


def drawn_answers(option: str, revealed: bool, picture: LessonPicture) -> None:
    ages, epsilon = raw("tiny").tolist(), float(option)
    law = median_law(ages, epsilon)
    assert curve(picture, "probability") == pytest.approx(law, rel=1e-6)
    (truth,) = traces(picture, "true median")
    assert truth.x[0] == median(ages)
    near = [value for value in range(101) if off_by(np.sort(ages), 0.5, value) <= 1]
    told = numbers(picture.sentence.replace("over 99", "100"))
    assert told[:3] == [near[0], near[-1], min(shown(100 * law[near].sum(), 2), 100)]
    places = [int(numbers(cell)[0]) for cell in picture.table["answer"]]
    assert percents(picture.table["probability"]) == pytest.approx(100 * law[places], rel=0.06)
    if revealed:
        (dots,) = traces(picture, "500 simulated answers")
        hits = sum(share for value, share in zip(dots.x, dots.y, strict=True) if near[0] <= value <= near[-1])
        assert told[3:] == [500, shown(100 * hits, 2)]
        assert abs(hits - law[near].sum()) < 5 * (0.25 / 500) ** 0.5


def each_alone(option: str, revealed: bool, picture: LessonPicture) -> None:
    count, counts = int(option), [1, 3, 7, 15, 31, 63]
    if not revealed:
        assert numbers(picture.sentence) == ([1, count] if count > 1 else [])
        assert list(picture.figure.data[0].x) == [1 / count] * count
        return
    errors = curve(picture, "people off")
    for number, error in zip(counts[:5], errors, strict=False):
        assert error == pytest.approx(error_alone(number, 1 / number), rel=0.2, abs=0.2)
    same(picture.table["people off, on average"], errors)
    same(picture.table["budget of each"], [100 / number for number in counts])
    now = float(errors[counts.index(count)])
    assert numbers(picture.sentence)[-1] == (shown(now, 2) if now >= 0.95 else ceil(now))


@lru_cache(maxsize=64)
def error_alone(count: int, epsilon: float) -> float:
    """How far each of several quantiles is off, each drawn from all ages with this budget, then put in order."""
    ages = np.sort(raw("adult-age"))[:1000]
    levels = [at / (count + 1) for at in range(1, count + 1)]
    answers = np.sort([exponential(ages, q, epsilon, 0, 120, 1) for q in levels], axis=0)
    return float(np.mean([off_by(ages, q, each).mean() for q, each in zip(levels, answers, strict=True)]))


def cut_in_two(option: str, revealed: bool, picture: LessonPicture) -> None:
    ages, count = np.sort(raw("adult-age")), int(option)
    depth = int(np.log2(count)) + 1
    parts = [(*numbers(cell), *numbers(drawn)) for cell, drawn in zip(picture.table["between"], picture.table["drawn"])]  # noqa: B905
    assert [int(row) for row in picture.table["row"]] == [row + 1 for row in range(depth) for _ in range(2**row)]
    for at, (low, high, _) in enumerate(parts):
        if at:
            parent = parts[(at - 1) // 2]
            assert (low, high) == ((parent[0], parent[2]) if at % 2 else (parent[2], parent[1]))
        shape = picture.figure.layout.shapes[at]
        assert (shape.x0, shape.x1) == (low, high)
    assert list(traces(picture, "drawn value")[0].x) == [value for *_, value in parts]
    if not revealed:
        assert numbers(picture.sentence) == [count, depth]
        return
    kim = ages[structures.PERSON]
    assert traces(picture, "Kim")[0].x[0] == kim
    held = [each == "yes" for each in picture.table["holds Kim"]]
    assert all(low <= kim <= high for (low, high, _), holds in zip(parts, held, strict=True) if holds)
    assert sum(held) == strong_boxes(picture) == depth, "one in each row"
    assert [row for row, holds in zip(picture.table["row"], held, strict=True) if holds] == [
        *map(str, range(1, depth + 1))
    ]
    told = numbers(picture.sentence)
    assert told[:2] == [depth, count]
    assert told[2] <= told[3], "splitting is never worse"
    alone = error_alone(count, 0.5 / count)
    assert told[3] == pytest.approx(max(alone, 1), rel=0.3, abs=0.2), "few runs, in which some are far off"


def thin_slices(option: str, revealed: bool, picture: LessonPicture) -> None:
    count = int(option)
    targets = [floor(10_000 * at / (count + 1)) for at in range(1, count + 1)]
    ends = [[int(end) for end in numbers(cell)] for cell in picture.table["slice"]]
    assert [numbers(cell)[0] for cell in picture.table["target rank"]] == targets
    assert list(traces(picture, "target rank")[0].x) == targets
    assert [[shape.x0, shape.x1] for shape in picture.figure.layout.shapes] == ends
    assert len({last - first + 1 for first, last in ends}) == 1
    assert all(last < first for (_, last), (first, _) in pairwise(ends)), "slices never touch"
    if not revealed:
        assert numbers(picture.sentence) == [count, ends[0][1] - ends[0][0] + 1, 10_000]
        return
    drawn = [int(numbers(cell)[0]) for cell in picture.table["drawn at"]]
    noisy = [int(numbers(cell)[0]) for cell in picture.table["noisy rank"]]
    assert all(first <= at <= last for at, (first, last) in zip(drawn, ends, strict=True))
    assert [(first + last) // 2 for first, last in ends] == noisy
    held = [first <= structures.IN_A_SLICE <= last for first, last in ends]
    assert [each == "yes" for each in picture.table["holds Kim"]] == held
    assert strong_boxes(picture) == sum(held)
    farthest = max(abs(at - target) for at, target in zip(drawn, targets, strict=True))
    told = numbers(picture.sentence.replace("none", "0"))
    assert told == [sum(held), count, farthest]


def as_claimed(option: str, revealed: bool, picture: LessonPicture) -> None:
    people, noise = [40.0] * 10, int(option) / 100
    laws = [median_law(people, 1 / noise), median_law([*people, 0.0], 1 / noise)]
    for law, who in zip(laws, ("without", "with"), strict=True):
        assert curve(picture, f"private answer {who} Kim") == pytest.approx(law, rel=1e-6)
        assert percents(picture.table[f"{who} Kim"]) == pytest.approx(100 * law[::10], rel=0.06)
    told = numbers(picture.sentence)
    assert told[0] == int(option)
    if not revealed:
        return
    ratios = laws[1] / laws[0]
    assert curve(picture, "times as likely") == pytest.approx(ratios, rel=1e-6)
    worst = exp(np.abs(np.log(ratios)).max())
    assert told[1:] == [shown(worst), shown(exp(1))]
    assert ("the claim holds" in picture.sentence) is (worst <= exp(1))
    assert [float(cell) for cell in picture.table["times as likely"]] == [shown(float(each)) for each in ratios[::10]]
    beyond = traces(picture, "beyond the claim")
    crossed = [at for at, ratio in enumerate(ratios) if max(ratio, 1 / ratio) > exp(1)]
    assert sorted(int(x) for trace in beyond for x in trace.x) == crossed


def averaged(option: str, revealed: bool, picture: LessonPicture) -> None:
    many, truth = int(option), median(raw("adult-age")[:300].tolist())
    answers = curve(picture, "one release")
    assert answers.tolist() == [numbers(cell)[0] for cell in picture.table["answer"]]
    assert set(curve(picture, "truth")) == {truth}
    assert answers.size == many
    told = numbers(picture.sentence)
    if not revealed:
        assert told == [many, shown(0.05 * many)]
        return
    averages = [float(answers[: at + 1].mean()) for at in range(many)]
    assert curve(picture, "average so far") == pytest.approx(averages)
    assert [numbers(cell)[0] for cell in picture.table["average so far"]] == pytest.approx(averages, abs=0.0051)
    typical, off = float(np.abs(answers - truth).mean()), abs(averages[-1] - truth)
    mean = [] if many == 1 else [many, pytest.approx(off, abs=0.051)]
    assert told == [pytest.approx(typical, abs=0.051), *mean, 0.5, 11, 0.05, 0]
    assert picture.table["a ledger of 0.5"] == [
        "granted" if number <= 10 else "refused" for number in range(1, many + 1)
    ]


AGAIN: dict[str, Callable[[str, bool, LessonPicture], None]] = {
    "quantile": the_middle,
    "one-person": one_more,
    "gaps": drawn_answers,
    "one-by-one": each_alone,
    "halves": cut_in_two,
    "slices": thin_slices,
    "broken": as_claimed,
    "beliefs": averaged,
}


PARTS = [(name, at) for name in LESSONS for at in range(0, len(COURSE[name].control.options), STOPS)]


@pytest.mark.slow(keep=[f"{name}-0" for name in LESSONS])
@pytest.mark.parametrize(("name", "at"), PARTS)
def test_every_number_of_figure_table_and_sentence_is_found_again(name: str, at: int) -> None:
    lesson = COURSE[name]
    for option in lesson.control.options[at : at + STOPS]:
        for revealed in (False, True):
            AGAIN[name](option, revealed, lesson.show(option, 1, revealed))


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
