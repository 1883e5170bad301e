"""The rules of style.css and presented.css, and the keys of what they are about."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import streamlit as st

from .. import keys
from ..form.table import key
from ..server.scripts import ANSWER, FIGURES, LAST_STEP, NARROW, READING

IN_VIEW = keys.widget("in_view")
"""The key of the container that holds a page's primary button."""
CONTROLS = keys.widget("controls")
"""The key of a page's card of controls."""
PICTURE = keys.widget("picture")
"""The key of the container of a picture that stays in view."""
SMALL_PRINT = keys.widget("small_print")
"""The key of the line below the finding of a picture."""
KEY_NUMBERS = keys.widget("key_numbers")
"""The key of the numbers below a picture, for which a phone has no room: its finding says the first of them."""
PRESENT = keys.widget("present")
"""The key of the button that begins a presentation."""
STAGE = keys.widget("stage")
"""The key of the place of the one figure that a presentation shows."""
CHOSEN_NOW = keys.widget("chosen_now")
"""The key of the line that says which data are shown, which a phone has in its form alone."""
QR_CODE = keys.widget("qr_code")
"""The key of the container of a room's code."""


def result_key(name: str = "") -> str:
    """Return the key of the container of a finished outcome; without a name, how all of them begin."""
    return keys.widget("result", name)


KEYS = {
    "ANSWER": ANSWER, "FIGURES": FIGURES, "LAST_STEP": LAST_STEP, "NARROW": NARROW, "READING": READING,
    "IN_VIEW": IN_VIEW, "CONTROLS": CONTROLS, "PICTURE": PICTURE, "SMALL_PRINT": SMALL_PRINT,
    "KEY_NUMBERS": KEY_NUMBERS, "PRESENT": PRESENT, "STAGE": STAGE, "CHOSEN_NOW": CHOSEN_NOW, "QR_CODE": QR_CODE,
    "RESULT": result_key(), "LESSON": key("lesson"),
}  # fmt: skip
"""By the words in their place in the rules."""


@lru_cache
def style(name: str = "style") -> str:
    """Return the rules of every page as a style element, without remarks; `presented`: those of a presentation."""
    text = Path(__file__).with_name(f"{name}.css").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"@([A-Z_]+)", lambda found: KEYS[found[1]], text)
    text = re.sub(r"@((?:light|dark)\.\w+)", lambda found: st.get_option(f"theme.{found[1]}") or "Canvas", text)
    return f"<style>{' '.join(text.split())}</style>"
