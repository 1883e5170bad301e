"""Rooms for the load tests: opened by a lecturer, known by their code."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.load.visitor import Visitor
from tests.narrowing import present


@dataclass
class Lesson:
    """One room: its lecturer, its code, and when the answer was revealed."""

    lecturer: Visitor
    code: str
    revealed: float = 0.0


def open_room(visitor: Visitor) -> Lesson:
    """Open a room on the page that somebody has open."""
    visitor.press("Open a room for a class")
    return Lesson(visitor, present(re.search("[0-9A-Z]{4}-[0-9A-Z]{4}", visitor.said()))[0])
