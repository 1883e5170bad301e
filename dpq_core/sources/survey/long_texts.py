"""Long texts of Stata (strL), which may hold a byte 0: the library that reads them cuts them there.

Stata's format 117 and later has a map of its parts. Each long text is `GSO`, two numbers that say which it is, its
type, its length and its bytes; plain text ends in a byte 0 that is no part of it.
"""

from __future__ import annotations

import struct

from ..found import Opener

START = 4_096
"""Bytes in which the map begins."""
MAP, STRLS = b"<map>", 10
"""And the place of long texts in it."""
PLAIN = 130
"""The type of texts that end in a byte 0."""


def holds_zeros(open_file: Opener) -> bool:
    """Return whether a file of Stata has a long text with a byte 0 in it; False for any other file."""
    with open_file() as file:
        head = bytes(file.read(START))
        at = head.find(MAP) + len(MAP)
        if at < len(MAP):
            return False
        order = ">" if b"MSF" in head[:at] else "<"
        which = 4 if b"<release>117" in head[:at] else 8  # bytes of the second number
        (place,) = struct.unpack_from(f"{order}q", head, at + 8 * STRLS)
        file.seek(place + len(b"<strls>"))
        while bytes(file.read(3)) == b"GSO":
            kind, length = struct.unpack(f"{order}{4 + which}xBI", bytes(file.read(9 + which)))
            text = bytes(file.read(length))
            if b"\0" in (text[:-1] if kind == PLAIN else text):
                return True
    return False
