"""How the columns of a data set are read: the settings of a release are remembered for the next file.

Only what was said, which are public facts about notation, by the names of the columns; never what the cells suggested.
It is offered for the next file and not taken by itself: that file may be written otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import ParameterError
from ..sources.reading import Reading
from ..sources.readings import as_dict, from_dict
from .accounts import Account
from .remembering import remember_each, remembered

FACT = "reading"


def remember_readings(account: Account, said: Mapping[str, Reading]) -> None:
    """Remember how columns are read, in place of earlier settings; without new settings, keep the earlier ones.

    Raises LedgerError.
    """
    settings = {name: as_dict(reading) for name, reading in said.items()}
    entries = {name: each for name, each in settings.items() if each}
    if entries:
        remember_each(account, FACT, entries)


def remembered_readings(account: Account) -> dict[str, Reading]:
    """Return how columns are read, by name; skip what another version wrote and this one cannot read.

    Raises LedgerError.
    """
    found: dict[str, Reading] = {}
    for name, settings in remembered(account).get(FACT, {}).items():
        try:
            found[name] = from_dict(settings)
        except ParameterError:
            continue
    return found
