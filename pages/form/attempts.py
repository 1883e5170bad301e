"""One attempt to draw, and the sentence on why there is no answer: it tells nothing that is not public."""

from __future__ import annotations

import logging
from collections.abc import Callable

import streamlit as st

from dpq_core.errors import BudgetError, Infeasible
from dpq_core.privacy.budgets import budget_in_digits

from ..shell import links
from ..shell.header import sentence_of
from . import refusals

Refused = Callable[[refusals.Need, str], None]
"""Keeps what a refused plan needs, and a sentence on what finding out has cost."""
UNEXPECTED = "This did not work. Please change a setting and try again."
WOULD_COST = "A release would have spent ε = {} on finding this out."


class Unsaid(ValueError):
    """A refusal that may follow from a number that the screen must not know; `.charged` as of Infeasible."""

    def __init__(self, sentence: str, charged: float) -> None:
        super().__init__(sentence)
        self.charged = charged


def attempt(
    draw: Callable[[], None], refused: Refused | None = None, *, cost: str = WOULD_COST, unexpected: str = UNEXPECTED,
    over_budget: Callable[[BudgetError], str] = sentence_of,
) -> str:  # fmt: skip
    """Draw, and return one sentence on why it failed, else nothing. What a failure has spent is in the ledger.

    `refused` takes a refusal that other settings avoid, with what it has cost; then nothing is left to be said.
    `cost`, `unexpected`, `over_budget`: the sentences on what finding out has cost, on what nobody expected, and on a
    budget that does not allow it.
    """
    links.forget_notes()
    try:
        with st.spinner("Drawing …"):
            draw()
    except BudgetError as error:
        return over_budget(error)
    except (Infeasible, Unsaid) as error:
        need, price = refusals.need_of(error), cost.format(budget_in_digits(error.charged, 4)) if error.charged else ""
        if refused is not None:
            refused(need, price)
            return ""
        return f"{need.sentence} {price}".strip()
    except ValueError as error:
        return sentence_of(error)
    except Exception as error:  # its message might quote the data, so log only its type
        logging.getLogger(__name__).error("Drawing ended with %s.", type(error).__name__)
        return unexpected
    return ""
