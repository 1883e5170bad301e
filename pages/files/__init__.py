"""Files of visitors: uploading, reading, and the questions about them."""

from . import reading, tables
from .key_columns import ask_groups, keep_group, label_of_group
from .layouts import ask_encoding, ask_header, encoding_in_doubt, in_script, said_in_script, said_of_header
from .written import (
    AGAIN,
    LABELS,
    applicable,
    ask_reading,
    label_of_way,
    offer_as_before,
    otherwise_in_words,
    show_written,
)

__all__ = [
    "AGAIN",
    "LABELS",
    "applicable",
    "ask_encoding",
    "ask_groups",
    "ask_header",
    "ask_reading",
    "encoding_in_doubt",
    "in_script",
    "keep_group",
    "label_of_group",
    "label_of_way",
    "offer_as_before",
    "otherwise_in_words",
    "reading",
    "said_in_script",
    "said_of_header",
    "show_written",
    "tables",
]
