"""Quick simulations of many visitors take turns, and in a crowd come in two parts; a long one makes nobody wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpq_core import Domain, Sample
from dpq_core.calibrations import calibrate_for
from dpq_core.plan import Plan
from dpq_core.results import DRAWS
from dpq_core.trials import Study
from dpq_core.ui.quantiles import live

QUICK, LONG = Plan(["1/2"], "aq"), Plan([f"{at}/1000" for at in range(1, 1000)], "jointexp")


def most_at_once(plan: Plan) -> int:
    """The most of four visitors who were at work with such a plan at the same time."""
    at_work, seen = [], []

    def work(visitor: int) -> None:
        with live.in_turn(plan):
            at_work.append(visitor)
            time.sleep(0.05)
            seen.append(len(at_work))
            at_work.remove(visitor)

    with ThreadPoolExecutor(4) as visitors:
        list(visitors.map(work, range(4)))
    return max(seen)


def test_quick_ones_take_turns() -> None:
    assert most_at_once(QUICK) == 1


def test_a_long_one_is_waited_for_by_nobody() -> None:
    assert most_at_once(LONG) > 1


def test_a_crowd_is_served_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    now, names = 1_000.0, [""]
    monkeypatch.setattr(live, "monotonic", lambda: now)
    monkeypatch.setattr(live, "session", lambda: names[-1])
    monkeypatch.setattr(live, "_last", {})
    for _ in range(2 * live.CROWD):
        with live.in_turn(QUICK):
            assert live.draws_now(QUICK) == DRAWS, "one who is quick is no crowd"
    for other in map(str, range(1, live.CROWD)):
        names.append(other)
        assert live.draws_now(QUICK) == DRAWS
        with live.in_turn(LONG):
            assert live.draws_now(QUICK) == DRAWS, "who waits for nobody is none of the crowd"
        with live.in_turn(QUICK):
            pass
    assert (live.draws_now(QUICK), live.draws_now(LONG)) == (live.FIRST_DRAWS, DRAWS)
    now += live.CROWD_SECONDS
    assert live.draws_now(QUICK) == DRAWS
    with live.in_turn(QUICK):
        assert list(live._last) == names[-1:], "those who rest are forgotten"


def test_the_first_runs_in_a_crowd_are_drawn_beside_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They are the same; all runs of one visitor make nobody wait for the process beside."""
    asked: list[int] = []

    class Beside:
        there = False

        def start(self) -> None:
            asked.append(0)

        def ask(self, function: Callable[..., Study], *arguments: Any) -> Study | None:
            asked.append(arguments[2])
            return replace(function(*arguments), notes=("beside",)) if self.there else None

    monkeypatch.setattr(live, "_BESIDE", Beside())
    sample = Sample.from_values(np.arange(100), Domain(0, 100), seed=1)
    calibrated = calibrate_for(sample, QUICK)
    whole = live.simulate(sample, calibrated, DRAWS, 3)
    assert (len(whole.values), asked) == (DRAWS, [])
    first = live.simulate(sample, calibrated, live.FIRST_DRAWS, 3)
    assert asked == [0, live.FIRST_DRAWS]
    monkeypatch.setattr(Beside, "there", True)
    beside = live.simulate(sample, calibrated, live.FIRST_DRAWS, 3)
    assert beside.notes == ("beside",)
    for study in (first, beside):
        np.testing.assert_array_equal(study.values, whole.values[: live.FIRST_DRAWS])
