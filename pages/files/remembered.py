"""How the columns of a data set were read before, in one line, and the button that reads them so again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from dpq_core.sources.reading import AS_WRITTEN, Reading

from ..budget import read_otherwise
from ..frame import escape
from ..settings import key
from .written import AGAIN, in_words

REPLACED = "After a release, the present setting is remembered instead."


def offer_as_before(
    account: str, said: Mapping[str, Reading], take: Callable[[dict[str, Reading]], None], *, kept: bool
) -> None:
    """Offer to read columns as the data set remembers them; draw nothing where the present reading is the same.

    `said`: how the columns are read now, by name; `take` gets the earlier reading when the button is pressed. `kept`:
    whether the file is still there to be read.
    """
    before = read_otherwise(account, said)
    if not before:
        return
    sentences = [f"{name} of {account} was read {_how(reading)} before." for name, reading in before.items()]
    if any(said[name] != AS_WRITTEN for name in before):
        sentences.append(REPLACED)
    it = "it" if len(before) == 1 else "them"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f":material/history: {escape(' '.join(sentences))}", width="stretch")
        st.button(
            f"Read {it} the same way", key=key("as_before"), type="tertiary", on_click=take, args=(before,),
            help=None if kept else AGAIN,
        )  # fmt: skip


def otherwise_in_words(account: str, said: Mapping[str, Reading]) -> str:
    """Return which columns are read otherwise than the data set remembers; empty where none is."""
    return "; ".join(
        f"{name} was read {_how(before)} before, and is read {_how(said[name])} now"
        for name, before in read_otherwise(account, said).items()
    )


def _how(reading: Reading) -> str:
    return ", ".join(in_words(reading)) or "as its cells say"
