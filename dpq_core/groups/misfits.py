"""Listed names that no cell of a column can hold, given the type of its cells, which is public."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from ..texts import name_in_file

Holds: TypeAlias = Literal["", "truth values", "whole numbers", "numbers", "dates", "dates and times"]
"""The type of all cells of a column of groups; empty for texts, which may hold any name."""

_FORMS: dict[Holds, str] = {
    "truth values": "true|false",
    "whole numbers": r"-?\d+",
    "numbers": r"-?\d+(\.\d+)?(e[+-]?\d+)?|-?inf",
    "dates": r"\d{4}-\d\d-\d\d",
    "dates and times": r"\d{4}-\d\d-\d\d( .*)?",
}
"""What cells of each type are called."""


class MisfitWarning(UserWarning):
    """A listed group cannot have any rows, but it is answered and costs as much budget as the others."""


def misfits(names: Sequence[str | int], holds: Holds) -> str:
    """Return the sentence on the listed names that no cell of a column can have, "" where there is none."""
    form = _FORMS.get(holds, "")
    odd = [str(name) for name in names if form and not re.fullmatch(form, name_in_file(str(name)) or "")]
    return f"The column of groups holds {holds}, so no row can be in {', '.join(odd)}." if odd else ""
