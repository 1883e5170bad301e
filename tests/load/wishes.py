"""The most expensive things that one visitor can ask for: each asks, and lets the page compute, as long as a block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.load.attacks import JOINT
from tests.load.uploads import bring_file
from tests.load.visitor import Visitor, connecting, visiting

ROWS, COLUMNS, GROUPS = 10**6, 1000, 10**5
BOUNDS = {"Lowest": "0", "Highest": "100", "Step": "1"}


@contextmanager
def percentiles_with_intervals(url: str) -> Iterator[None]:
    """99 quantiles of a million rows, each with an interval of 99 %."""
    settings = "data=file&quantiles=percentiles&intervals=0.99&epsilon=1"
    with visiting(url, "quantiles", settings) as visitor:
        bring_file(url, visitor, _table({"age": _ages(ROWS)}))
        _read(visitor, "Read this column")
        yield


@contextmanager
def joint_levels(url: str) -> Iterator[None]:
    """60 levels in one draw at epsilon = 0.02."""
    with connecting(url, "quantiles", JOINT) as visitor:
        visitor.ask_and_not_wait()
        yield


@contextmanager
def wide_table(url: str) -> Iterator[None]:
    """A file of a thousand columns, of which the page offers every one."""
    with visiting(url, "quantiles", "data=file&quantiles=quartiles&epsilon=1") as visitor:
        bring_file(url, visitor, _table({f"c{number}": _ages(2000) for number in range(COLUMNS)}))
        _read(visitor, "Read this column")
        yield


@contextmanager
def many_groups(url: str) -> Iterator[None]:
    """Nine deciles of each of a hundred thousand groups, from a million rows."""
    with visiting(url, "quantiles", "data=file&quantiles=deciles&epsilon=1&mechanism=aq") as visitor:
        names = np.random.default_rng(1).integers(0, GROUPS, ROWS)
        bring_file(url, visitor, _table({"age": _ages(ROWS), "g": [f"g{name}" for name in names.tolist()]}))
        each = visitor.widget_id("selectbox", "For each …")
        visitor.act(WidgetState(id=each, string_value="Every group of g"))
        _read(visitor, "Read these two columns")
        yield


def _ages(count: int) -> list[int]:
    found: list[int] = np.random.default_rng(0).normal(50, 15, count).clip(0, 100).astype(int).tolist()
    return found


def _table(columns: dict[str, list[int] | list[str]]) -> bytes:
    """The columns as CSV."""
    lines = (",".join(map(str, cells)) for cells in zip(*columns.values(), strict=True))
    return "\n".join((",".join(columns), *lines)).encode()


def _read(visitor: Visitor, button: str) -> None:
    """Read the file, say the bounds, and press Simulate without waiting for what comes."""
    visitor.press(button)
    visitor.wait_for("button", "Forget my data")
    fields = [(visitor.widget_id("text_input", label), text) for label, text in BOUNDS.items()]
    visitor.act(*(WidgetState(id=name, string_value=text) for name, text in fields))
    visitor.act_and_not_wait(WidgetState(id=visitor.widget_id("button", "Simulate"), trigger_value=True))
