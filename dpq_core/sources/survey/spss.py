"""SPSS files (.sav, .zsav): numbers with a format such as DATE11, DOLLAR8.2 or F8.2."""

from __future__ import annotations

import re
from functools import partial

from .variables import Meaning, SurveyTable, as_days

DATES = frozenset(["DATE", "ADATE", "EDATE", "SDATE", "JDATE", "QYR", "MOYR", "WKYR", "DATETIME", "YMDHMS"])
TIMES = frozenset(["TIME", "DTIME", "MTIME"])
DAYS_BEFORE = 141_428
"""From 1582-10-14, where its seconds begin, to 1970-01-01."""


def meaning_of(shown: str) -> Meaning:
    """Return what numbers are that are shown in a format."""
    name = re.match("[A-Z]*", shown.upper())
    match name[0] if name else "":
        case found if found in DATES:
            return Meaning("date", "date", partial(as_days, per_day=86_400, before=DAYS_BEFORE))
        case found if found in TIMES:
            return Meaning("duration", "seconds")
        case "DOLLAR":
            return Meaning("money", "$")
        case "PCT":
            return Meaning("percent", "%")
    return Meaning()


class SpssTable(SurveyTable):
    """The variables of a file."""

    function, module, meaning_of = "read_sav", "survey.spss", meaning_of


TABLE = SpssTable
