"""The keys of widgets and of all that a session keeps. They are made here alone, and each at one place of the code.

A session keeps everything in one table of texts. Two things under one text overwrite each other, or end the page: so a
name that a second place makes is refused, and so is one that could be a part of another.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

PREFIX = "dpq"
WIDGETS, STATE = f"{PREFIX}_", f"{PREFIX}:"
"""How the keys of all widgets begin, and those of all else."""
_MADE: dict[str, str] = {}
"""The place that makes each key, and each beginning of keys that end in what they are of."""
_SETTINGS: set[str] = set()
OPTION = "option_"
"""Begins the keys of settings that are options of a mechanism, whose names have a dot: `binhist.bins`."""


def settings(names: Iterable[str]) -> None:
    """Make the keys of all settings and options, which no other widget can have."""
    place = _caller()
    for name in (*names, OPTION):
        _SETTINGS.add(_made(f"{WIDGETS}{name}", place))


def setting(name: str) -> str:
    """Return the key of a setting, for every page that has it. Raises KeyError where there is none of that name."""
    key = f"{WIDGETS}{OPTION if '.' in name else ''}{name}"
    if key not in _SETTINGS and "." not in name:
        raise KeyError(f"There is no setting {name}. The key of another widget is made by keys.widget.")
    return key


def widget(name: str, *of: object) -> str:
    """Return the key of a widget that is no setting; `of`: which one of several.

    Raises ValueError where another place makes the same key.
    """
    return _key(f"{WIDGETS}{name}", "_", of, _caller())


def state(name: str, *of: object) -> str:
    """Return the key of what a session keeps besides its widgets; `of`: of which page, job or data.

    Raises ValueError where another place makes the same key.
    """
    return _key(f"{STATE}{name}", ":", of, _caller())


def _key(start: str, separator: str, of: tuple[object, ...], place: str) -> str:
    if not of:
        return _made(start, place)
    return _made(f"{start}{separator}", place) + ":".join(
        str(part).replace("%", "%25").replace(":", "%3A") for part in of
    )


def _made(key: str, place: str) -> str:
    """Return the key, or the beginning of keys, which belongs to the place that made it first."""
    if key not in _MADE:
        clashing = [other for other in list(_MADE) if _holds(key, other) or _holds(other, key)]
        if clashing:
            raise ValueError(f"The key {key}, made at {place}, could be {clashing[0]}, made at {_MADE[clashing[0]]}.")
        _MADE[key] = place
    if _MADE[key] != place:
        raise ValueError(f"The key {key} is made at {place} and at {_MADE[key]}: they need two names.")
    return key


def _holds(start: str, key: str) -> bool:
    """Return whether a beginning of keys can make this one."""
    return start[-1] in "_:" and key.startswith(start)


def _caller() -> str:
    """Return the file and the line that asked this module for a key."""
    frame = sys._getframe(2)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
