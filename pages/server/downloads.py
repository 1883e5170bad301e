"""Files to take away: a link for each, which the front door answers for as long as the session lives.

Streamlit drops a file that is to be made later if the run of another session ends at the wrong moment: with eight
people at work, one download in eight was not found. Here a session keeps its own offers. The address of an offer cannot
be guessed, and stays the same from run to run.

A file takes up to a second to make. It is made once for all requests until its page is drawn again, and one at a time
for each session. So other visitors wait for at most one file of each visitor.
"""

from __future__ import annotations

import asyncio
import logging
import mimetypes
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from html import escape
from urllib.parse import quote
from uuid import uuid4
from weakref import WeakValueDictionary, ref

import streamlit as st
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from dpq_core.results.exports import as_xlsx

from .. import keys

ADDRESS = "/download/"
MOST_OFFERS = 40
"""Files that a session offers at once; a page has eight at most. What was drawn longest ago goes first."""
MOST_AT_ONCE = 2
"""Files that the server makes at the same time, for whomever; others wait in line."""
LONGEST_NAME = 60
"""Characters of the part of a file's name that says which data it is of."""
KEPT_SECONDS = 10.0
"""How long a file is kept for the next request, unless its page is drawn again before."""
KINDS = {
    "CSV": ("csv", "download"),
    "Excel": ("xlsx", "table_view"),
    "Wide CSV": ("wide.csv", "table_chart"),
    "JSON": ("json", "data_object"),
    "Figure": ("html", "image"),
    "Report": ("report.html", "summarize"),
    "Python": ("py", "code"),
    "Notebook": ("ipynb", "code_blocks"),
}
"""By label: the end of a file's name, and the icon of its link."""
_OFFERS = keys.state("offers")


@dataclass(eq=False)
class Offer:
    """A file that a session offers, made on request."""

    name: str
    make: Callable[[], str | bytes]
    """From the last run that drew the link."""
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Of the session: it makes one file at a time."""
    token: str = field(default_factory=lambda: uuid4().hex)
    _kept: tuple[Callable[[], str | bytes], bytes] | None = None
    """What the file was made by a moment ago, and its content."""

    def content(self) -> bytes:
        """Make the file; CSV begins with the mark by which spreadsheets know UTF-8."""
        made = self.make()
        if isinstance(made, bytes):
            return made
        return made.encode("utf-8-sig" if self.name.endswith(".csv") else "utf-8")

    async def made(self) -> bytes:
        """Return the file, made once for all who ask within a few seconds, and after the others of its session."""
        async with self.turn:
            if self._kept is None or self._kept[0] is not self.make:
                make, loop = self.make, asyncio.get_running_loop()
                self._kept = make, await loop.run_in_executor(_makers, self.content)
                loop.call_later(KEPT_SECONDS, _forget_kept, ref(self))  # which keeps no file that its session gave up
            return self._kept[1]


def _forget_kept(offer: ref[Offer]) -> None:
    if found := offer():
        found._kept = None


_offered: WeakValueDictionary[str, Offer] = WeakValueDictionary()
"""By token; the memory of the session holds the offers, and they go with it."""
_makers = ThreadPoolExecutor(MOST_AT_ONCE, "download")


def show(
    files: Mapping[str, Callable[[], str | bytes]], name: str, settings: str = "", *, of: str = "", day: str = ""
) -> None:
    """Draw a link for each file, by its label; the name says what may be shown, `of` which data and of which day.

    A file of no kind in KINDS holds settings and is called `settings`. A CSV is offered with the same content as a
    workbook.
    """

    def link(label: str, make: Callable[[], str | bytes]) -> str:
        end, icon = KINDS.get(label, ("", "list_alt"))
        kept = file_name(name, of, day, end) if end else settings
        return _link(label, icon, _offer(f"{name} {label}", kept, make))

    links = ""
    for label, make in files.items():
        links += link(label, make)
        if label == "CSV":
            links += link("Excel", partial(_workbook, make, of or name))
    st.html(f'<div class="dpq-files" role="group" aria-label="Downloads">{links}</div>')


def _workbook(make: Callable[[], str | bytes], name: str) -> bytes:
    made = make()
    return as_xlsx(made if isinstance(made, str) else made.decode("utf-8-sig"), name)


def file_name(kind: str, of: str, day: str, end: str) -> str:
    """Return the name of a file: `release-salaries-2026-11-26.csv`, without characters that no file name has."""
    named = re.sub(r"[^\w.-]+", "-", of).strip("-.")[:LONGEST_NAME].rstrip("-.")
    return "-".join(filter(None, (kind, named, day[:10]))) + f".{end}"


def show_main(label: str, name: str, make: Callable[[], str], *, of: str = "", day: str = "") -> None:
    """Draw the link to the one file that a page is there for, as its primary button; `name`: of its kind."""
    link = _link(label, "download", _offer(label, file_name(name, of, day, "html"), make))
    st.html(f'<div class="dpq-files dpq-main">{link}</div>')


def forget() -> None:
    """Offer nothing any more: what is still on the screen gets another address when it is drawn again."""
    st.session_state.pop(_OFFERS, None)


async def hand_out(scope: Scope, receive: Receive, send: Send, *, token: str) -> None:
    """Answer a request for the file of this token, without holding up others."""
    offer = _offered.get(token)
    gone = PlainTextResponse("There is no such file any more.", 404)
    answer = gone if offer is None else await _answer(offer)
    answer.headers["Cache-Control"] = "no-store"
    await answer(scope, receive, send)


async def _answer(offer: Offer) -> Response:
    try:
        content = await offer.made()
    except Exception as error:  # its message might quote the data, so log only its type
        logging.getLogger(__name__).error("Making a file ended with %s.", type(error).__name__)
        return PlainTextResponse("This file could not be made.", 500)
    kind = mimetypes.guess_type(offer.name)[0] or "application/octet-stream"
    return Response(content, media_type=kind, headers={"Content-Disposition": disposition(offer.name)})


def disposition(name: str) -> str:
    """Return the header that saves a file under its name, with any characters (RFC 6266, RFC 8187)."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='', errors='replace')}"


def _offer(place: str, name: str, make: Callable[[], str | bytes]) -> Offer:
    """Return the offer of a place, with what it holds now. A link that is still on a screen leads to the same one."""
    offers: dict[str, Offer] = st.session_state.setdefault(_OFFERS, {})
    turn = next(iter(offers.values())).turn if offers else asyncio.Lock()
    offer = offers.pop(place, None) or Offer(name, make, turn)
    offer.name, offer.make = name, make
    offers[place] = _offered[offer.token] = offer
    while len(offers) > MOST_OFFERS:
        del offers[next(iter(offers))]
    return offer


def _link(label: str, icon: str, offer: Offer) -> str:
    """Return a link. Its address is relative, to hold below any path; `download` leaves the page alone if it fails."""
    address, name = f"{ADDRESS.strip('/')}/{offer.token}", escape(offer.name)
    picture = f'<span aria-hidden="true" translate="no">{icon}</span>'
    return f'<a href="{address}" download="{name}">{picture}{escape(label)}</a>'
