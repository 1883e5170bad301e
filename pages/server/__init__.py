"""What is before and around the pages: the front door, uploads, sessions, sign-in."""

from . import calls, databases, downloads, scripts, sessions, signin, turns, uploads, work
from .door import front_door
from .scripts import ANSWER, FIGURES, LAST_STEP, NARROW, READING, UNFOLDED, figure_key
from .signin import Role, guard, role, sign_out
from .startup import ready

__all__ = [
    "ANSWER",
    "FIGURES",
    "LAST_STEP",
    "NARROW",
    "READING",
    "UNFOLDED",
    "Role",
    "calls",
    "databases",
    "downloads",
    "figure_key",
    "front_door",
    "guard",
    "ready",
    "role",
    "scripts",
    "sessions",
    "sign_out",
    "signin",
    "turns",
    "uploads",
    "work",
]
