"""The front door of the server: it checks every request before Streamlit gets it.

Streamlit has four gaps. It checks the host name on its WebSocket alone. It accepts any port of this machine as an
origin. It shows the size of all uploads to any visitor under `/_stcore/metrics`. It can be shown inside another site's
frame. Here every request needs a host name of `server.allowedHosts`. A WebSocket needs exactly this origin and the
token of the page. Below `/_stcore/` only what a page uses is served. Uploads need a session that was shown an uploader,
and have a limit. Every answer has headers that keep other sites out.

Crowds. The pages that are open at once are limited: from one browser, from one address, and of all visitors together.
Each page holds a connection and a session, with some files of the operating system. A page that is closed counts for as
long as its session is kept. Messages of a page that come faster than people act wait in its own connection. A proxy on
this machine says in `X-Forwarded-For` who asks, and uvicorn believes it from nobody else. Where it does not say so all
visitors have one address, which says nothing of them.
"""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, file_util
from streamlit.web.server.starlette.starlette_app_utils import validate_xsrf_token
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from dpq_core.errors import ParameterError
from dpq_core.mode import refuse_wrong_settings

from . import downloads, sessions, uploads
from .scripts import SCRIPTS

MOST_OPEN = {"browser": 30, "address": 300, "all": 2000}
"""Pages at once; a lecture hall shares one address."""
MESSAGES_AT_ONCE, MESSAGES_A_SECOND = 40, 20.0
"""Of one page: a slider that is dragged sends five a second."""
_open_pages: Counter[tuple[str, str]] = Counter()
"""Pages that are open or kept: by what they are counted by."""


def enter(browser: str, address: str) -> list[tuple[str, str]] | None:
    """Count one more page, and return by what; None where there are too many of its browser, its address, or at all.

    Either is empty where it is not known.
    """
    kinds = {"browser": browser, "address": sessions.network_of(address), "all": "all"}
    place = [(kind, name) for kind, name in kinds.items() if name]
    if any(_open_pages[each] >= MOST_OPEN[each[0]] for each in place):
        return None
    _open_pages.update(place)
    return place


def leave(place: list[tuple[str, str]]) -> None:
    """Give the place of a page to others."""
    _open_pages.subtract(place)
    for each in place:
        if not _open_pages[each]:
            del _open_pages[each]


INNER = "/_stcore/"
STREAM = f"{INNER}stream"
UPLOAD = f"{INNER}upload_file/"
SERVED = (f"{INNER}health", f"{INNER}host-config", STREAM, UPLOAD)
"""All that a page asks for below INNER; metrics and Streamlit's interface for agents are not among it."""
SAFE = {"GET", "HEAD", "OPTIONS"}
REFUSED, LOST = 1008, 1006
"""The codes of a WebSocket that is closed by policy, and of one that broke without a word (RFC 6455)."""
INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def _known_scripts() -> str:
    """Return the hashes of our own scripts and of those in the text of Streamlit's page, as a policy names them."""
    page = (Path(file_util.get_static_dir()) / "index.html").read_text(encoding="utf-8")
    digests = (sha256(script.encode()).digest() for script in (*INLINE_SCRIPT.findall(page), *SCRIPTS))
    return " ".join(f"'sha256-{b64encode(digest).decode()}'" for digest in digests)


CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        f"script-src 'self' 'wasm-unsafe-eval' {_known_scripts()}",  # protobuf is read by WebAssembly
        "style-src 'self' 'unsafe-inline'",  # emotion, plotly and KaTeX write styles as they go
        "img-src 'self' data: blob:",  # a picture that plotly's camera turns into a file
        "font-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""Nothing from elsewhere, no script in a page's text but the known ones, no frame around it; styles are inline."""
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def front_door() -> list[Middleware]:
    """Return the checks before Streamlit, for `st.App(middleware=)`. Ends a server with settings that are wrong."""
    try:
        refuse_wrong_settings()
    except ParameterError as error:
        raise SystemExit(f"This server does not start: {error}") from None
    uploads.keep_in_memory()
    return [Middleware(FrontDoor)]


