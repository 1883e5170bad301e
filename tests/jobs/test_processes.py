"""Work in steps: streamed parts, failures in words, an end at once, and no trace of what it ran in."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from itertools import repeat
from pathlib import Path
from typing import Any

import psutil
import pytest

from dpq_core.jobs import children, processes
from dpq_core.jobs import line as jobs
from dpq_core.jobs.children import TOO_LARGE
from dpq_core.jobs.line import Job, Stage
from dpq_core.jobs.processes import CUT_OFF, JobInPlace, ProcessJob, run
from dpq_core.studies import engine
from dpq_core.studies.grid import Grid
from dpq_core.studies.streams.feeds import Files
from tests.jobs.test_line import wait


def ended(job: ProcessJob) -> ProcessJob:
    wait(lambda: job.finished and job not in job.queue.jobs)
    return job


def child_of(job: ProcessJob) -> int:
    wait(lambda: job._child is not None)
    assert job._child is not None
    return job._child.pid


def gives_way(pid: int) -> bool:
    """Whether all threads of a process yield the processor to those of this one."""
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    return all(os.getpriority(os.PRIO_PROCESS, int(one.name)) > usual for one in Path(f"/proc/{pid}/task").iterdir())


def is_there(pid: int) -> bool:
    return psutil.pid_exists(pid) and bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)


@pytest.mark.slow
def test_a_child_finds_what_is_found_in_place():
    grid = Grid(mechanisms=["aq", "indexp"], quantiles=[3], trials=5)
    job = ended(ProcessJob(engine.steps, grid))
    assert (job.stage, job.share, job.problem) == (Stage.DONE, 1.0, "")
    alike = {row.mechanism: row.max_error for row in job.parts}
    assert alike == {row.mechanism: row.max_error for _, row in engine.steps(grid)}


@pytest.mark.slow(keep="JobInPlace")
@pytest.mark.parametrize("kind", [ProcessJob, JobInPlace])
def test_where_bad_data_is_comes_with_the_problem_and_is_no_part_of_it(kind: type[ProcessJob], tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("x\n" + "1\n" * 300 + "a word\n")
    job = ended(kind(Files(tmp_path / "x.csv", "x").batches, 10))
    assert job.problem.startswith("A cell is not a number")
    assert (job.where, job.where_reported) == ("Row 302.", False)
    assert "302" not in job.problem
    assert "302" not in str(job.parts)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_parts_arrive_from_a_child_that_is_bounded_and_gives_way_and_cancel_ends_it_at_once() -> None:
    job = ProcessJob(repeat, (0.25, "part"))
    wait(lambda: len(job.parts) > 2)
    pid = child_of(job)
    assert (job.stage, job.share, job.parts[0]) == (Stage.RUNNING, 0.25, "part")
    bound = next(
        line for line in Path(f"/proc/{pid}/limits").read_text().splitlines() if line.startswith("Max address space")
    )
    assert bound.split()[3] == str(processes.MEMORY_LIMIT)
    assert os.getpriority(os.PRIO_PROCESS, pid) >= min(os.getpriority(os.PRIO_PROCESS, 0) + 10, 19)
    job.cancel()
    assert job.stage is Stage.CANCELLED
    wait(lambda: not is_there(pid))
    assert (ended(job).stage, job.problem) == (Stage.CANCELLED, "")


@pytest.mark.parametrize(
    ("steps", "arguments", "problem"),
    [
        (engine.steps, (Grid(data=["nowhere"]),), "`data` must be one of"),
        (bytearray, (10**13,), TOO_LARGE),
        (os._exit, (3,), CUT_OFF),
        (open, ("secret-42",), jobs.UNEXPECTED),
        (map, (print, ["secret-42"]), jobs.UNEXPECTED),  # None is no part, and what is printed went elsewhere
    ],
    ids=["refused", "too large", "cut off", "another error", "no part"],
)
def test_a_failure_is_told_in_words_that_quote_no_data(
    steps: Any, arguments: tuple[Any, ...], problem: str, caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    with caplog.at_level(logging.ERROR):
        job = ended(ProcessJob(steps, *arguments))
    assert job.stage is Stage.FAILED
    assert job.problem.startswith(problem)
    said = capfd.readouterr().err + caplog.text
    assert steps is map or "secret-42" not in said
    assert ("FileNotFoundError" in said) is (steps is open)


def test_short_work_is_done_in_place():
    job = run(zip, [0.5, 1.0], "ab", expected=0.9)
    assert (type(job), job.stage, job.parts, job.share) == (JobInPlace, Stage.DONE, ["a", "b"], 1.0)
    assert run(zip, 5, expected=0).stage is Stage.FAILED
    long = run(zip, [1.0], "a", expected=1.0)
    assert isinstance(long, ProcessJob)
    assert ended(long).parts == ["a"]
    assert ProcessJob.queue is not Job.queue, "of what waits for a child, nothing in place waits"


SERVER = """
import dpq_core.jobs.processes, dpq_core.studies.engine, os, sys, threading, time
print(*sys.modules, flush=True)
from dpq_core.jobs.processes import ProcessJob
from dpq_core.jobs.workers import Workers
job = ProcessJob(map, time.sleep, [600])
resting, busy = Workers("math"), Workers("math")
for each in (resting, busy):
    each.call("a", abs, -1)
pids = [each._idle[0]._child.pid for each in (resting, busy)]
threading.Thread(target=busy.call, args=("a", time.sleep, 600), daemon=True).start()
while job._child is None or not busy._running:
    time.sleep(0.01)
print(job._child.pid, *pids, flush=True)
os._exit(0)
"""


def test_children_start_light_and_end_with_their_server_without_a_word() -> None:
    """Resting or at work, however the server ends."""
    done = subprocess.run(
        [sys.executable, "-c", SERVER], cwd=children._ROOT, capture_output=True, check=True, text=True
    )
    loaded, pids = done.stdout.splitlines()
    heavy = {"streamlit", "pandas", "plotly", "pyarrow", "dask", "dp_accounting", "scipy", "multiprocessing.process"}
    assert not heavy & set(loaded.split())
    wait(lambda: not any(is_there(int(pid)) for pid in pids.split()))
