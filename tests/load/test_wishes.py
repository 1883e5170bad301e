"""The most expensive wishes of one visitor keep no other one waiting.

`pytest tests/load/test_wishes.py -m "" -s` prints the waits. The longest wait of another visitor, who drags epsilon all
the while, is compared with that of a quiet time on the same server, since machines differ: it may be two seconds, or on
a busy machine three times as long as in quiet.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from threading import Barrier

import pytest

from tests.browser import driving
from tests.load import wishes
from tests.load.classroom import drag

QUIET_SECONDS, SECONDS = 10, 45
"""The second one is more than a simulation may take on a server, and the reading of the file."""
MOST_SECONDS, TIMES_QUIET = 2.0, 3.0


def waits(url: str, seconds: float) -> list[float]:
    """How long each change of one visitor takes, in order of length."""
    return sorted(drag(url, Barrier(1), seconds))


@pytest.mark.very_slow
@pytest.mark.parametrize(
    "wish",
    [wishes.percentiles_with_intervals, wishes.joint_levels, wishes.wide_table, wishes.many_groups],
    ids=lambda wish: str(wish.__name__),
)
def test_nobody_waits_for_the_most_expensive_wish_of_another(
    wish: Callable[[str], AbstractContextManager[None]], server: driving.Server, say: Callable[[str, str], None]
) -> None:
    waits(server.url, QUIET_SECONDS / 2)  # the server has everything in memory then
    quiet = waits(server.url, QUIET_SECONDS)
    with ThreadPoolExecutor(1) as aside:
        beside = aside.submit(waits, server.url, SECONDS)
        with wish(server.url):
            others = beside.result()
    middle, longest = others[len(others) // 2], others[-1]
    say(
        wish.__name__,
        f"{quiet[len(quiet) // 2]:.2f} s and {middle:.2f} s (median), {quiet[-1]:.1f} s and {longest:.1f} s (longest), "
        f"{len(others)} changes",
    )
    assert longest < max(MOST_SECONDS, TIMES_QUIET * quiet[-1])
