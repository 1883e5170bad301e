"""What the environment says: each variable DPQ_..., and whether this server gives only charged releases of own data.

What is written wrongly would silently open what it was to close: servers and commands refuse it at their start.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from difflib import get_close_matches

from .errors import ParameterError, quoted, shown

SERVER_MODE = "DPQ_MODE"
SETTINGS: Mapping[str, tuple[str, Callable[[str], bool]]] = {
    SERVER_MODE: ("release", lambda said: said.lower() == "release"),
    "DPQ_CURATORS": (
        "e-mail addresses with commas between them",
        lambda said: all(len(name.split()) < 2 and name.count("@") == bool(name.strip()) for name in said.split(",")),
    ),
    "DPQ_UPLOADS_MB": ("a whole number of megabytes", lambda said: said.isdecimal() and int(said) > 0),
    "DPQ_STREAM_DIR": ("a folder that can be read", lambda said: os.access(said, os.R_OK | os.X_OK)),
    "DPQ_STREAM_PUBLIC": ("yes or no", lambda said: said.lower() in {"yes", "no"}),
    **{f"DPQ_{name}": ("", bool) for name in ("LEDGER_URL", "LEDGER_KEY", "LEDGER_HEADS", "DATA_DIR", "DATABASE_URL")},
}
"""By the name of a variable: what it must be, and whether a text is that."""


def setting(name: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return what a variable says, without blanks around it; empty where it is not set. Raises ParameterError."""
    said, (wanted, fits) = environment.get(name, "").strip(), SETTINGS[name]
    if said and not fits(said):
        raise ParameterError(name, f"must be {wanted}, or be left out, got {shown(said)}.")
    return said


def refuse_wrong_settings(environment: Mapping[str, str] = os.environ) -> None:
    """Raise ParameterError for the first variable with a value that it cannot have, or with nearly the name of one."""
    for name in sorted(each for each in environment if each.startswith("DPQ_")):
        if name in SETTINGS:
            setting(name, environment)
        elif meant := get_close_matches(name, SETTINGS, 1, 0.7):
            raise ParameterError(name, f"is no variable of this program. Did you mean {quoted(meant[0])}?")


def releases_only(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether own data is never explored, and no release goes without a ledger. Raises ParameterError."""
    return bool(setting(SERVER_MODE, environment))
