"""When two texts are the same name: as people type them, and as files hold them.

An accent may be one character or two, a space may be one that does not break: none of this is seen, so none of it tells
names apart. The name of a number, a truth value or a date of a file is the text that a person would type.

`in_digits` writes numbers as a person does, and `listed` names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from math import isfinite

_MARKS = 0x61C, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), 0x2060, *range(0x2066, 0x206A), 0xFEFF
INVISIBLE = dict.fromkeys(_MARKS)
"""Characters without width and marks of direction, which are no part of a name."""
TYPED = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63", "-")
    | dict.fromkeys("\u2018\u2019\u201b\u02b9\u02bc\u00b4\u2032", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"')
    | {chr(sign + 0xFEE0): chr(sign) for sign in range(0x21, 0x7F)}  # as wide as a Chinese character
    | {"\u00ad": "", "\u3000": " "}
)
"""Signs of print, and those of a keyboard that people type for them; a hyphen that only may break a line is none."""
MISSING = (
    "", "na", "n/a", "n.a.", "#n/a", "#na", "<na>", "nan", "nat", "null", "missing", "?", ".", "..", "k.a.", "k. a.",
    "keine angabe", "(null)", r"\n", "#null!", "#div/0!", "#value!", "#wert!", "#num!", "#zahl!", "#ref!",
    "#bezug!",
)  # fmt: skip
"""Words for a missing value, in small letters; databases write \\N."""
ZERO_OR_MISSING = ("-", "--", "none", "nil")
"""What can mean zero or a missing value: asked where it occurs among numbers; a date or an id is missing."""
ZEROS = "٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀០᠐０"
"""The digit 0 of scripts whose digits are written from the left, each followed by those up to 9."""
IN_ASCII = str.maketrans(
    dict.fromkeys("−–—﹣－", "-") | dict.fromkeys("\u00a0\u2007\u2009\u202f", " ") | dict.fromkeys("’ʼ´`", "'")
    | {chr(ord(zero) + digit): str(digit) for zero in ZEROS for digit in range(10)}
    | dict.fromkeys(map(chr, INVISIBLE), "")
)  # fmt: skip
"""Signs, blanks, apostrophes and digits of numbers, and the ASCII that is meant."""
_WHOLE = re.compile(r"(-?(?:0|[1-9]\d*))\.0+", re.ASCII)
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:(\.\d*?)0*)?)?", re.ASCII)


def plain_text(text: str) -> str | None:
    """Return a text in composed characters (NFC), with single spaces within and none around; None where none is left.

    It is idempotent, and a text of ASCII without blanks is returned as it is.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.translate(INVISIBLE))
    return " ".join(text.split()) or None


def name_in_file(text: str) -> str | None:
    """Return the name of a file's cell, for any format of the file: `plain_text`, in the shortest form of its kind.

    1.0 is "1", TRUE is "true", a moment without seconds has none, and midnight is its day.
    """
    plain = plain_text(text)
    if plain is None:
        return None
    if whole := _WHOLE.fullmatch(plain):
        return "0" if whole[1] == "-0" else whole[1]
    if plain.lower() in ("true", "false"):
        return plain.lower()
    if moment := _MOMENT.fullmatch(plain):
        day, minutes, seconds, fraction = moment.groups()
        fraction = "" if fraction in (None, ".") else fraction
        behind = f":{seconds}{fraction}" if seconds and (seconds != "00" or fraction) else ""
        return day if not behind and minutes == "00:00" else f"{day} {minutes}{behind}"
    return plain


def name_as_typed(text: str) -> str | None:
    """Return `name_in_file` with the signs of a keyboard: what a listed name that no cell has exactly is compared by.

    Dashes are hyphens, apostrophes and quotes straight, wide letters narrow. Ids of persons are never compared by it.
    """
    return name_in_file(text.translate(TYPED))


NOTHING = 1e-12
"""Smaller numbers are rounding errors of 0, where `in_digits` writes differences."""
MOST_LISTED = 5
"""The most names that a sentence lists."""
LEAST_EXPONENT, MOST_EXPONENT = -7, 12
"""Powers of ten between which numbers are written in full."""


def listed(names: Sequence[object], most: int = MOST_LISTED) -> str:
    """Return names as people list them: `Oslo, Bergen and Hamar`; of many the first ones and how many more."""
    most = len(names) if len(names) == most + 1 else most  # the last one is as short as "1 more"
    said = [*map(str, names[:most]), *([f"{len(names) - most:,} more"] if len(names) > most else [])]
    return " and ".join(filter(None, [", ".join(said[:-1]), *said[-1:]]))


def in_digits(number: float, digits: int = 3, *, nothing: float = NOTHING) -> str:
    """Return a number with `digits` significant digits, as a person writes it: `22,000`, `0.0000125`, `1.2 × 10⁻²⁰`.

    A number smaller than `nothing` counts as a rounding error of 0. The text is a dash where the number is not finite.
    """
    if not isfinite(number):
        return "–"
    if abs(number) <= nothing:
        return "0"
    mantissa, exponent = f"{number:.{digits - 1}e}".split("e")
    if not LEAST_EXPONENT <= int(exponent) < MOST_EXPONENT:
        return f"{mantissa.rstrip('0').rstrip('.')} × 10{exponent_of(int(exponent))}"
    decimals = max(digits - 1 - int(exponent), 0)
    shown = f"{float(f'{mantissa}e{exponent}'):,.{decimals}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def exponent_of(power: int) -> str:
    """Return a power in superscript: `⁻²⁰`."""
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
