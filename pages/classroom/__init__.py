"""Rooms of a class, and which of them a session is in. What they look like is in `class_views`."""

from . import membership, numbers
from .rooms import (
    MOST_OF_ADDRESS,
    MOST_PEOPLE,
    Answered,
    Room,
    RoomError,
    Rooms,
    Student,
    Visitor,
    new_code,
    shown_code,
)

__all__ = [
    "MOST_OF_ADDRESS",
    "MOST_PEOPLE",
    "Answered",
    "Room",
    "RoomError",
    "Rooms",
    "Student",
    "Visitor",
    "membership",
    "new_code",
    "numbers",
    "shown_code",
]
