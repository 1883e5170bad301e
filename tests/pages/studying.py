"""A visitor of the pages Compare, Trade-off and Papers without a browser."""

from __future__ import annotations

import time

from streamlit.testing.v1 import AppTest

from pages.frame import waiting
from pages.keys import PREFIX
from tests.pages.driving import run, said


def press(visit: AppTest, page: str, name: str) -> AppTest:
    """Press the main button and wait until the study called `name` has ended."""
    button = visit.button(key=f"{PREFIX}_run_{page}")
    assert not button.disabled, said(visit)
    return ended(run(button.click()), name)


def ended(visit: AppTest, name: str) -> AppTest:
    """Wait until a job has ended, and run the page once more: not before, as that takes from the job what it needs."""
    job = visit.session_state[waiting._key(name)]
    for _ in range(1200):
        if job.finished:
            assert not job.problem
            return run(visit)
        job.ask()
        time.sleep(0.05)
    raise AssertionError("the study did not end")
