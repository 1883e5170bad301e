"""Everything that the server sends to a page, taken apart far enough to find a number in it.

Frames are ForwardMsg messages. A number may be there as text, as the bytes of a float64, float32, int64 or int32, or as
such bytes in base64 inside JSON text (plotly). `Eavesdropper.finds` looks for all of these.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from dataclasses import dataclass, field

from playwright.sync_api import Page, WebSocket
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

BASE64 = re.compile(rb'"bdata":\s*"([A-Za-z0-9+/=\\]+)"')
HEXADECIMAL_IDS = re.compile(rb"[0-9a-f-]{24,}")
"""Random ids and hashes hold every short number sooner or later."""


@dataclass
class Eavesdropper:
    """Collects the frames of a page; attach it before the page opens."""

    frames: list[bytes] = field(default_factory=list)

    def attach(self, page: Page) -> None:
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._keep)

    def _keep(self, frame: bytes | str) -> None:
        self.frames.append(frame if isinstance(frame, bytes) else frame.encode())

    @property
    def kinds(self) -> set[str]:
        """The kinds of messages that were understood."""
        return {str(ForwardMsg.FromString(frame).WhichOneof("type")) for frame in self.frames}

    def finds(self, value: float) -> list[str]:
        """The ways in which the number was sent."""
        return sorted(set().union(*(found_in(frame, value) for frame in self.frames)))

    def finds_text(self, text: str) -> bool:
        """Whether a text was sent, in a frame or in base64 within it."""
        wanted = text.encode()
        return any(wanted in piece for frame in self.frames for piece in (frame, *_decoded(frame)))

    def finds_near(self, count: int, within: int = 2) -> dict[int, list[str]]:
        """The ways in which a number of records was sent, or one that differs by no more than that."""
        near = range(count - within, count + within + 1)
        return {number: found for number in near if (found := self.finds(number))}


def found_in(content: bytes, value: float) -> set[str]:
    """The ways in which some bytes, of a frame or of a file, hold the number."""
    found = set()
    places = {"plain": content} | {f"base64 {at}": piece for at, piece in enumerate(_decoded(content))}
    for place, piece in places.items():
        found |= {f"{kind} ({place.split()[0]})" for kind, code in _codes(value).items() if code in piece}
    text = HEXADECIMAL_IDS.sub(b"", content)
    return found | {"text" for pattern in _texts(value) if re.search(pattern, text)}


def _decoded(frame: bytes) -> list[bytes]:
    pieces = []
    for match in BASE64.finditer(frame):
        try:
            pieces.append(base64.b64decode(match.group(1).replace(b"\\", b"")))
        except binascii.Error:
            continue
    return pieces


def _codes(value: float) -> dict[str, bytes]:
    codes = {"float64": struct.pack("<d", value), "float32": struct.pack("<f", value)}
    if value == int(value):
        codes |= {"int64": struct.pack("<q", int(value)), "int32": struct.pack("<i", int(value))}
    return codes


def _texts(value: float) -> list[bytes]:
    """Patterns for the number alone, with and without a separator of thousands."""
    number = int(value) if value == int(value) else value
    return [rb"(?<![0-9.])" + re.escape(text.encode()) + rb"(?![0-9])" for text in {f"{number}", f"{number:,}"}]
