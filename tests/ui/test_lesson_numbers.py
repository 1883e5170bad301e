"""Every number of every lesson once more, by another way: from the raw ages and incomes, formulas written out here, and
an exponential mechanism of a few lines. For each stop of each slider, before and after the prediction.

What the figure draws, what the table lists and what the sentence says must agree with these, and so with each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from math import ceil, comb, exp, floor, log
from statistics import median
from typing import Any

import numpy as np
import pytest

from pages.learn import basics, promises, rows, structures, surety, unknown
from pages.learn.course import COURSE
from pages.learn.picture import LessonPicture
from pages.lessons.controls import LESSONS
from tests.narrowing import present
from tests.ui.test_lesson_facts import curve, traces

NUMBER = re.compile(r"(?<![\w.])[+-]?\d[\d,]*(?:\.\d+)?")
RUNS = 3_000


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


def row_by_row(option: str, revealed: bool, picture: LessonPicture) -> None:
    minutes, times = [10.0] * 6 + [60.0] * 6, int(option)
    without = median_law(minutes, 0.5)

    def loss(count: int) -> float:
        return float(np.abs(np.log(median_law([*minutes, *[0.0] * count], 0.5) / without)).max())

    if not revealed:
        laws = [without, median_law([*minutes, *[0.0] * times], 0.5)]
        for law, who in zip(laws, ("without", "with"), strict=True):
            assert curve(picture, f"private answer {who} Kim") == pytest.approx(law, rel=1e-6)
        same(picture.table["probability"], [100 * law[:10].sum() for law in laws])
        return
    counts = [1, 2, 3, 5, 9, 20]
    lines = {
        "at most, by rows": [exp(0.5 * count) for count in counts],
        "here, by rows": [exp(loss(count)) for count in counts],
        "Kim’s mean alone": [exp(loss(1))] * len(counts),
    }
    for name, line in lines.items():
        assert curve(picture, name) == pytest.approx(line, rel=1e-6)
        assert [numbers(cell)[0] for cell in picture.table[name]] == [shown(each) for each in line]
    here = counts.index(times)
    told = numbers(picture.sentence.replace("once", "1 times"))
    assert told == [times, shown(lines["here, by rows"][here]), shown(lines["Kim’s mean alone"][here])]


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
        assert [bar.x[0] for bar in picture.figure.data] == [1 / count] * count
        return
    errors = curve(picture, "asked")
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
    assert sum(held) == depth
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
    if not revealed:
        assert numbers(picture.sentence) == [count, ends[0][1] - ends[0][0] + 1, 10_000]
        return
    drawn = [int(numbers(cell)[0]) for cell in picture.table["drawn at"]]
    noisy = [int(numbers(cell)[0]) for cell in picture.table["noisy rank"]]
    assert all(first <= at <= last for at, (first, last) in zip(drawn, ends, strict=True))
    assert [(first + last) // 2 for first, last in ends] == noisy
    held = [first <= structures.IN_A_SLICE <= last for first, last in ends]
    assert [each == "yes" for each in picture.table["holds Kim"]] == held
    farthest = max(abs(at - target) for at, target in zip(drawn, targets, strict=True))
    told = numbers(picture.sentence.replace("none", "0"))
    assert told == [sum(held), count, farthest]


def both_norms(option: str, revealed: bool, picture: LessonPicture) -> None:
    low = int(option) / 100
    shares = np.array([low, 1 - 2 * low, low])
    moved = [(1 - low, low), (-low, low), (-low, low - 1)]  # ranks moved, less what the shares have grown by
    for column, at in (("error of the lower answer", 0), ("error of the upper answer", 1)):
        assert [numbers(cell)[0] for cell in picture.table[column]] == pytest.approx([each[at] for each in moved])
    marks = [(trace.x[0], trace.y[0]) for trace in picture.figure.data if trace.name.startswith("Kim")]
    assert marks == [pytest.approx(each) for each in moved]
    if not revealed:
        assert numbers(picture.sentence) == [pytest.approx(1 - low)]
        return

    def joint(counts: np.ndarray) -> Any:
        return np.abs(counts - shares * counts.sum(axis=-1, keepdims=True)).sum(axis=-1)

    def best(counts: np.ndarray) -> Any:
        totals = counts / shares
        return np.abs(counts[..., None, :] - shares * totals[..., None]).sum(axis=-1).min(axis=-1)

    one = np.eye(3)
    for name, distance in (("compared with all (JointExp)", joint), ("with the best total", best)):
        assert [numbers(cell)[0] for cell in picture.table[name]] == [shown(float(each)) for each in distance(one)]
    places = np.linspace(-1.2, 1.2, 481)
    lower, upper = (each.ravel() for each in np.meshgrid(places, places))
    errors = np.column_stack([lower, upper - lower, -upper])
    areas = [
        float((distance(errors) <= most).mean()) for distance, most in ((joint, 2 * (1 - shares.min())), (best, 1))
    ]
    told = numbers(picture.sentence)
    assert told[:2] == [shown(2 * (1 - shares.min())), 1]
    assert told[2] == pytest.approx(areas[0] / areas[1], abs=0.06)


def counted(option: str, revealed: bool, picture: LessonPicture) -> None:
    ages, scale = raw("adult-age")[:1000], 3 / float(option)
    ends = [[int(end) for end in re.findall(r"\d+", cell)] for cell in picture.table["ages"]]
    noisy = [int(numbers(cell)[0]) for cell in picture.table["noisy count"]]
    texts = [text for trace in picture.figure.data if trace.type == "scatter" for text in trace.text]
    assert [f"<b>{number:,}</b>" in text for number, text in zip(noisy, texts, strict=True)] == [True] * 12
    answer = numbers(picture.sentence)[0] if not revealed else None
    assert answer is None or ends[8][0] <= answer <= ends[11][1]
    if not revealed:
        return
    true = [int(numbers(cell)[0]) for cell in picture.table["true count"]]
    assert [f"true {number:,}" in text for number, text in zip(true, texts, strict=True)] == [True] * 12
    for (low, high), count in zip(ends, true, strict=True):
        sure, ties = ((ages > low + 1) & (ages < high - 1)).sum(), ((ages >= low - 1) & (ages <= high + 1)).sum()
        assert sure <= count <= ties, "who has the age at which two blocks meet is in one of them"
    assert sum(true[:4]) == 1000
    parents = [true[:4], true[4:8], true[8:]]
    assert all(sum(children) in above for above, children in pairwise(parents))
    draw = np.random.default_rng(3)
    noise = draw.geometric(1 - exp(-1 / scale), (4000, 60)) - draw.geometric(1 - exp(-1 / scale), (4000, 60))
    sums = [float(np.abs(noise[:, :many].sum(axis=1)).mean()) for many in (2, 60)]
    (bars,) = [trace for trace in picture.figure.data if trace.type == "bar"]
    assert list(bars.x) == pytest.approx(sums, rel=0.08)
    here = float(np.mean([abs(one - other) for one, other in zip(true, noisy, strict=True)]))
    in_words = [1 if number < 0.95 else shown(number, 2) for number in (here, *bars.x)]
    assert numbers(picture.sentence) == in_words


def sketched(option: str, revealed: bool, picture: LessonPicture) -> None:
    values, allowed = np.sort(raw("normal")), float(option) / 100
    low = np.asarray(picture.figure.data[0].y)
    high = curve(picture, "possible ranks")
    places = np.round(np.asarray(picture.figure.data[0].x, dtype=float), 1)
    below, up_to = (np.searchsorted(values, places, side) for side in ("left", "right"))
    assert (low <= up_to).all()
    assert (below <= high).all()
    rows_shown = [int(np.flatnonzero(places == numbers(cell)[0])[0]) for cell in picture.table["value"]]
    assert [float(cell) for cell in picture.table["value"]] == places[rows_shown].tolist()
    for column, line in (("lowest possible rank", low), ("highest possible rank", high)):
        assert [numbers(cell)[0] for cell in picture.table[column]] == line[rows_shown].tolist()
    told = numbers(picture.sentence)
    if not revealed:
        assert told == [10_000 * allowed, 10_000]
        return
    (kept,) = traces(picture, "kept values")
    middle = (low + high) / 2
    exact = curve(picture, "exact rank")
    assert exact == pytest.approx(below, abs=60), "values on the grid of the figure share a place"
    assert [numbers(cell)[0] for cell in picture.table["exact rank"]] == exact[rows_shown].tolist()
    assert told[:2] == [len(kept.x), 10_000]
    assert all(np.abs(values - value).min() < 0.01 for value in kept.x), "what is kept is somebody's"
    assert np.abs(middle - exact).max() - 0.5 <= told[2] <= 10_000 * allowed


def added_up(option: str, revealed: bool, picture: LessonPicture) -> None:
    counts, here = [1, 3, 10, 30, 100, 300], int(option)
    plain = [0.1 * count for count in counts]
    assert [numbers(cell)[0] for cell in picture.table["plain sum"]] == [shown(each) for each in plain]
    told = numbers(picture.sentence)
    assert told[:3] == [here, 0.1, shown(0.1 * here)]
    if not revealed:
        return
    concentrated, anything = [by_rho(count) for count in counts], [by_two_answers(count) for count in counts]
    columns = list(picture.table.values())
    for column, line in zip(columns[2:], (concentrated, anything), strict=True):
        assert [numbers(cell)[0] for cell in column] == pytest.approx(line, rel=0.006)
    line = traces(picture, "concentrated")[0]
    drawn = dict(zip(line.x, line.y, strict=True))
    assert [drawn[count] for count in counts] == pytest.approx(concentrated, rel=1e-3)
    at = counts.index(here)
    assert told[3:] == [numbers(columns[2][at])[0], COURSE["gaps"].number, numbers(columns[3][at])[0]]


def by_rho(count: int) -> float:
    """What draws of the exponential mechanism at 0.1 cost with a failure of one in a million: by their rho."""
    r = 0.1 / (exp(0.1) - 1)
    rho, order = count * (r - 1 - log(r)), 1 + np.geomspace(1e-3, 1e6, 400_000)
    return float((order * rho + np.log1p(-1 / order) - (log(1e-6) + np.log(order)) / (order - 1)).min())


def by_two_answers(count: int) -> float:
    """What answers at 0.1 cost with a failure of one in a million if each is a yes or no that may be turned."""
    said = 1 / (1 + exp(-0.1))
    chances = [float(comb(count, lies)) * said ** (count - lies) * (1 - said) ** lies for lies in range(count + 1)]

    def failure(epsilon: float) -> float:
        losses = [0.1 * (count - 2 * lies) for lies in range(count + 1)]
        return sum(p * max(0.0, 1 - exp(epsilon - loss)) for p, loss in zip(chances, losses, strict=True))

    low, high = 0.0, 0.1 * count
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if failure(middle) > 1e-6 else (low, middle)
    return high


def in_departments(option: str, revealed: bool, picture: LessonPicture) -> None:
    counts, here = [1, 2, 3, 5, 10], int(option)
    assert curve(picture, "each about everybody").tolist() == [0.5 * count for count in counts]
    same(picture.table["loss, each about everybody"], [0.5 * count for count in counts])
    told = numbers(picture.sentence)
    if not revealed:
        assert told == [here, 0.5 * here]
        return
    assert curve(picture, "each about different people").tolist() == [0.5] * len(counts)
    incomes = raw("income")[:1000]
    groups = [np.sort(incomes[at::here]) for at in range(here)]
    error = np.mean([off_by(g, 0.5, exponential(g, 0.5, 0.5, 0, 1_000_000, 100)).mean() for g in groups])
    assert told[-2:] == [pytest.approx(max(error, 1), rel=0.35), 1000 // here]
    assert told[:-2] == [here, 0.5, *([0.5 * here] if here > 1 else [])]


def without_bounds(option: str, revealed: bool, picture: LessonPicture) -> None:
    incomes = np.sort(raw("income")[: int(option)])
    strips = {trace.y[0].partition("<br>")[0]: np.asarray(trace.x) for trace in picture.figure.data}
    off = {way: float(off_by(incomes, 0.5, np.where(x == 1, 0, x)).mean()) for way, x in strips.items()}
    for way, cell in zip(picture.table["way"], picture.table["off, on average"], strict=True):
        assert numbers(cell)[0] == pytest.approx(max(off[way], 1), rel=0.06, abs=0.06)
    assert set(off) == set(unknown.WAYS if revealed else (unknown.KNOWN, unknown.TOO_WIDE))
    told = numbers(picture.sentence)
    assert told[0] == incomes.size
    assert told[1:] == [
        pytest.approx(max(each, 1), rel=0.06, abs=0.06) for each in (min(off.values()), max(off.values()))
    ]
    known = off_by(incomes, 0.5, exponential(incomes, 0.5, 0.2, 0, 1_000_000, 100)).mean()
    assert off[unknown.KNOWN] == pytest.approx(known, rel=0.4, abs=0.4)


def that_hold(option: str, revealed: bool, picture: LessonPicture) -> None:
    bars = [trace for trace in picture.figure.data if trace.x and len(trace.x) > 1]
    ends = {
        int(trace.y[at]): (trace.x[at], trace.x[at + 1]) for trace in bars for at in range(0, len(trace.x), 3)
    }  # fmt: skip
    listed = [tuple(numbers(cell)) for cell in picture.table["interval (€)"]]
    assert [ends[number] for number in range(1, 41)] == [pytest.approx(each, abs=0.51) for each in listed]
    width = float(np.mean([high - low for low, high in ends.values()]))
    told = numbers(picture.sentence)
    assert told[0] == int(option)
    assert told[-1] == pytest.approx(width, abs=0.51)
    if not revealed:
        return
    truth = median(raw("income").tolist())
    (line,) = [shape for shape in picture.figure.layout.shapes if shape.type == "line"]
    assert line.x0 == pytest.approx(truth, abs=100), "a step of the grid"
    held = [low <= line.x0 <= high for low, high in (ends[number] for number in range(1, 41))]
    assert [each == "yes" for each in picture.table["holds the true one"]] == held
    assert told[1:3] == [sum(held), 40]


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
    "many-rows": row_by_row,
    "gaps": drawn_answers,
    "one-by-one": each_alone,
    "halves": cut_in_two,
    "slices": thin_slices,
    "free-total": both_norms,
    "counts": counted,
    "sketches": sketched,
    "adding-up": added_up,
    "groups": in_departments,
    "unknown-bounds": without_bounds,
    "how-sure": that_hold,
    "broken": as_claimed,
    "beliefs": averaged,
}


@pytest.mark.parametrize("name", LESSONS)
def test_every_number_of_figure_table_and_sentence_is_found_again(name: str) -> None:
    lesson = COURSE[name]
    for option in lesson.control.options:
        for revealed in (False, True):
            AGAIN[name](option, revealed, lesson.show(option, 1, revealed))


def said(name: str) -> str:
    """All that a lesson says besides its formula."""
    text = COURSE[name].text
    choices = [part for quiz in (text.predict, text.check) for c in quiz.choices for part in (c.text, c.because)]
    return " ".join([text.words, text.predict.text, *choices, COURSE[name].reveal, text.check.text])


def held_at(level: float) -> float:
    """In what part of many releases the interval of *How sure* holds the true median."""
    from dpq_core import Plan, PureDP, simulate
    from pages.learn.picture import MEDIAN, sample_of

    plan = Plan([MEDIAN], "aggtree", PureDP(surety.BUDGET), intervals=level)
    return float(present(simulate(sample_of("income"), plan, trials=400, seed=77).covered).mean())


IN_TEXT: dict[str, Callable[[], list[tuple[str, float, Any]]]] = {
    "quantile": lambda: [
        ("Line up 300 people", 300, len(traces(COURSE["quantile"].show("50", 1, False), "people")[0].x)),
        ("ten oldest people here are 67 or older", 67, float(np.sort(raw("adult-age")[:300])[-10])),
        ("wrong by 5 of 1,000, half a percent", 0.5, 100 * 5 / 1000),
    ],
    "one-person": lambda: [
        ("The two in the middle are 38 and 42", 38, float(np.sort(raw("tiny"))[5])),
        ("halfway between them: 40", 40, median(raw("tiny").tolist())),
        ("Kim joins, and it is 38", 38, median([*raw("tiny").tolist(), 30])),
        ("From 42 on it rises to 42", 42, median([*raw("tiny").tolist(), 42])),
    ],
    "many-rows": lambda: [
        ("more than 1.65 times", 1.65, round(exp(rows.PROMISE), 2)),
        ("15 times: nine times 1.65", 15, round(9 * exp(rows.PROMISE))),
        ("Up to 90 times", 90, round(exp(9 * rows.PROMISE))),
        ("it is 41 times", 41, round(exp(rows.loss_by_rows(9)[0]))),
    ],
    "gaps": lambda: [
        ("500 simulated answers", 500, basics.DRAWS),
        ("twelve people are too few", 12, raw("tiny").size),
        ("almost always next to the middle", 1, round(median_law(raw("tiny").tolist(), 5)[35:48].sum(), 1)),
    ],
    "one-by-one": lambda: [
        ("off by about 15 people", 15, round(error_alone(15, 1 / 15) / 5) * 5),
        ("a single one by less than one", 0, floor(error_alone(1, 1))),
        ("off by dozens", 2, min(2, floor(error_alone(63, 1 / 63) / 12))),
    ],
    "halves": lambda: [
        ("take 4 rows", 4, floor(np.log2(15)) + 1),
        ("1, 2, 4, 8, 16 and 32 are 63", 63, sum(2**row for row in range(6))),
    ],
    "slices": lambda: [("in one of 19 slices", 1, structures.slices("19", 1, True).table["holds Kim"].count("yes"))],
    "free-total": lambda: [
        ("By 1.6:", 1.6, 2 * (1 - 0.2)),
        ("makes it 0.8 too large", 0.8, 1 - 0.2),
        ("each outer part 0.4 too small", 0.4, 0.4),
    ],
    "counts": lambda: [("sixty noisy single years", 60, structures.UNDER_60["sixty single years"])],
    "sketches": lambda: [("of the 10,000 values", 10_000, raw("normal").size)],
    "adding-up": lambda: [
        ("cost 10 as a plain sum", 10, 100 * promises.PRICE),
        ("2.4 by the concentrated count", 2.4, round(by_rho(100), 1)),
        ("can cost up to 4.8", 4.8, round(by_two_answers(100), 1)),
        ("as in lesson 3", 3, COURSE["gaps"].number),
    ],
    "groups": lambda: [("5: losses add up", 5, 10 * 0.5), ("0.05: a tenth of the budget", 0.05, 0.5 / 10)],
    "unknown-bounds": lambda: [
        ("hundreds of people between one such number and the next", 3, floor(between_neighbours(20_000) / 100)),
        ("There are only 100 people", 100, 100),
    ],
    "how-sure": lambda: [
        ("the same 20,000 people", 20_000, raw("income").size),
        ("about two thirds where 50 percent was asked", 0.67, pytest.approx(held_at(0.5), abs=0.07)),
        ("nearly nine in ten here", 0.88, pytest.approx(held_at(0.8), abs=0.05)),
        ("fail twenty times as often", 20, round(0.2 / 0.01)),
    ],
    "broken": lambda: [
        ("more than 2.72 times", 2.72, round(exp(1), 2)),
        ("ten people, all 40 years old", 10, promises.OF_ONE_AGE.count(40)),
    ],
    "beliefs": lambda: [
        ("same median of 300 people", 300, promises.PEOPLE_AVERAGED),
        ("a price of 0.05 each", 0.05, promises.RELEASE_PRICE),
        ("here 0.5", 0.5, promises.LEDGER_BUDGET.epsilon),
    ],
}


def between_neighbours(count: int) -> int:
    """How many people lie between the two numbers of two digits around the median income."""
    incomes = np.sort(raw("income")[:count])
    below = floor(median(incomes.tolist()) / 1000) * 1000
    return int(((incomes > below) & (incomes < below + 1000)).sum())


@pytest.mark.parametrize("name", LESSONS)
def test_the_numbers_in_the_text_are_found_again(name: str) -> None:
    for words, told, computed in IN_TEXT[name]():
        assert words in said(name), words
        assert told == computed, words


def test_right_answers_stand_in_all_places_and_never_often_in_the_same() -> None:
    for kind in ("predict", "check"):
        places = [
            next(at for at, choice in enumerate(getattr(lesson.text, kind).choices) if choice.right)
            for lesson in COURSE.values()
        ]
        assert set(places) == {0, 1, 2}
        assert max(map(places.count, range(3))) <= 6
        assert all(len(set(places[at : at + 4])) > 1 for at in range(len(places) - 3)), "four in a row"
