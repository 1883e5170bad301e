"""Files to take away: a link for each, which the front door answers for as long as the session lives.

Streamlit drops a file that is to be made later whenever some other session's run ends at the wrong moment: with eight
people at work one download in eight was not found. Here a session holds what it offers, and the address of an offer,
which nobody can guess, stays the same from run to run.
"""

from __future__ import annotations

import asyncio
import logging
import mimetypes
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import quote
from uuid import uuid4
from weakref import WeakValueDictionary

import streamlit as st
from starlette.responses import PlainTextResponse, Response

from ..settings import PREFIX

ADDRESS = "/download/"
MOST_OFFERS = 40
"""Files that a session offers at once; a page has six. What was drawn longest ago goes first."""
MOST_AT_ONCE = 2
"""Files that the server makes at the same time, for whomever; others wait in line."""
KINDS = {
    "CSV": ("csv", "download"),
    "Wide CSV": ("wide.csv", "table_chart"),
    "JSON": ("json", "data_object"),
    "Figure": ("html", "image"),
    "SVG": ("svg", "image"),
    "PNG": ("png", "image"),
    "Slides": ("html", "slideshow"),
    "Codebook": ("html", "menu_book"),
    "To print": ("html", "print"),
    "Python": ("py", "code"),
}
"""By label: the end of a file's name, and the icon of its link."""
_OFFERS = f"{PREFIX}:offers"


@dataclass(eq=False)
class Offer:
    """A file that a session offers, made anew whenever it is asked for."""

    name: str
    make: Callable[[], str | bytes]
    """From the last run that drew the link. What it made is not kept."""
    token: str = field(default_factory=lambda: uuid4().hex)

    def content(self) -> bytes:
        """Make the file; CSV begins with the mark by which spreadsheets know UTF-8."""
        made = self.make()
        if isinstance(made, bytes):
            return made
        return made.encode("utf-8-sig" if self.name.endswith(".csv") else "utf-8")


_offered: WeakValueDictionary[str, Offer] = WeakValueDictionary()
"""By token; the memory of the session holds the offers, and they go with it."""
_makers = ThreadPoolExecutor(MOST_AT_ONCE, "download")


def show(files: Mapping[str, Callable[[], str | bytes]], name: str, settings: str = "") -> None:
    """Draw a link for each file, by its label; the name says what may be shown.

    A file of no kind in KINDS holds settings and is called `settings`.
    """
    drawn = []
    for label, make in files.items():
        end, icon = KINDS.get(label, ("", "list_alt"))
        drawn.append(_link(label, icon, _offer(f"{name} {label}", f"{name}.{end}" if end else settings, make)))
    st.html(f'<div class="dpq-files" role="group" aria-label="Downloads">{"".join(drawn)}</div>')


def show_main(label: str, name: str, make: Callable[[], str]) -> None:
    """Draw the link to the one file that a page is there for, as its primary button."""
    link = _link(label, "download", _offer(label, name, make))
    st.html(f'<div class="dpq-files dpq-main">{link}</div>')


def forget() -> None:
    """Offer nothing any more: what is still on the screen gets another address when it is drawn again."""
    st.session_state.pop(_OFFERS, None)


async def hand_out(scope: Any, receive: Any, send: Any, *, token: str) -> None:
    """Answer a request for the file of this token, without holding up others while it is made."""
    offer = _offered.get(token)
    answer = PlainTextResponse("There is no such file any more.", 404) if offer is None else await _answer(offer)
    answer.headers["Cache-Control"] = "no-store"
    await answer(scope, receive, send)


async def _answer(offer: Offer) -> Response:
    try:
        content = await asyncio.get_running_loop().run_in_executor(_makers, offer.content)
    except Exception as error:  # its message might quote the data, so only its type is told
        logging.getLogger(__name__).error("Making a file ended with %s.", type(error).__name__)
        return PlainTextResponse("This file could not be made.", 500)
    kind = mimetypes.guess_type(offer.name)[0] or "application/octet-stream"
    return Response(content, media_type=kind, headers={"Content-Disposition": disposition(offer.name)})


def disposition(name: str) -> str:
    """Return the header that has a file saved under its name, whatever is in it (RFC 6266, RFC 8187)."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='', errors='replace')}"


def _offer(place: str, name: str, make: Callable[[], str | bytes]) -> Offer:
    """Return the offer of a place, with what it holds now. A link that is still on a screen leads to the same one."""
    offers: dict[str, Offer] = st.session_state.setdefault(_OFFERS, {})
    offer = offers.pop(place, None) or Offer(name, make)
    offer.make = make
    offers[place] = _offered[offer.token] = offer
    while len(offers) > MOST_OFFERS:
        del offers[next(iter(offers))]
    return offer


def _link(label: str, icon: str, offer: Offer) -> str:
    """Return a link. Its address is relative, to hold below any path; `download` leaves the page alone if it fails."""
    address, name = f"{ADDRESS.strip('/')}/{offer.token}", escape(offer.name)
    picture = f'<span aria-hidden="true" translate="no">{icon}</span>'
    return f'<a href="{address}" download="{name}">{picture}{escape(label)}</a>'
