"""Sign-in, where the server is set up for it: curators use every page, everybody else signed in sees reports only.

Without an `[auth]` section in Streamlit's secrets nothing changes and no visitor has to sign in. The names of curators
are e-mail addresses in DPQ_CURATORS, separated by commas. An address counts only if the identity provider does not call
it unverified. Nobody is a curator where the list is empty. A server that names curators and cannot ask for sign-in
shows nothing, so that a mistake in its secrets opens no door.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import streamlit as st

from dpq_core.mode import setting

from .. import keys
from ..menu import file_of

CURATORS = "DPQ_CURATORS"
LONGEST_NAME = 180
NOT_SET_UP = (
    "This server names curators but has no sign-in, so it shows nothing. To set it up, add an `[auth]` section to "
    "Streamlit's secrets and install the extra `signin`."
)
NO_CURATOR = "This server asks for sign-in and names no curators in DPQ_CURATORS, so nobody can release anything."


class Role(StrEnum):
    """What a visitor may see."""

    CURATOR = "curator"
    """Every page. Also everybody on a server without sign-in."""
    VIEWER = "viewer"
    """Reports of released answers."""
    STRANGER = "stranger"
    """Nothing before signing in."""


def guard(*, viewers: bool) -> None:
    """End the run of a page that this visitor may not see, and say why; every page's header calls it first.

    `viewers`: whether the page is open to those who see reports only.
    """
    match role():
        case Role.STRANGER if not configured():
            st.markdown(NOT_SET_UP)
            st.stop()
        case Role.STRANGER:
            st.markdown("Please sign in to use this page.")
            st.button("Sign in", key=keys.widget("sign_in"), type="primary", icon=":material/login:", on_click=st.login)
            st.stop()
        case Role.VIEWER if not viewers:
            st.markdown("You are signed in to read reports. This page is for those who look after the data.")
            if st.button("Go to the reports", key=keys.widget("to_report"), type="primary"):
                st.switch_page(file_of("releases"))
            sign_out()
            st.stop()


def sign_out() -> None:
    """Say who is signed in, and draw the way out; nothing where nobody can sign in."""
    if not configured():
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f"Signed in as {_shown(str(st.user.get('email') or st.user.get('name') or 'a visitor'))}.")
        st.button("Sign out", key=keys.widget("sign_out"), type="tertiary", on_click=st.logout)


def who() -> str:
    """Return by what name the ledger records who is signed in: an address or a name; empty where nobody can sign in."""
    return recorded_name(st.user.to_dict()) if configured() else ""


def recorded_name(user: Mapping[str, Any]) -> str:
    """Return the name of what the identity provider said about a visitor: one line, no formula in a spreadsheet."""
    said = str(user.get("email") or user.get("name") or "")
    printable = "".join(character for character in said if character.isprintable()).strip()[:LONGEST_NAME]
    return printable if printable[:1].isalnum() or not printable else f"user {printable}"


def role() -> Role:
    """Return the visitor's role. The only place that decides; the server's own session says who signed in."""
    if not configured() and not os.environ.get(CURATORS, "").strip():
        return Role.CURATOR
    return role_of(st.user.to_dict(), os.environ)


def role_of(user: Mapping[str, Any], environment: Mapping[str, str]) -> Role:
    """Return the role of a visitor from what the identity provider said, on a server with sign-in."""
    if user.get("is_logged_in") is not True:
        return Role.STRANGER
    email = user.get("email")
    trusted = isinstance(email, str) and user.get("email_verified", True) is True
    listed = {name.strip().casefold() for name in environment.get(CURATORS, "").split(",") if name.strip()}
    return Role.CURATOR if trusted and str(email).strip().casefold() in listed else Role.VIEWER


def configured() -> bool:
    """Return whether this server can ask for sign-in: an `[auth]` section in its secrets."""
    return "is_logged_in" in st.user


def problem() -> str:
    """Return why nobody may release on a server that names curators or asks for sign-in; empty where a person may."""
    named, asks = bool(setting(CURATORS)), st.secrets.load_if_toml_exists() and "auth" in st.secrets
    return "" if named == asks else NOT_SET_UP if named else NO_CURATOR


def _shown(text: str) -> str:
    printable = "".join(character for character in text[:80] if character.isalnum() or character in "@.-+ ")
    return printable.replace("-", "\\-").replace("+", "\\+").replace(".", "\\.").replace("@", "\\@")
