"""What all pages share: heading, pieces of results, links, messages."""

from . import cells, fields, leads, links, pieces, presses, screen, state, style, waiting
from .header import NARROWEST, complain, escape, in_label, option_label, page_header, sentence_of, term, whole_number
from .links import forget_notes
from .pieces import PRIVATE_ONLY, draw, primary_button, table
from .state import ChosenTable, Mode, forget_data, may_explore, mode_of, report_of, uploads_may_be_explored
from .style import CHOSEN_NOW, IN_VIEW, SMALL_PRINT, result_key
from .waiting import POLL_SECONDS, in_line, progress, show_problem

__all__ = [
    "CHOSEN_NOW",
    "IN_VIEW",
    "NARROWEST",
    "POLL_SECONDS",
    "PRIVATE_ONLY",
    "SMALL_PRINT",
    "ChosenTable",
    "Mode",
    "cells",
    "complain",
    "draw",
    "escape",
    "fields",
    "forget_data",
    "forget_notes",
    "in_label",
    "in_line",
    "leads",
    "links",
    "may_explore",
    "mode_of",
    "option_label",
    "page_header",
    "pieces",
    "presses",
    "primary_button",
    "progress",
    "report_of",
    "result_key",
    "screen",
    "sentence_of",
    "show_problem",
    "state",
    "style",
    "table",
    "term",
    "uploads_may_be_explored",
    "waiting",
    "whole_number",
]
