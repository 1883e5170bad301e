"""Work in steps: streamed parts, failures in words, an end at once, and no trace of what it ran in."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
from itertools import repeat
from pathlib import Path

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

LIGHT = "import dpq_core.jobs.processes, dpq_core.studies.engine, dpq_core.studies.search, sys; print(*sys.modules)"


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
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_child_finds_what_is_found_in_place():
    grid = Grid(mechanisms=["aq", "indexp"], quantiles=[3], trials=5)
    job = ended(ProcessJob(engine.steps, grid))
    assert (job.stage, job.share, job.problem) == (Stage.DONE, 1.0, "")
    alike = {row.mechanism: row.max_error for row in job.parts}
    assert alike == {row.mechanism: row.max_error for _, row in engine.steps(grid)}


@pytest.mark.parametrize("kind", [ProcessJob, JobInPlace])
def test_where_bad_data_is_comes_with_the_problem_and_is_no_part_of_it(kind: type[ProcessJob], tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("x\n" + "1\n" * 300 + "a word\n")
    job = ended(kind(Files(tmp_path / "x.csv", "x").batches, 10))
    assert job.problem.startswith("A cell is not a number")
    assert (job.where, job.where_reported) == ("Row 302.", False)
    assert "302" not in job.problem
    assert "302" not in str(job.parts)


def test_parts_arrive_while_the_work_goes_on():
    job = ProcessJob(repeat, (0.25, "part"))
    wait(lambda: len(job.parts) > 2)
    assert (job.stage, job.share) == (Stage.RUNNING, 0.25)
    job.cancel()
    assert ended(job).parts[0] == "part"


def test_cancel_ends_the_process_at_once_whatever_it_does():
    job = ProcessJob(map, time.sleep, [600])
    pid = child_of(job)
    job.cancel()
    assert job.stage is Stage.CANCELLED
    ended(job)
    wait(lambda: not is_there(pid))
    assert (job.stage, job.problem) == (Stage.CANCELLED, "")


def test_a_waiting_job_can_be_cancelled_and_harms_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProcessJob.queue, "at_once", 1)
    mine, other, third = (ProcessJob(map, time.sleep, [600]) for _ in range(3))
    pid = child_of(mine)
    assert (mine.place, other.place, third.place) == (0, 1, 2)
    other.cancel()
    wait(lambda: third.place == 1)
    assert is_there(pid)
    assert other._child is None
    mine.cancel()
    wait(lambda: third.place == 0 and third.stage is Stage.RUNNING)
    assert is_there(child_of(third))
    third.cancel()
    ended(third)


def test_the_two_kinds_of_job_have_lines_of_their_own():
    assert ProcessJob.queue is not Job.queue
    assert ProcessJob.queue.at_once == os.cpu_count()


@pytest.mark.parametrize(
    ("steps", "arguments", "problem"),
    [
        (engine.steps, (Grid(data=["nowhere"]),), "`data` must be one of"),
        (bytearray, (10**13,), TOO_LARGE),
        (os._exit, (3,), CUT_OFF),
    ],
)
def test_a_failure_is_told_in_words(steps, arguments, problem):
    job = ended(ProcessJob(steps, *arguments))
    assert job.stage is Stage.FAILED
    assert job.problem.startswith(problem)


def test_other_errors_are_not_quoted(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    with caplog.at_level(logging.ERROR):
        job = ended(ProcessJob(open, "secret-42"))
    assert job.problem == jobs.UNEXPECTED
    err = capfd.readouterr().err
    assert "FileNotFoundError" in err
    assert "secret-42" not in err + caplog.text


def test_what_is_printed_does_not_get_between_the_parts():
    assert ended(ProcessJob(map, print, ["a"])).problem == jobs.UNEXPECTED  # None is no part, and "a" went elsewhere


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_child_is_bounded_and_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    job = ProcessJob(repeat, (0.5, 1))
    wait(lambda: bool(job.parts))
    with open(f"/proc/{child_of(job)}/limits") as limits:
        bound = next(line for line in limits if line.startswith("Max address space"))
    assert bound.split()[3] == str(processes.MEMORY_LIMIT)
    assert os.getpriority(os.PRIO_PROCESS, child_of(job)) >= min(os.getpriority(os.PRIO_PROCESS, 0) + 10, 19)
    job.cancel()


def test_a_child_ends_with_its_server():
    server = (
        "import time\nfrom dpq_core.jobs.processes import ProcessJob\njob = ProcessJob(map, time.sleep, [600])\n"
        "while job._child is None: time.sleep(0.01)\ntime.sleep(1)\nprint(job._child.pid, flush=True)\ntime.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", server], stdout=subprocess.PIPE, cwd=children._ROOT) as running:
        assert running.stdout is not None
        pid = int(running.stdout.readline())
        assert is_there(pid)
        running.kill()
    wait(lambda: not is_there(pid))


def test_short_work_is_done_in_place():
    job = run(zip, [0.5, 1.0], "ab", expected=0.9)
    assert (type(job), job.stage, job.parts, job.share) == (JobInPlace, Stage.DONE, ["a", "b"], 1.0)
    assert run(zip, 5, expected=0).stage is Stage.FAILED
    long = run(zip, [1.0], "a", expected=1.0)
    assert isinstance(long, ProcessJob)
    assert ended(long).parts == ["a"]


def test_a_child_starts_light():
    loaded = subprocess.run([sys.executable, "-c", LIGHT], cwd=children._ROOT, capture_output=True, check=True)
    heavy = {"streamlit", "pandas", "plotly", "pyarrow", "dask", "dp_accounting", "scipy", "multiprocessing.process"}
    assert not heavy & set(loaded.stdout.decode().split())
