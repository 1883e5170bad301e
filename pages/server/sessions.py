"""End sessions with their tabs, so that their data do not stay in memory after the visitor has left.

Streamlit keeps a session for two minutes after its connection ended, and looks for old ones only when it is next used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from hashlib import sha256
from ipaddress import ip_address, ip_network
from weakref import WeakValueDictionary

import streamlit as st
from streamlit import config, runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

from .. import keys

CONNECTION = "Sec-WebSocket-Key"
"""The header that only one connection has: a browser makes a new one whenever the old one breaks."""
PROTOCOL = "Sec-WebSocket-Protocol"
"""The header whose third word is the session that a page had, where its connection broke."""
GONE = 1001
"""The code with which a browser ends a connection because its tab was closed or leads elsewhere, from RFC 6455."""
GRACE_SECONDS = 3.0
"""Time for a tab that comes back after all."""
_TOLD = keys.state("told_of_loss")
_by_connection: WeakValueDictionary[str, AppSession] = WeakValueDictionary()


def connection() -> str | None:
    """Return what only this connection has; None behind a proxy that does not hand it on."""
    return st.context.headers.get(CONNECTION)


def session() -> str:
    """Return what only this session has; empty outside a server."""
    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else context.session_id


def is_gone() -> bool:
    """Return whether nobody is connected to this session any more."""
    return has_gone(session())


def has_gone(name: str) -> bool:
    """Return whether nobody is connected to a session any more, from any thread."""
    return bool(name) and runtime.exists() and not runtime.get_instance().is_active_session(name)


def browser() -> str:
    """Return what only this browser has, also after a reload: the random token of its cookie, digested; or nothing."""
    return browser_of(st.context.cookies)


def browser_of(cookies: Mapping[str, str]) -> str:
    """Return what only the browser with these cookies has; empty where there is nothing."""
    token, _ = decode_xsrf_token_string(cookies.get(XSRF_COOKIE_NAME) or "")
    return sha256(token).hexdigest() if token else ""


def network_of(text: str) -> str:
    """Return what one customer has around an address: of IPv4 itself, of IPv6 a network; nothing for no other machine.

    Behind a proxy on this machine that passes no addresses on, all have the one of this machine.
    """
    try:
        address = ip_address(text)
    except ValueError:
        return ""
    if address.is_loopback:
        return ""
    return str(address) if address.version == 4 else str(ip_network((address, 64), strict=False))


def note(session: AppSession, headers: Mapping[str, str]) -> None:
    """Remember which session a connection with these headers serves."""
    if key := headers.get(CONNECTION.lower()):
        _by_connection[key] = session


def lost_one() -> bool:
    """Return whether this page had a session before that is gone, with its process or by time, until `told`."""
    context, words = get_script_run_ctx(), st.context.headers.get(PROTOCOL, "").split(",")
    before = words[2].strip() if len(words) > 2 else ""
    return context is not None and before not in {"", context.session_id} and _TOLD not in st.session_state


def told() -> None:
    """Note that the visitor knows of the loss."""
    st.session_state[_TOLD] = True


def end_after(key: str | None, code: int) -> None:
    """End the session of a connection that was closed with this code, unless it is taken up again before."""
    session = _by_connection.get(key) if key else None
    if session is not None:
        asyncio.get_running_loop().call_later(kept_seconds(code), _end, session)


def kept_seconds(code: int) -> float:
    """Return how long the session of a connection is kept that was closed with this code."""
    return GRACE_SECONDS if code == GONE else float(config.get_option("server.disconnectedSessionTTL"))


def _end(session: AppSession) -> None:
    """End a session and empty its memory: Streamlit's own loop goes on holding the last one that it served."""
    server = runtime.get_instance()
    if not server.is_active_session(session.id):
        server.close_session(session.id)
        session.session_state.clear()
