"""Quick simulations of many visitors take turns; a long one makes nobody wait."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from dpq_core.plan import Plan
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
