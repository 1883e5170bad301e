"""The formats of files, a line for each: pages, the shell, documents and refusals name formats from this list.

The content of a file decides which format it is. The module of a format is loaded when a file of it is opened.
The encodings of text are listed here, too, as Python and as people call them.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ...errors import DataError, Disclosure, ParameterError

if TYPE_CHECKING:  # it needs Arrow
    from .reader import FileTable, Layout

SOURCES = __name__.rpartition(".formats")[0]
BYTES_OF_START = 24
"""The number of bytes that identify a format."""
NOT_INSTALLED = "{name} files are read by an extra that is not installed: pip install 'dpq-core[{extra}]'."


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format."""

    names: tuple[str, ...]
    """As a sentence lists them."""
    suffixes: tuple[str, ...]
    """Of the names of its files, in small letters."""
    begins: bytes = b""
    """A pattern of the first bytes; empty for the format of all files that begin in no known way."""
    module: str
    """As layouts name the format."""
    reader_in: str
    """The module of `sources` whose TABLE reads it."""
    settings: tuple[str, ...] = ()
    """The settings of `Opening` that apply to its files."""
    library: str = ""
    """What its reader imports, beside what the package always needs."""
    extra: str = ""
    """Which brings this library."""

    def table(self) -> type[FileTable]:
        """Return what reads its files. Raises DataError where its extra is not installed."""
        if self.library and find_spec(self.library) is None:
            name = self.names[0].partition(" (")[0]
            raise DataError(NOT_INSTALLED.format(name=name, extra=self.extra), discloses=Disclosure.FORMAT)
        found: type[FileTable] = import_module(f"{SOURCES}.{self.reader_in}").TABLE
        return found


# fmt: off
FORMATS = (
    Format(names=("CSV", "TSV"), suffixes=(".csv", ".tsv", ".txt"), module="text", reader_in="text.delimited", settings=("header", "quoting", "encoding", "separator", "fill_down", "totals")),  # noqa: E501
    Format(names=("Parquet",), suffixes=(".parquet", ".pq"), begins=b"PAR1", module="parquet", reader_in="parquet"),
    Format(names=("Excel (.xlsx)", "OpenDocument (.ods)"), suffixes=(".xlsx", ".ods"), begins=rb"PK\x03\x04", module="excel", reader_in="excel.column", settings=("header", "sheet", "fill_down", "totals")),  # noqa: E501
    Format(names=("SPSS (.sav, .zsav)",), suffixes=(".sav", ".zsav"), begins=rb"\$FL[23]", module="survey.spss", reader_in="survey.spss", settings=("encoding",), library="pyreadstat", extra="survey"),  # noqa: E501
    Format(names=("Stata (.dta)",), suffixes=(".dta",), begins=rb"<stata_dta>|[\x68-\x73][\x01\x02]\x01\x00", module="survey.stata", reader_in="survey.stata", settings=("encoding",), library="pyreadstat", extra="survey"),  # noqa: E501
)
# fmt: on

NO_TABLE = "Files of Arrow, ORC, Avro, HDF5, pickle, SAS and R cannot be read; save it as Parquet or CSV."
REFUSED = {
    rb"PARE": "The Parquet file is encrypted; save it without encryption.",
    rb"\xd0\xcf\x11\xe0": "The workbook is protected by a password or in the old .xls format; save it as plain .xlsx.",
    rb"SQLite format 3": "The file is an SQLite database; read it as one, with its table, or save the table as CSV.",
    rb".{8}DUCK": "The file is a duckdb database; save the table as Parquet: COPY visits TO 'visits.parquet'.",
    rb"ARROW1|FEA1|ORC|Obj\x01|\x89HDF|\x80[\x02-\x05]|HEADER RECORD|\x00{12}\xc2\xea\x81\x60|RD[AX][23]": NO_TABLE,
    rb"\x1c\x00{7}ENCRYPTED": "The SPSS file is protected by a password; save it without one.",
}
"""What cannot be read, by how it begins."""
REFUSED_SUFFIXES = (".xls",)
"""Of files that may be offered, since their refusal says what to do."""
SUFFIXES = tuple(suffix for each in FORMATS for suffix in each.suffixes)
UPLOADS = [suffix.removeprefix(".") for suffix in (*SUFFIXES, *REFUSED_SUFFIXES)]
"""The endings that a page lets people choose."""


def listed(last: str = "or") -> str:
    """Return the names of all formats in a sentence: "CSV, TSV, Parquet or Excel (.xlsx)"."""
    *names, end = [name for each in FORMATS for name in each.names]
    return f"{', '.join(names)} {last} {end}"


def format_of(start: bytes) -> Format:
    """Return the format of a file that begins so. Raises DataError for one that cannot be read."""
    for begins, sentence in REFUSED.items():
        if re.match(begins, start, re.DOTALL):
            raise DataError(sentence, discloses=Disclosure.FORMAT)
    told = (each for each in FORMATS if each.begins and re.match(each.begins, start, re.DOTALL))
    return next(told, next(each for each in FORMATS if not each.begins))


def format_of_layout(layout: Layout) -> Format:
    """Return the format of the file that has this layout."""
    return next(each for each in FORMATS if each.module == layout.module)


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
