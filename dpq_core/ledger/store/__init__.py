"""Where charges are stored: tables, transactions, and the chain that shows a lost or changed entry."""

from .chain import CHARGED, CLOSED, ENDED, KEYED, OPENED, End, Kind, digest_of, is_linked, link_of, signature
from .continuity import OLDER, Heads, Known, Watch, end_of, ends_of, lost, missing
from .database import Found, location_of, make_private, open_database, read, write
from .keys import NO_KEY, OTHER_KEY, check_of, has_key, hold_to_key, is_own_key
from .schema import TABLES, accounts, comparisons, files, releases, remembered, versions
from .signing import is_signed_release, sign_anew

__all__ = [
    "CHARGED",
    "CLOSED",
    "ENDED",
    "KEYED",
    "NO_KEY",
    "OLDER",
    "OPENED",
    "OTHER_KEY",
    "TABLES",
    "End",
    "Found",
    "Heads",
    "Kind",
    "Known",
    "Watch",
    "accounts",
    "check_of",
    "comparisons",
    "digest_of",
    "end_of",
    "ends_of",
    "files",
    "has_key",
    "hold_to_key",
    "is_linked",
    "is_own_key",
    "is_signed_release",
    "link_of",
    "location_of",
    "lost",
    "make_private",
    "missing",
    "open_database",
    "read",
    "releases",
    "remembered",
    "sign_anew",
    "signature",
    "versions",
    "write",
]
