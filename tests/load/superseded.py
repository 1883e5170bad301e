"""Tabs that ask for something new before they could see what they asked for last, and somebody else who asks calmly."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import count
from multiprocessing import get_context
from threading import Event

from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.load.visitor import Visitor, connecting, visiting

A_SECOND = 10
"""So often a tab asks for something new."""
RESTS = 1.0
"""Seconds between an answer and the next wish of somebody who looks at it."""
Message = Callable[[str], tuple[WidgetState, ...]]
_amounts = count(1)


def new_epsilon() -> str:
    """An amount that nobody has asked for: nothing of its answer is known."""
    return f"{0.5 + (os.getpid() % 1000 + next(_amounts) / 10_000) / 1000:.7f}"


def flood(url: str, tabs: int, seconds: float, message: Message) -> int:
    """Let so many tabs of different browsers send a message again and again, then close them; how many were sent.

    In a process of their own, where they take no time from somebody who measures.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as aside:
        return aside.submit(_flood, url, tabs, seconds, message).result()


def _flood(url: str, tabs: int, seconds: float, message: Message) -> int:
    with visiting(url, "quantiles", "") as first, ThreadPoolExecutor(tabs) as threads:
        field = first.widget_id("text_input", "exact epsilon")
        sending = [threads.submit(_send, url, seconds, message, field) for _ in range(tabs)]
        return sum(each.result() for each in sending)


def epsilon(field: str) -> tuple[WidgetState, ...]:
    """What a slider sends that is moved."""
    return (WidgetState(id=field, string_value=new_epsilon()),)


def nothing(_: str) -> tuple[WidgetState, ...]:
    """What a browser sends to see the page once more."""
    return ()


def _send(url: str, seconds: float, message: Message, field: str) -> int:
    with connecting(url, "quantiles", "") as tab:
        ends, sent = time.monotonic() + seconds, 0
        while time.monotonic() < ends:
            tab.act_and_not_wait(*message(field))
            sent += 1
            tab.hear_for(1 / A_SECOND)
        tab.leave()
    return sent


def waits(url: str, enough: Event, least: int = 5) -> list[float]:
    """The seconds until a visitor sees the answer for each new epsilon, until it is enough, and so many at least."""
    with visiting(url, "quantiles", "") as visitor:
        found: list[float] = []
        while not enough.is_set() or len(found) < least:
            found.append(_wait(visitor))
            time.sleep(RESTS)
        visitor.leave()
    return found


def _wait(visitor: Visitor) -> float:
    field, amount, began = visitor.widget_id("text_input", "exact epsilon"), new_epsilon(), time.monotonic()
    visitor.act(WidgetState(id=field, string_value=amount))
    assert f"ε = {float(amount):g}" in visitor.said(), "it is the answer to what was asked"
    return time.monotonic() - began
