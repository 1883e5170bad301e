"""A job on the screen: how far it is, its place in line, the time left, Cancel, and what it has found so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import streamlit as st

from dpq_core.jobs.children import Steps
from dpq_core.jobs.queue import POOL, STUDY, Job, Stage, do_here

from .. import keys
from ..server import runs
from .header import complain, sentence_of

POLL_SECONDS = 0.5
HERE_SECONDS = 1.0
"""Work that is expected to take less is not worth a process."""


def start(name: str, steps: Steps, *arguments: Any, expected: float) -> None:
    """Begin the work called `name` in this session; an earlier one of that name is cancelled.

    Work that is expected to take less than a second is done when this returns.
    """
    cancel(name)
    is_short = expected < HERE_SECONDS
    job = do_here(steps, *arguments) if is_short else POOL.begin(STUDY, steps, *arguments, asker=runs.asker())
    st.session_state[_key(name)] = job


def job_of(name: str) -> Job | None:
    """Return the last work of this name in this session."""
    return cast(Job | None, st.session_state.get(_key(name)))


def has_ended(name: str) -> bool:
    """Return whether the last work of this name is done, or was ended."""
    job = job_of(name)
    return job is not None and job.finished


def cancel(name: str) -> None:
    """End the work of this name, if there is any."""
    job = job_of(name)
    if job is not None:
        job.cancel()


def forget(name: str) -> None:
    """End the work of this name, and let go of what it found."""
    cancel(name)
    job = st.session_state.pop(_key(name), None)
    if job is not None:
        job.parts.clear()  # a callback of the last run may hold the job


def show(name: str, doing: str, draw: Callable[[list[Any]], object]) -> None:
    """Show the work: `draw(parts)` gets what was found so far, while it runs and afterwards.

    `doing` says what is going on, as in "Comparing mechanisms". Before the first part nothing is drawn. While the
    work runs the page around it stays usable; when it ends, the page runs once more.
    """
    job = job_of(name)
    if job is None:
        return
    if not job.finished:

        def draw_parts() -> None:
            progress(job, doing, key=keys.widget("job_cancel", name))
            if job.parts:
                draw(list(job.parts))

        watch(lambda: job_of(name) is not job or job.finished, draw_parts)
        return
    if job.problem:
        show_problem(job, keys.widget("job_where", name))
    elif job.stage is Stage.CANCELLED:
        st.caption(
            ":material/cancel: Cancelled."
            + (f" This is what {100 * job.share:.0f} % of the work found." if job.parts else "")
        )
    if job.parts:
        draw(list(job.parts))


def progress(job: Job, doing: str, key: str) -> None:
    """Draw a bar with words, and Cancel. Belongs into a fragment that runs again and again."""
    job.ask()
    left, said = job.seconds_left, f"{doing} …"
    if left is not None:
        said = f"{doing}, about " + (f"{max(round(left), 1)} s left" if left < 90 else f"{round(left / 60)} min left")
    st.progress(job.share, text=in_line(job) or said)
    st.button("Cancel", key=key, on_click=job.cancel)


def show_problem(job: Job, key: str) -> None:
    """Show what went wrong, and only after a press where in the data: a row number reveals something about them."""
    with st.container(gap="xsmall"):
        complain(sentence_of(job.error) if isinstance(job.error, ValueError) else job.problem)
        if job.where_reported:
            st.caption(f":material/pin_drop: {job.where}")
        elif job.where:
            st.button(
                "Show where", key=key, type="tertiary", icon=":material/pin_drop:", on_click=job.tell_where,
                help="Shows the row number, which reveals a least number of rows. Only you see it; it is in no file.",
            )  # fmt: skip


def in_line(job: Job) -> str:
    """Return its place in line in words; empty once it runs."""
    return f"Waiting: number {job.place} in line" if job.stage is Stage.WAITING and job.place else ""


@st.fragment(run_every=POLL_SECONDS)
def watch(is_over: Callable[[], bool], draw: Callable[[], object] = lambda: None) -> None:
    """Draw again and again, while everything else on the page stays usable; once it is over the page runs once more."""
    if is_over():
        st.rerun()
    draw()


def _key(name: str) -> str:
    return keys.state("job", name)
