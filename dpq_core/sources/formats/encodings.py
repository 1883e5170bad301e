"""Names of encodings of text: how Python and people call them."""

from __future__ import annotations

import codecs

from ...errors import ParameterError

UTF_8, GUESSED = "utf-8", "cp1252"
"""Of files of which nobody said it: GUESSED where the bytes are not UTF-8."""
USUAL = {
    "UTF-8": "utf-8", "UTF-16": "utf-16", "Windows-1252, Western Europe": "cp1252",
    "Windows-1250, Central Europe": "cp1250", "Windows-1251, Cyrillic": "cp1251", "Windows-1253, Greek": "cp1253",
    "Windows-1254, Turkish": "cp1254", "Windows-1255, Hebrew": "cp1255", "Windows-1256, Arabic": "cp1256",
    "Windows-1257, Baltic": "cp1257", "Windows-1258, Vietnamese": "cp1258", "Windows-874, Thai": "cp874",
    "Shift-JIS, Japanese": "cp932", "EUC-JP, Japanese": "euc_jp", "GB18030, Chinese": "gb18030",
    "Big5, Chinese": "big5hkscs", "EUC-KR, Korean": "cp949", "ISO 8859-2, Central Europe": "iso8859-2",
    "ISO 8859-15, Western Europe": "iso8859-15", "KOI8-R, Cyrillic": "koi8-r", "KOI8-U, Cyrillic": "koi8-u",
    "CP850, DOS": "cp850", "CP852, DOS": "cp852", "CP866, DOS": "cp866", "Mac Roman": "mac-roman",
}  # fmt: skip
"""Encodings that a page offers."""
NO_FILES = frozenset(["idna", "mbcs", "oem", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"])
"""Codecs of Python for texts that are no encodings of files."""


def checked_encoding(name: str) -> str:
    """Return how Python calls an encoding, "" for "". Raises ParameterError."""
    try:
        found = codecs.lookup(name) if name else None
        usable = found is None or codecs.getincrementaldecoder(name)().decode(b"") == ""
        usable &= found is None or found.name.replace("-", "_") not in NO_FILES
    except (LookupError, TypeError, ValueError):
        usable = False
    if not usable:
        raise ParameterError("encoding", "must be the name of an encoding, such as utf-8, windows-1252 or shift-jis.")
    return {"utf-8-sig": UTF_8}.get(found.name, found.name) if found else ""


def named(encoding: str) -> str:
    """Return how people call an encoding: `Windows-1252`, `UTF-8`, `shift_jis`."""
    if encoding.startswith("cp125"):
        return encoding.replace("cp", "Windows-")
    return encoding[:6].rstrip("-").upper() if encoding.startswith("utf-") else encoding
