"""A process is killed while people work: those of the dead one are told and go on; nobody pays or hears too much.

`pytest tests/deploy -m "" -s` prints the figures of sixty people.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import psutil
import pytest

from tests.deploy.crowd import check, crowd
from tests.deploy.machine import Machine
from tests.deploy.people import PROCESS, Person

FEW, MANY = 4, 60


@pytest.mark.very_slow
def test_a_few_people(small: Machine) -> None:
    killed, stories = crowd(small, FEW, after=0.05)
    check(small, killed, stories)
    assert all(len(story.answers) == 2 for story in stories)
    struck = [story for story in stories if story.processes[0] == killed]
    assert all(len(story.answers) > 0 for story in struck)
    assert {story.processes[-1] for story in struck} <= {"b"}


@pytest.mark.very_slow
def test_sixty_people(whole: Machine, record_property: Callable[[str, object], None]) -> None:
    began = time.monotonic()
    killed, stories = crowd(whole, MANY, after=0.3)
    lasted = time.monotonic() - began
    check(whole, killed, stories)
    struck = [story for story in stories if story.away]
    assert len(struck) >= MANY // 6, "about a third of them were there"
    whole.start(killed)
    newcomers = [Person(whole) for _ in range(20)]
    for person in newcomers:
        person.ask("/")
    assert killed in {person.cookies[PROCESS] for person in newcomers}, "it takes new visitors again"
    for story in struck:
        story.person.ask("/_stcore/health")
        assert story.person.cookies[PROCESS] == story.processes[-1], "who went elsewhere stays there"
    seconds = sorted(second for story in stories for second in story.seconds)
    away = sorted(story.away for story in struck)
    held = [psutil.Process(each.running.pid).memory_info().rss / 1e6 for each in whole.processes.values()]
    words = (
        f"{MANY} people in {lasted:.0f} s; {len(struck)} were with the dead process and were told within "
        f"{away[len(away) // 2]:.1f} s (median), {away[-1]:.1f} s (last); from press to answer "
        f"{seconds[len(seconds) // 2]:.1f} s (median), {seconds[-1]:.1f} s (longest); "
        f"{', '.join(f'{each:.0f}' for each in held)} MB"
    )
    record_property("killed", words)
    print(f"\n{words}")
