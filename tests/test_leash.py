"""Servers and folders of a run that is killed end with it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.jobs.test_line import wait
from tests.leash import on_a_leash

RUN = """
import subprocess, sys, time
from tests.leash import leashed, on_a_leash

child = subprocess.Popen(leashed(["sleep", "600"]))
with on_a_leash(["rm", "-rf", sys.argv[1]], ["touch", sys.argv[2]]):
    print(child.pid, flush=True)
    time.sleep(600)
"""


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="only setpriv of util-linux ties a program to its parent")
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_what_a_killed_run_has_started_ends(tmp_path: Path, ending: signal.Signals) -> None:
    left, cleared = tmp_path / "left", tmp_path / "cleared"
    left.mkdir()
    command = [sys.executable, "-c", RUN, str(left), str(cleared)]
    root = Path(__file__).parents[1]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root) as run:
        assert run.stdout is not None
        child = int(run.stdout.readline())
        wait(lambda: psutil.Process(child).name() == "sleep")  # before that the program is not yet tied to its parent
        os.kill(run.pid, ending)
    wait(lambda: not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE)
    if ending is not signal.SIGINT:  # after which the block is left, as at the end of a test
        wait(cleared.exists)
        assert not left.exists()


def test_nothing_is_cleared_up_where_the_block_is_left(tmp_path: Path) -> None:
    with on_a_leash(["touch", str(tmp_path / "cleared")]):
        pass
    assert not list(tmp_path.iterdir())
