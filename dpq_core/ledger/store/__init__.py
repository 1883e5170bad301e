"""Where charges are stored: tables, transactions, and the chain that shows a lost charge."""

from .chain import KEYED, End, beginning, is_linked, is_signed, link_of, signature
from .continuity import Heads, Known, Watch, end_of, ends_of, lost
from .database import Found, location_of, make_private, open_database, read, write
from .keys import check_of, has_key, hold_to_key, is_own_key
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
    "check_of",
    "comparisons",
    "end_of",
    "ends_of",
    "files",
    "has_key",
    "hold_to_key",
    "is_linked",
    "is_own_key",
    "is_signed",
    "link_of",
    "location_of",
    "lost",
    "make_private",
    "open_database",
    "read",
    "releases",
    "remembered",
    "signature",
    "versions",
    "write",
]
