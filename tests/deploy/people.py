"""People before a deployed server, without browsers: they keep cookies, sign in, connect, come back."""

import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from http.cookiejar import CookieJar
from http.cookies import SimpleCookie
from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.deploy.machine import NAME, Machine
from tests.load.visitor import ANSWER_SECONDS, Visitor, connecting
from tests.narrowing import present

XSRF, PROCESS = "_streamlit_xsrf", "dpq_process"


class Person:
    """Somebody with a store of cookies, who trusts the server's certificate and no other."""

    def __init__(self, machine: Machine, email: str = "") -> None:
        self.machine, self.email = machine, email
        self.jar = CookieJar()
        self._by_socket: dict[str, str] = {}
        """What came with the answer to a WebSocket's handshake."""
        https = urllib.request.HTTPSHandler(context=machine.trust)
        self._opener = urllib.request.build_opener(https, urllib.request.HTTPCookieProcessor(self.jar))

    def ask(self, address: str, content: bytes | None = None, method: str = "GET", **headers: str) -> HTTPResponse:
        """The answer to a request, redirects followed; an address without a host is one of this server."""
        url = urllib.parse.urljoin(self.machine.url, address)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(url, data=content, method=method, headers=named)
        with self._opener.open(request, timeout=ANSWER_SECONDS) as answer:
            assert isinstance(answer, HTTPResponse)
            answer.read()
            return answer

    @property
    def cookies(self) -> dict[str, str]:
        """What this server has set."""
        return {each.name: str(each.value) for each in self.jar if each.domain.startswith(NAME)} | self._by_socket

    def sign_in(self) -> None:
        """As on the screen: press the button, go to the provider, come back with its cookies."""
        self.ask("/")
        with self.visiting("release") as visitor:
            visitor.act(WidgetState(id=visitor.widget_id("button", "Sign in"), trigger_value=True))
            leading = [ForwardMsg.FromString(frame).auth_redirect.url for frame in visitor.frames]
        form = self.ask(next(filter(None, leading)))
        assert form.url.startswith(self.machine.provider), form.url
        back = self.ask(form.url, urllib.parse.urlencode({"sub": self.email}).encode(), "POST")
        assert back.url.startswith(self.machine.url), back.url

    @contextmanager
    def visiting(self, page: str, query: str = "", session: str = "") -> Iterator[Visitor]:
        """Open a page; `session`: the one that a connection that was lost had, as a browser says it."""
        if XSRF not in self.cookies:
            self.ask("/_stcore/health")
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        own: dict[str, Any] = {"token": self.cookies[XSRF], "session": session, "trust": self.machine.trust_in_threads}
        with connecting(self.machine.url, page, query, cookies, **own) as visitor:
            set_now = SimpleCookie("\n".join(present(visitor.socket.response).headers.get_all("Set-Cookie")))
            self._by_socket |= {name: each.value for name, each in set_now.items()}
            visitor.open()
            yield visitor
