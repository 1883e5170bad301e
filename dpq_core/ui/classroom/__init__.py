"""Rooms of a class, and which of them a session is in. What they look like is in `lectern`."""

from . import membership
from .rooms import MOST_PEOPLE, Room, RoomError, Rooms, Student, shown_code

__all__ = ["MOST_PEOPLE", "Room", "RoomError", "Rooms", "Student", "membership", "shown_code"]
