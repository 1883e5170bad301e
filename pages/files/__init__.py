"""Files of visitors: uploading, reading, and the questions about them."""

from . import reading, tables
from .key_columns import choose_columns_of_groups, keep_group, label_of_group, say_left_out, show_left_out
from .layouts import ask_encoding, ask_header, encoding_in_doubt, in_script, said_in_script, said_of_header
from .written import (
    LABELS,
    applicable,
    ask_reading,
    label_of_way,
    show_written,
)

__all__ = [
    "LABELS",
    "applicable",
    "ask_encoding",
    "ask_header",
    "ask_reading",
    "choose_columns_of_groups",
    "encoding_in_doubt",
    "in_script",
    "keep_group",
    "label_of_group",
    "label_of_way",
    "reading",
    "said_in_script",
    "said_of_header",
    "say_left_out",
    "show_left_out",
    "show_written",
    "tables",
]
