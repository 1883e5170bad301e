"""Everything that the server sends to a page, taken apart far enough to find a number in it.

Frames are ForwardMsg messages. A number may be there as text, as the bytes of a float64, float32, int64 or int32, or as
such bytes in base64 inside JSON text (plotly). `Eavesdropper.finds` looks for all of these.
"""

import base64
import binascii
import re
import struct
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from playwright.sync_api import BrowserContext, Page, WebSocket
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser import driving

BASE64 = re.compile(rb'"bdata":\s*"([A-Za-z0-9+/=\\]+)"')
HEXADECIMAL_IDS = re.compile(rb"[0-9a-f-]{24,}")
"""Random ids and hashes hold every short number sooner or later."""

SEPARATOR = b"|"

ROWS = 48_611
"""A number of records that appears nowhere else."""
MINIMUM, MAXIMUM, MEDIAN = 17.40625, 93.59375, 51.71875
"""Exact as float32 and on the grid of an Explore session; a release answers on a coarser grid without them."""
FIRST_ID = 713_059_371
"""Of whom the minimum is; the others follow."""
PEOPLE = 24_357
CANARIES = {
    "number of rows": ROWS, "number of people": PEOPLE, "minimum": MINIMUM, "maximum": MAXIMUM, "true median": MEDIAN,
}  # fmt: skip
SECRETS = CANARIES | {"an id": FIRST_ID}
"""An id is on no screen, not even where the truth is."""
BOUNDS = {"Lowest": "0", "Highest": "120", "Step": "0.5"}


def write_canaries(path: Path, seed: int = 0) -> Path:
    """Write a column with canaries: a hundred equal ones in the middle, one at each end; all others have two rows."""
    rng = np.random.default_rng(seed)
    below, above = rng.uniform(30, 50, ROWS // 2 - 50), rng.uniform(53, 70, ROWS // 2 - 50)
    middle = ROWS - below.size - above.size - 2
    values = np.concatenate([[MINIMUM, MAXIMUM], [MEDIAN] * middle, below, above])
    halves = [np.arange(part.size) // 2 for part in (below, above)]
    whose = np.concatenate([np.arange(2 + middle), 2 + middle + halves[0], 3 + middle + halves[0][-1] + halves[1]])
    assert whose[-1] + 1 == PEOPLE
    rows = (f"{FIRST_ID + one},{value!r}" for one, value in zip(whose.tolist(), values.tolist(), strict=True))
    path.write_text("patient,value\n" + "\n".join(rows) + "\n")
    return path


class Searched:
    """Some bytes, of frames or of a file, taken apart once for many searches."""

    def __init__(self, *contents: bytes) -> None:
        self._text = SEPARATOR.join(HEXADECIMAL_IDS.sub(b"", each) for each in contents)
        self._places = {"plain": SEPARATOR.join(contents), "base64": SEPARATOR.join(map(_decoded, contents))}

    def finds(self, value: float) -> set[str]:
        """The ways in which the number is there."""
        found = {
            f"{kind} ({place})"
            for place, content in self._places.items()
            for kind, code in _codes(value).items()
            if code in content
        }
        return found | {"text" for pattern in _texts(value) if re.search(pattern, self._text)}

    def finds_text(self, text: str) -> bool:
        """Whether a text is there, as it is or in base64."""
        return any(text.encode() in content for content in self._places.values())


@dataclass
class Eavesdropper:
    """Collects the frames of a page; attach it before the page opens."""

    frames: list[bytes] = field(default_factory=list)

    def open(self, context: BrowserContext, address: str) -> Page:
        """Open an address in a new tab, and keep everything that is sent to it."""
        page = context.new_page()
        page.on("websocket", self._listen)
        return driving.arrive(page, address)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._keep)

    def _keep(self, frame: bytes | str) -> None:
        self.frames.append(frame if isinstance(frame, bytes) else frame.encode())

    @property
    def kinds(self) -> set[str]:
        """The kinds of messages that were understood."""
        return {str(ForwardMsg.FromString(frame).WhichOneof("type")) for frame in self.frames}

    @property
    def heard(self) -> Searched:
        return Searched(*self.frames)


def check_silence(listener: Eavesdropper, folder: Path) -> set[str]:
    """No canary in any frame or file; returns the names of the files that were searched."""
    written = {file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    heard, files = listener.heard, {name: Searched(content) for name, content in written.items()}
    assert {"delta", "new_session"} <= listener.kinds
    for name, value in SECRETS.items():
        assert not heard.finds(value), name
        assert not {file: found for file, searched in files.items() if (found := searched.finds(value))}, name
    return set(written)


def found_in(content: bytes, value: float) -> set[str]:
    """The ways in which some bytes, of a frame or of a file, hold the number."""
    return Searched(content).finds(value)


def found_near(searched: Searched, count: int, within: int = 2) -> dict[int, set[str]]:
    """The ways in which a number of records is there, or one that differs by no more than that."""
    near = range(count - within, count + within + 1)
    return {number: found for number in near if (found := searched.finds(number))}


def _decoded(frame: bytes) -> bytes:
    pieces = []
    for match in BASE64.finditer(frame):
        try:
            pieces.append(base64.b64decode(match.group(1).replace(b"\\", b"")))
        except binascii.Error:
            continue
    return SEPARATOR.join(pieces)


def _codes(value: float) -> dict[str, bytes]:
    codes = {"float64": struct.pack("<d", value), "float32": struct.pack("<f", value)}
    if value == int(value):
        codes |= {"int64": struct.pack("<q", int(value)), "int32": struct.pack("<i", int(value))}
    return codes


def _texts(value: float) -> list[bytes]:
    """Patterns for the number alone, with and without a separator of thousands; each begins with what is rare."""
    number = int(value) if value == int(value) else value
    texts = {f"{number}".encode(), f"{number:,}".encode()}
    return [re.escape(text) + rb"(?<![0-9.]" + re.escape(text) + rb")(?![0-9])" for text in texts]
