"""The report: one sheet about one answer for decision makers, as HTML and as a picture."""

from . import charts, html, several
from .answers import of_simulation, of_stored, wording_of_stored
from .facts import ReportFacts
from .stored import (
    MOST_GROUPS,
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
from .style import STYLE
from .tables import TableFacts

__all__ = [
    "MOST_GROUPS",
    "STYLE",
    "ReportFacts",
    "TableFacts",
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
    "table_facts",
    "too_many_groups",
    "usual_words",
    "wording_of_stored",
]
