"""The report: one sheet about one answer for decision makers, as HTML, as slides and as a picture."""

from . import charts, html, several, slides
from .answers import of_simulation, of_stored, wording_of_stored
from .facts import ReportFacts
from .stored import (
    MOST_GROUPS,
    alike,
    in_groups,
    is_single,
    is_table,
    lacks_sizes,
    left_in_words,
    public_records,
    table_facts,
    too_many_groups,
    usual_words,
)
from .style import ALONE, SLIDE, STYLE
from .tables import TableFacts

__all__ = [
    "ALONE",
    "MOST_GROUPS",
    "SLIDE",
    "STYLE",
    "ReportFacts",
    "TableFacts",
    "alike",
    "charts",
    "html",
    "in_groups",
    "is_single",
    "is_table",
    "lacks_sizes",
    "left_in_words",
    "of_simulation",
    "of_stored",
    "public_records",
    "several",
    "slides",
    "table_facts",
    "too_many_groups",
    "usual_words",
    "wording_of_stored",
]
