"""How many pages one visitor may have open at once: from one browser, from one address, and all visitors together.

Each page holds a connection and a session, with some files of the operating system. A page that is closed counts for as
long as its session is kept. Behind a proxy on this machine all visitors have one address, which says nothing of them:
there the proxy limits addresses (docs/deployment/nginx.conf).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from ipaddress import ip_address

MOST_OF_A_BROWSER = 30
MOST_OF_AN_ADDRESS = 300
"""A lecture hall shares one."""
MOST_OF_ALL = 2000

_open: Counter[tuple[str, str]] = Counter()
"""Pages that are open or kept: by what they are counted by."""
_LIMITS = {"browser": MOST_OF_A_BROWSER, "address": MOST_OF_AN_ADDRESS, "all": MOST_OF_ALL}


class Place:
    """The place of one page."""

    def __init__(self, *counted: tuple[str, str]) -> None:
        self._counted = counted
        _open.update(counted)

    def leave(self, seconds: float) -> None:
        """Give the place to others after some seconds."""
        asyncio.get_running_loop().call_later(seconds, self._leave)

    def _leave(self) -> None:
        _open.subtract(self._counted)
        for each in self._counted:
            if not _open[each]:
                del _open[each]


def enter(browser: str, address: str) -> Place | None:
    """Return a place for one more page; None where there are too many of this browser, this address, or at all.

    Either is empty where it is not known.
    """
    kinds = {"browser": browser, "address": "" if _is_here(address) else address, "all": "all"}
    counted = [(kind, name) for kind, name in kinds.items() if name]
    if any(_open[each] >= _LIMITS[each[0]] for each in counted):
        return None
    return Place(*counted)


def _is_here(address: str) -> bool:
    """Return whether an address is this machine's own, or none."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return True
