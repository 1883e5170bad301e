"""A visitor without a browser: speaks Streamlit's protocol over its WebSocket, and keeps every frame that it gets."""

import re
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ssl import SSLContext
from typing import Any

from streamlit.proto.AutoRerun_pb2 import AutoRerun
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

ANSWER_SECONDS = 90
"""Only against waiting for ever: what is too slow is for the tests to say."""
TAB_CLOSED = 1001
"""The code with which a browser leaves, from RFC 6455."""
LINK = re.compile(r'href="(download/\w+)" download="([^"]+)"')
RUN_GOES_ON = ForwardMsg.FINISHED_EARLY_FOR_RERUN
RUN_ENDS = {ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY}


@dataclass
class Visitor:
    """One connection, and what is on its screen; `frames` has everything that was ever sent to it."""

    socket: ClientConnection
    page: str
    query: str
    cookie: str = ""
    """The browser that comes."""
    frames: list[bytes] = field(default_factory=list)
    elements: dict[tuple[int, ...], Element] = field(default_factory=dict)
    """By their places on the page, as after the last run."""
    auto_rerun: AutoRerun | None = None
    """What the server asked to be asked again, if it did in the last run of the whole page."""
    page_script_hash: str = ""
    """Of the page that is open, as the server calls it."""
    session: str = ""
    """As the server calls it; empty until a page was opened."""

    def open(self) -> None:
        """The first run of the page."""
        self._ask((), fragment="")

    def ask_and_not_wait(self) -> None:
        """Ask for the page, and hear nothing of it."""
        self._send((), fragment="")

    def act_and_not_wait(self, *states: WidgetState) -> None:
        """Say what widgets hold now, and hear nothing of what follows."""
        self._send(states, fragment="")

    def act(self, *states: WidgetState) -> None:
        """Say what widgets hold now, and wait until the run that follows has ended."""
        self._ask(states, fragment="")

    def act_in(self, part: str, *states: WidgetState) -> None:
        """Say what widgets in a part of the page hold now, for which its browser asks for that part alone."""
        self._ask(states, fragment=part)

    def go(self, page: str) -> None:
        """Open another page, as a click on the menu does."""
        self.page, self.page_script_hash = page, ""
        self.open()

    def leave(self) -> None:
        """Close the tab, as a browser does: the server ends the session then."""
        self.socket.close(TAB_CLOSED)

    def ask_again(self, word: AutoRerun) -> None:
        """Ask for a fragment, and see the run that begins then, whatever it is of."""
        self._ask((), fragment=word.fragment_id)

    def hear_for(self, seconds: float) -> None:
        """Take what the server sends for so long, and forget it."""
        until = time.monotonic() + seconds
        with suppress(TimeoutError):
            while (left := until - time.monotonic()) > 0:
                self._next_frame(left)

    def wait_for(self, kind: str, label: str) -> None:
        """Ask again as often as the server wants, as a browser does, until a widget is there."""
        self.poll_until(lambda: self.has(kind, label), f"{kind} {label!r}")

    def poll_until(self, there: Callable[[], bool], what: str = "it") -> None:
        """See what comes, and ask again as often as the server wants, as a browser does, until something is there."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while not there():
            assert time.monotonic() < deadline, f"{what} never came"
            assert self.auto_rerun is not None, f"{what} is not there, and nothing more would come"
            if not self.called_within(self.auto_rerun.interval):
                self.ask_again(self.auto_rerun)

    def called_within(self, seconds: float) -> bool:
        """See a run that the server begins by itself; whether one came within so many seconds.

        After a run the server says that it has ended, which begins no other one.
        """
        until = time.monotonic() + seconds
        try:
            frame = self._next_frame(seconds)
            while str(ForwardMsg.FromString(frame).WhichOneof("type")) != "new_session":
                self.frames.append(frame)
                frame = self._next_frame(max(until - time.monotonic(), 0))
        except TimeoutError:
            return False
        self._hear(frame)
        return True

    def has(self, kind: str, label: str) -> bool:
        """Whether a widget is on the screen."""
        return any(widget.label == label for widget in self.all_of(kind))

    def widget_id(self, kind: str, label: str) -> str:
        """The id of the one widget of this kind with this label, which can be used."""
        found = [widget for widget in self.all_of(kind) if widget.label == label]
        assert len(found) == 1, f"{len(found)} times {kind} {label!r}"
        assert not found[0].disabled, f"{kind} {label!r} is disabled"
        return str(found[0].id)

    def all_of(self, kind: str) -> list[Any]:
        """The contents of all elements of one kind, from top to bottom."""
        return [
            getattr(element, kind) for _, element in sorted(self.elements.items()) if element.WhichOneof("type") == kind
        ]

    def links(self) -> dict[str, str]:
        """The addresses of the files on the screen, by their names."""
        return {name: address for html in self.all_of("html") for address, name in LINK.findall(html.body)}

    def press(self, label: str) -> None:
        """Press the one button with this label, and wait until the run that follows has ended."""
        self.act(WidgetState(id=self.widget_id("button", label), trigger_value=True))

    def said(self) -> str:
        """What the page says in sentences."""
        return " ".join(element.body for kind in ("markdown", "alert") for element in self.all_of(kind))

    def sees(self, words: str) -> bool:
        """Whether the page says this."""
        return words in self.said()

    def ask_whole_and_part(self, fragment: str) -> None:
        """Ask for the page and in the same moment for a part of it, and see both runs."""
        self._send((), fragment="")
        self._ask((), fragment=fragment)
        self._hear(self._next_frame(ANSWER_SECONDS))

    def _ask(self, states: Iterable[WidgetState], fragment: str) -> None:
        self._send(states, fragment)
        self._hear(self._next_frame(ANSWER_SECONDS))

    def _send(self, states: Iterable[WidgetState], fragment: str) -> None:
        message = BackMsg()
        rerun = message.rerun_script
        rerun.query_string, rerun.page_script_hash = self.query, self.page_script_hash
        rerun.page_name = "" if self.page_script_hash else self.page
        rerun.fragment_id, rerun.is_auto_rerun = fragment, bool(fragment)
        rerun.widget_states.widgets.extend(states)
        self.socket.send(message.SerializeToString())

    def _next_frame(self, seconds: float) -> bytes:
        frame = self.socket.recv(timeout=seconds)
        assert isinstance(frame, bytes)
        return frame

    def _hear(self, frame: bytes) -> None:
        """See a frame and those that follow, up to the end of the run; a run that asks for another one goes on."""
        while True:
            self.frames.append(frame)
            message = ForwardMsg.FromString(frame)
            self._see(message)
            if message.WhichOneof("type") == "script_finished" and message.script_finished != RUN_GOES_ON:
                assert message.script_finished in RUN_ENDS, f"the run ended with {message.script_finished}"
                return
            frame = self._next_frame(ANSWER_SECONDS)

    def _see(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        assert kind not in {"ref_hash", "page_not_found"}, kind
        if kind == "new_session":
            self.page_script_hash = message.new_session.page_script_hash
            self.session = message.new_session.initialize.session_id
        elif kind == "navigation":
            self.page_script_hash = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        if kind == "new_session" and not message.metadata.run.fragment_ids:
            self.elements.clear()
            self.auto_rerun = None
        elif kind == "auto_rerun":
            self.auto_rerun = message.auto_rerun
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            assert element.WhichOneof("type") != "exception", element.exception.message
            self.elements[tuple(message.metadata.delta_path)] = element


@contextmanager
def visiting(url: str, page: str, query: str, cookie: str = "", source: str = "") -> Iterator[Visitor]:
    """A visitor who has opened a page of the dashboard by a link; the connection is closed when the block ends.

    `cookie`: of somebody who comes again with the same browser. `source`: an address of this machine to come from.
    """
    with connecting(url, page, query, cookie, source) as visitor:
        visitor.open()
        yield visitor


@contextmanager
def connecting(
    url: str, page: str, query: str, cookie: str = "", source: str = "", *, token: str = "", session: str = "",
    trust: SSLContext | None = None,
) -> Iterator[Visitor]:  # fmt: skip
    """A visitor with a connection who has not asked for the page yet, in a browser of its own unless one is given.

    `token`: that of the cookies, where there are several. `session`: the one that a connection that was lost had.
    """
    cookie = cookie or _token_of(url)
    words = ["streamlit", token or cookie.partition("=")[2], *([session] if session else [])]
    with connect(
        f"{url.replace('http', 'ws', 1)}/_stcore/stream",
        ssl=trust,
        origin=Origin(url),
        subprotocols=[*map(Subprotocol, words)],
        additional_headers={"Cookie": cookie},
        max_size=None,
        ping_interval=None,
        open_timeout=ANSWER_SECONDS,
        source_address=(source, 0) if source else None,
    ) as socket:
        yield Visitor(socket, page, query, cookie)


def _token_of(url: str) -> str:
    """The cookie with the token that a page of the dashboard says again when it connects."""
    with urllib.request.urlopen(f"{url}/_stcore/health", timeout=ANSWER_SECONDS) as answer:
        return str(answer.headers["Set-Cookie"]).partition(";")[0]
