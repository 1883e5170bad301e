"""Report how far a long call is, to the function that the caller passes as `progress`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeAlias

from .errors import ParameterError, shown

Progress: TypeAlias = Callable[[float], object]
"""Called with the share that is done, from 0 to 1."""


def unheard(share: float) -> None:
    """Do nothing: nobody asked how far a call is."""


def told_to(progress: bool | Progress) -> Progress:
    """Return the receiver of a public call's progress: with True a line on standard error. Raises ParameterError."""
    if callable(progress):
        return progress
    if not isinstance(progress, bool):
        raise ParameterError("progress", f"must be True, False or a function of a share, got {shown(progress)}.")

    def tell(share: float) -> None:
        sys.stderr.write(f"\r{100 * share:3.0f} %" + ("\n" if share >= 1 else ""))
        sys.stderr.flush()

    return tell if progress else unheard


def within(progress: Progress, done: int, of: int) -> Progress:
    """Return the receiver of progress for one of several equal parts, after `done` others."""
    return lambda share: progress((done + share) / of)
