"""Generated changes that no test can or need notice, each with the reason; `make mutants-all` leaves them out.

Equivalent: no input tells the change from the code. Unreachable: what would tell it is refused, or never arises.
Harmless: it changes time, memory, or which of several right answers is given, and no guarantee.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from tests.mutants.generated import Change


class Judged(NamedTuple):
    """A change with what was found about it."""

    change: Change
    verdict: Literal["equivalent", "unreachable", "harmless"]
    why: str


JUDGED: tuple[Judged, ...] = ()
