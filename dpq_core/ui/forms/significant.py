"""The controls of a grid of significant digits, for a column whose bounds nobody knows."""

from __future__ import annotations

import streamlit as st

from ...domain import Domain
from ...errors import ParameterError
from ..settings import table
from ..shell import NARROWEST, complain, fields, sentence_of, term

WAYS = {"known": "I know them", "digits": "Significant digits"}
SIGNS = {"yes": "Yes", "no": "No"}


def choose_way() -> str:
    """Ask how the grid of all answers is said, and return one of `table.BOUNDS`."""
    return fields.segmented_control("bounds", table.BOUNDS, WAYS.__getitem__, help=term("significant digits"))


def choose_digits() -> Domain | None:
    """Ask for digits and for the range that they cover, and return the grid; None while they make none."""
    with st.grid(2, min_column_width=NARROWEST, gap="small"):
        digits = fields.segmented_control("digits", table.DIGITS)
        negative = fields.segmented_control("negative", tuple(SIGNS), SIGNS.__getitem__)
        smallest, largest = (fields.text_input(name).strip() for name in ("smallest", "largest"))
    try:
        domain = Domain.significant(int(digits), smallest, largest, negative=negative == "yes")
    except ParameterError as error:
        complain(sentence_of(error))
        return None
    st.caption(
        f"No bounds needed: 0 and {domain.cells - 1:,} numbers of {digits} digits. An answer is rounded to them."
    )
    return domain
