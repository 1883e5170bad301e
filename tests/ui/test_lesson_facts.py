"""What the lessons say is so: the right answer of every prediction in the figure that is shown, and every number."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dpq_core import Plan, PureDP
from dpq_core.figures.lessons.structures import STRONG
from pages.learn import basics, promises, structures
from pages.learn.course import COURSE
from pages.learn.picture import LessonPicture, percent, values_of
from pages.lessons.controls import CONTROLS, LESSONS


def traces(picture: LessonPicture, name: str) -> list[Any]:
    return [trace for trace in picture.figure.data if (trace.name or "").startswith(name)]


def curve(picture: LessonPicture, name: str) -> np.ndarray:
    (trace,) = traces(picture, name)
    return np.asarray(trace.y, dtype=float)


def marked(picture: LessonPicture) -> list[float]:
    """The numbers beside the marks at the place of the slider."""
    return [float(trace.y[0]) for trace in picture.figure.data if trace.mode == "markers+text"]


def strong_boxes(picture: LessonPicture) -> int:
    return sum(shape.opacity == STRONG for shape in picture.figure.layout.shapes)


# ── the right answer of every prediction, in the figure of the state that is asked about ─────────────────────────────


def the_middle_stays(picture: LessonPicture) -> None:
    ages = np.sort(values_of("adult-age")[: basics.PEOPLE])
    (middle,) = traces(picture, "true middle")
    assert middle.x[0] == ages[ages.size // 2 - 1] == ages[ages.size // 2], "both in the middle have this age"
    assert ages[-basics.OLDEST] == 67
    assert np.mean([*ages[: -basics.OLDEST], *[90] * basics.OLDEST]) > ages.mean(), "the mean has moved"


def kim_is_38_or_younger(picture: LessonPicture) -> None:
    (without,), (joined,) = traces(picture, "middle without Kim"), traces(picture, "middle with Kim")
    assert (without.x[0], joined.x[0]) == (40, 38)
    ages = sorted(values_of("tiny").tolist())
    assert ages[5:7] == [38, 42], "the two in the middle"
    for age in CONTROLS["learn_newcomer"].options:
        (middle,) = traces(basics.one_more_person(age, 1, False), "middle with Kim")
        (person,) = {each for each in [*ages, int(age)] if standing(each, [*ages, int(age)]) <= 0}
        assert middle.x[0] == person
        assert (middle.x[0] == 38) is (int(age) <= 38)
        assert (middle.x[0] == 42) is (int(age) >= 42)
        assert not 38 < int(age) < 42 or middle.x[0] == int(age), "it shows the very age"


def standing(age: float, ages: list[float]) -> int:
    """How many people too few stand on one side of this age for it to be of the person in the middle; 0 if none."""
    younger, older = sum(each < age for each in ages), sum(each > age for each in ages)
    return max(younger, older) - (len(ages) - 1) // 2


def the_curve_is_flat(picture: LessonPicture) -> None:
    flat, usual, strict = (curve(basics.draw_from_intervals(e, 1, False), "probability") for e in ("0.1", "1", "5"))
    assert curve(picture, "probability") == pytest.approx(flat)
    assert flat.min() > flat.max() / 2
    assert usual.min() < usual.max() / 100
    assert strict[34:48].sum() > 0.95, "almost always next to the middle"
    assert sum(curve(picture, "500 simulated answers")) == pytest.approx(1)


def more_than_fifteen_times_as_far(picture: LessonPicture) -> None:
    errors = dict(zip(traces(picture, "asked")[0].x, curve(picture, "asked"), strict=True))
    assert errors[15] > 30 * errors[1], "far more"
    assert errors[1] < 1
    assert 12 < errors[15] < 20
    assert errors[63] > 36
    assert marked(picture) == [errors[15]]


def four_draws_hold_kim(picture: LessonPicture) -> None:
    assert strong_boxes(picture) == 4
    assert len(picture.figure.layout.shapes) == 15


def one_slice_holds_kim(picture: LessonPicture) -> None:
    assert strong_boxes(picture) == 1
    assert len(picture.figure.layout.shapes) == 19


@pytest.mark.parametrize("noise", CONTROLS["learn_noise"].options)
def test_the_table_of_a_broken_claim_shows_the_probabilities_whose_ratio_it_names(noise: str) -> None:
    without, joined, ratios = list(promises.broken_claim(noise, 1, True).table.values())[1:]
    for before, after, ratio in zip(without, joined, ratios, strict=True):
        shown = [float(cell.removesuffix("\u00a0%").replace("over 99", "100")) for cell in (before, after)]
        assert shown[1] / shown[0] == pytest.approx(float(ratio), rel=0.1)


@pytest.mark.parametrize(
    ("probability", "shown"),
    [(0, "0 %"), (1, "100 %"), (0.9999, "over 99 %"), (0.206, "21 %"), (2.3e-9, "0.00000023 %"), (0.1, "10 %")],
)
def test_a_probability_in_percent_is_no_more_certain_than_it_is(probability: float, shown: str) -> None:
    assert percent(probability).replace("\u00a0", " ") == shown


def only_all_answers_tell(picture: LessonPicture) -> None:
    (without, joined) = (curve(picture, f"private answer {who} Kim") for who in ("without", "with"))
    assert np.abs(without - joined).sum() / 2 < 0.02, "one answer hardly tells"
    assert curve(picture, "times as likely").max() > promises.CLAIM_TIMES
    assert len(traces(picture, "beyond the claim")[0].x) > 0
    assert f"{promises.CLAIM_TIMES:.3g}" == "2.72"


def the_average_is_much_closer(picture: LessonPicture) -> None:
    answers, averages = curve(picture, "one release"), curve(picture, "average so far")
    (truth,) = set(curve(picture, "truth"))
    assert len(answers) == 50
    assert abs(averages[-1] - truth) < np.abs(answers - truth).mean() / 2


RIGHT: dict[str, Callable[[LessonPicture], None]] = {
    "quantile": the_middle_stays,
    "one-person": kim_is_38_or_younger,
    "gaps": the_curve_is_flat,
    "one-by-one": more_than_fifteen_times_as_far,
    "halves": four_draws_hold_kim,
    "slices": one_slice_holds_kim,
    "broken": only_all_answers_tell,
    "beliefs": the_average_is_much_closer,
}


@pytest.mark.parametrize("name", LESSONS)
def test_the_right_answer_is_true_of_the_figure(name: str) -> None:
    lesson = COURSE[name]
    for seed in (1, 2):
        picture = lesson.show(lesson.control.in_question or lesson.control.default, seed, True)
        RIGHT[name](picture)
        if picture.seed is None:
            break


# ── what else the texts say ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("guess", ["20", "50", "67", "80", "90"])
def test_the_ten_oldest_stand_at_ninety_and_nowhere_else(guess: str) -> None:
    """Wherever the slider stands: 290 dots, none of them one of the ten, and ten crosses; counted where they stand."""
    before, after = (basics.guess_the_middle(guess, 1, revealed).figure for revealed in (False, True))
    dots = sorted(x for trace in after.data[:2] for x in trace.x)
    (crosses,) = [trace for trace in after.data if trace.marker.symbol == "x-thin-open"]
    assert list(crosses.x) == [90] * 10
    assert dots == sorted(before.data[0].x)[:-10]
    younger = sum(x < int(guess) for x in [*dots, *crosses.x])
    picture = basics.guess_the_middle(guess, 1, True)
    up_to = younger + sum(x == int(guess) for x in [*dots, *crosses.x])
    assert f"place {younger}{f' to {up_to}' if up_to > younger else ''} of 300, the middle at 150" in picture.sentence
    off = max(younger - 150, 150 - up_to, 0)
    assert f"a rank error of {off} p" in picture.sentence, "from the nearer end"
    middles = [trace.x[0] for trace in traces(picture, "true middle")]
    assert middles == [sorted(before.data[0].x)[149]]


def test_kim_is_in_one_draw_of_every_row() -> None:
    for count, deepest in (("7", 3), ("15", 4), ("31", 5)):
        table = structures.halves(count, 1, True).table
        assert sorted(row for row, held in zip(table["row"], table["holds Kim"], strict=True) if held == "yes") == [
            str(row) for row in range(1, deepest + 1)
        ]


def test_slices_never_touch() -> None:
    for option in CONTROLS["learn_slices"].options:
        for seed in range(1, 6):
            slices = structures.slices(option, seed, True).table["slice"]
            ends = [[int(rank.replace(",", "")) for rank in each.split(" to ")] for each in slices]
            assert len(ends) > 1
            assert all(last < first for (_, last), (first, _) in pairwise(ends))


def test_less_noise_breaks_the_claim_and_all_of_it_nearly_reaches_it() -> None:
    without, joined = np.array(promises.OF_ONE_AGE), np.array([*promises.OF_ONE_AGE, promises.NEWCOMER])
    plan = Plan(["1/2"], "aq", PureDP(promises.CLAIM))
    _, sound = basics.median_distributions(plan, without, joined)
    _, broken = basics.median_distributions(plan, without, joined, Fraction(9, 10))
    assert 0.99 < sound <= promises.CLAIM < broken
    assert "the claim holds" in promises.broken_claim("100", 1, True).sentence
    assert "broken" in promises.broken_claim("90", 1, True).sentence


def test_a_ledger_grants_ten_of_fifty_releases() -> None:
    picture = promises.averaged_releases("50", 1, True)
    assert picture.table["a ledger of 0.5"].count("granted") == 10
    assert "refuses number 11" in picture.sentence
