"""Opening and Reading: how a file is laid out, and how cells are written, as a person says it.

    read_column("pay.csv", "salary", reading=Reading(decimal=",", zero=("-",), missing_codes=(-99, 9_999_999)))

The cells decide a setting that is left out (notation.py). A setting holds for every cell.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from ..arrays import Floats
from ..errors import ParameterError, check_flags, each_of
from ..values import by_100, times_100

Kind = Literal["number", "money", "percent", "date", "duration"]

CURRENCIES: Final = {"€": "€|EUR", "$": r"(?:US)?\$|USD", "£": "£|GBP", "¥": "¥|JPY", "CHF": "CHF"}
"""And how each is written, as a pattern."""
UNITS: Final = (*CURRENCIES, "%")
"""In which amounts and shares may be written."""
_UNIT = f"(?:{'|'.join(CURRENCIES.values())})"
DASH: Final = rf"(?i)^(?:{_UNIT} ?)?(--?)(?: ?{_UNIT})?$"
"""A dash in place of a number, as accounting writes it: "-", "$ -", "- €"."""
CHOICES: Final = {
    "decimal": (".", ","), "dates": ("day first", "month first"), "durations": ("h:mm", "m:ss"), "unit": UNITS,
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Say how the cells of one column are written; the cells decide a setting that is left out.

    decimal        "." or ",": the decimal mark; the other one separates thousands
    dates          "day first" or "month first", for dates such as 01/02/2024
    durations      "h:mm" or "m:ss", for durations such as 3:45
    missing        texts that mean a missing value, besides blank cells and the usual ones (numbers.py lists them)
    zero           texts that mean zero, such as a dash in accounting
    missing_codes  numbers, or dates as texts, that mean a missing value: -99, 9999999, "9999-12-31"; "none" where all
                   values count for which a file has labels
    percent        True: numbers without a sign are shares of one, so that 0.12 is 12 %; False: 12 % is read as 0.12
    unit           the currency, or "%", of all numbers that are written without one

    Texts are compared without regard to case and outer blanks. Raises ParameterError.
    """

    decimal: str = ""
    dates: str = ""
    durations: str = ""
    missing: tuple[str, ...] = ()
    zero: tuple[str, ...] = ()
    missing_codes: tuple[float | str, ...] = ()
    percent: bool | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in ("", *choices):
                raise ParameterError(name, f"must be one of {', '.join(map(repr, choices))}, or left out.")
        for name in ("missing", "zero"):
            given = getattr(self, name)
            listed = list(each_of(given, name, "must be a list of texts."))
            if not all(isinstance(text, str) for text in listed):
                raise ParameterError(name, "must be a list of texts.")
            object.__setattr__(self, name, tuple(re.sub(DASH, r"\1", text.strip()).lower() for text in listed))
        codes = each_of(self.missing_codes, "missing_codes", _CODES)
        object.__setattr__(self, "missing_codes", tuple(map(_checked_code, codes)))
        if set(self.missing) & set(self.zero):
            raise ParameterError("zero", "must not be a text that means a missing value as well.")
        if self.percent not in (None, True, False):
            raise ParameterError("percent", "must be True, False or None.")

    def meaning(self, kind: Kind, unit: str) -> tuple[Kind, str]:
        """Return kind and unit of values that are written as this kind and unit."""
        if kind == "number" and self.unit:
            kind, unit = ("percent", "%") if self.unit == "%" else ("money", self.unit)
        if self.percent is True and kind == "number":
            return "percent", "%"
        if self.percent is False and kind == "percent":
            return "number", ""
        return kind, unit

    def values(self, numbers: Floats, kind: Kind) -> Floats:
        """Return the values of numbers as they are written, which are of this kind: codes for missing are NaN.

        Raises ParameterError for codes of another kind.
        """
        if self.missing_codes:
            codes = np.array([_as_number(code, kind) for code in self.missing_codes if code != NO_CODE])
            numbers = np.where(np.isin(numbers, codes), np.nan, numbers)
        if self.percent is True and kind == "number":
            return times_100(numbers)
        return by_100(numbers) if self.percent is False and kind == "percent" else numbers


@dataclass(frozen=True, kw_only=True)
class Opening:
    """Say how a file is opened, as `files.find_layout` explains; what is left out the file decides.

    Raises ParameterError.
    """

    header: bool | None = None
    sheet: str = ""
    separator: str = ""
    quoting: bool | None = None
    fill_down: bool | None = None
    totals: bool | None = None
    encoding: str = ""

    def __post_init__(self) -> None:
        check_flags(self, "header", "quoting", "fill_down", "totals")

    def as_dict(self) -> dict[str, Any]:
        """Return what was said."""
        return {name: value for name, value in vars(self).items() if value not in {None, ""}}


NO_CODE: Final = "none"
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_CODES = 'must be a list of numbers, or of dates such as "9999-12-31".'


def _checked_code(code: object) -> float | str:
    """Return a code as a number, or as the text of a date. Raises ParameterError."""
    try:
        if code == NO_CODE:
            return NO_CODE
        if isinstance(code, str) and _DATE.fullmatch(code.strip()):
            return str(np.datetime64(code.strip(), "D"))
        number = float(code)  # type: ignore[arg-type]  # or raises
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("missing_codes", _CODES) from None
    if math.isnan(number) or isinstance(code, bool):
        raise ParameterError("missing_codes", _CODES)
    return number


def _as_number(code: float | str, kind: Kind) -> float:
    """Return a code as values of this kind are stored. Raises ParameterError."""
    if isinstance(code, str) is not (kind == "date"):
        held = "dates" if kind == "date" else "numbers"
        raise ParameterError("missing_codes", f"must be {held}, as the values of this column are.")
    return float(np.datetime64(code, "D").astype(np.int64)) if isinstance(code, str) else code


AS_WRITTEN: Final = Reading()
"""No setting: the cells decide, and a column that they leave open is refused."""
