"""What one visitor makes the server compute for long makes no other one wait, and ends when that visitor leaves.

Nothing here measures time: what the others ask is answered while the long work still goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.browser import driving
from tests.jobs.test_line import wait
from tests.load.attacks import JOINT
from tests.load.memory import server_of
from tests.load.visitor import connecting, visiting

LINKS = 3


@pytest.fixture
def server(tmp_path: Path) -> Iterator[driving.Server]:
    with driving.serve(tmp_path / "server.log") as running:
        yield running


def slow_ones(url: str) -> list[psutil.Process]:
    """The processes that the server has started and that have given way to others."""
    usual = psutil.Process().nice()
    found = []
    for child in server_of(url).children():
        try:
            found += [child] if child.nice() > usual and child.status() != psutil.STATUS_ZOMBIE else []
        except psutil.NoSuchProcess:
            continue
    return found


@pytest.mark.very_slow
def test_a_link_that_computes_for_long_makes_nobody_wait_and_ends_with_its_visitor(server: driving.Server) -> None:
    with visiting(server.url, "quantiles", "") as other, ExitStack() as there:
        for _ in range(LINKS):
            there.enter_context(connecting(server.url, "quantiles", JOINT)).ask_and_not_wait()
        wait(lambda: len(slow_ones(server.url)) > 1)
        at_work = slow_ones(server.url)
        field = other.widget_id("text_input", "exact epsilon")
        for amount in ("0.5", "2"):
            other.act(WidgetState(id=field, string_value=amount))
            assert f"ε = {amount}" in other.said()
        assert [each for each in at_work if each.is_running()], "two changes were answered while a link is at work"
        with visiting(server.url, "quantiles", "") as newcomer:
            assert newcomer.all_of("plotly_chart"), "a newcomer sees the first picture"
        there.close()
        wait(lambda: not slow_ones(server.url))
