"""Make a `Reading` of what a person types, on a page or in a shell: lists are texts separated by commas."""

from __future__ import annotations

from ..reading import Reading


def from_typed(
    *,
    decimal: str = "",
    dates: str = "",
    durations: str = "",
    missing: str = "",
    zero: str = "",
    missing_codes: str = "",
    percent: bool | None = None,
    unit: str = "",
) -> Reading:
    """Return the reading; what is left empty the cells decide. Raises ParameterError (the name of a setting)."""
    return Reading(
        decimal=decimal,
        dates=dates,
        durations=durations,
        missing=split(missing),
        zero=split(zero),
        missing_codes=split(missing_codes),
        percent=percent,
        unit=unit,
    )


def split(typed: str) -> tuple[str, ...]:
    """Return the parts of a typed list, without blanks around them and without empty ones."""
    return tuple(part.strip() for part in typed.split(",") if part.strip())