class FrontDoor:
    """Refuse what no page of this server asks for, and add the headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "websocket":
            browser, client = sessions.browser_of(_cookies(Headers(scope=scope))), scope.get("client")
            place = enter(browser, str(client[0]) if client else "") if _may_connect(scope) else None
            if place is None:
                await send({"type": "websocket.close", "code": REFUSED})
            else:
                await self._connect(scope, receive, send, place)
        elif scope["type"] == "http":
            await self._answer(scope, receive, _with_headers(send))
        else:
            await self.app(scope, receive, send)

    async def _connect(self, scope: Scope, receive: Receive, send: Send, place: list[tuple[str, str]]) -> None:
        """Serve a page until it is gone, as fast as people act, and see to it that its session ends."""
        code, loop = LOST, asyncio.get_running_loop()
        free_at = loop.time()
        """When all of MESSAGES_AT_ONCE may be heard again."""

        async def listen() -> Message:
            nonlocal code, free_at
            now = loop.time()
            free_at = max(free_at, now) + 1 / MESSAGES_A_SECOND
            await asyncio.sleep(max(free_at - now - MESSAGES_AT_ONCE / MESSAGES_A_SECOND, 0))
            message = await receive()
            if message["type"] == "websocket.disconnect":
                code = message.get("code", LOST)
            return message

        try:
            await self.app(scope, listen, send)
        finally:
            loop.call_later(sessions.kept_seconds(code), leave, place)
            sessions.end_after(Headers(scope=scope).get(sessions.CONNECTION), code)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = _refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
        elif scope["method"] in {"GET", "HEAD"} and _path(scope).startswith(downloads.ADDRESS):
            await downloads.hand_out(scope, receive, send, token=_path(scope).removeprefix(downloads.ADDRESS))
        elif scope["method"] == "PUT" and _path(scope).startswith(UPLOAD):
            await uploads.admit(self.app, scope, receive, send, session=_path(scope).removeprefix(UPLOAD).split("/")[0])
        else:
            await self.app(scope, receive, send)


def _refusal(scope: Scope) -> PlainTextResponse | None:
    """Return the answer to a request that is not let in, None for one that is."""
    headers, path = Headers(scope=scope), _path(scope)
    if not is_host_allowed(headers.get("host")):
        return PlainTextResponse("This server does not answer to this name.", 400)
    if f"{path}/".startswith(INNER) and path not in SERVED and not path.startswith(UPLOAD):
        return PlainTextResponse("Not found.", 404)
    if scope["method"] not in SAFE and not _same_origin(headers, required=False):
        return PlainTextResponse("Not from this page.", 403)
    return None


def _may_connect(scope: Scope) -> bool:
    """Return whether a WebSocket comes from a page of this server: its name, its origin, its path and its token.

    The second word of the handshake's protocol is the token that the page's cookie holds.
    """
    headers = Headers(scope=scope)
    _, said, *_ = (*headers.get("sec-websocket-protocol", "").split(","), "", "")
    named = is_host_allowed(headers.get("host")) and _path(scope) == STREAM
    token = _cookies(headers).get(XSRF_COOKIE_NAME)
    return named and _same_origin(headers, required=True) and bool(validate_xsrf_token(said.strip() or None, token))


def _cookies(headers: Headers) -> dict[str, str]:
    return cookie_parser(headers.get("cookie", ""))


def _same_origin(headers: Headers, *, required: bool) -> bool:
    """Return whether the origin is the very host and port that was asked; without one only where it is not required.

    The scheme is the browser's: a proxy that ends HTTPS leaves the origin as it was.
    """
    origin = headers.get("origin")
    if origin is None:
        return not required
    found = urlsplit(origin)
    return found.scheme in {"http", "https"} and found.netloc.lower() == headers.get("host", "").lower()


def _path(scope: Scope) -> str:
    """Return the path below the server's base path, with no slash doubled."""
    base = "/" + str(config.get_option("server.baseUrlPath") or "").strip("/")
    path = "/" + str(scope["path"]).lstrip("/")
    return path.removeprefix(base) if base != "/" else path


def _with_headers(send: Send) -> Send:
    """Return a sender that adds the headers to the start of an answer."""

    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return sender
