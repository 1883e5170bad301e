"""Where charges are stored: tables, transactions, and the chain that shows a lost charge."""

from .chain import KEYED, End, beginning, is_linked, link_of
from .continuity import Known, Watch, end_of, ends_of, lost
from .database import Found, location_of, open_database, read, write
from .heads import Heads
from .schema import TABLES, accounts, comparisons, files, releases, remembered, versions

__all__ = [
    "KEYED",
    "TABLES",
    "End",
    "Found",
    "Heads",
    "Known",
    "Watch",
    "accounts",
    "beginning",
    "comparisons",
    "end_of",
    "ends_of",
    "files",
    "is_linked",
    "link_of",
    "location_of",
    "lost",
    "open_database",
    "read",
    "releases",
    "remembered",
    "versions",
    "write",
]
