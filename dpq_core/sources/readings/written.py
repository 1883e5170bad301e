"""A `Reading` as JSON holds it, and as a line of Python: what was said, and nothing that was not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...errors import ParameterError
from ..reading import AS_WRITTEN, Reading


def as_dict(reading: Reading) -> dict[str, Any]:
    """Return the settings that were said, as JSON holds them; empty where none was."""
    said = {name: value for name, value in vars(reading).items() if value != getattr(AS_WRITTEN, name)}
    return {name: list(map(_plain, value)) if isinstance(value, tuple) else value for name, value in said.items()}


def from_dict(settings: Mapping[str, Any]) -> Reading:
    """Return the reading of `as_dict`. Raises ParameterError for a setting that there is none of, or its value."""
    if not isinstance(settings, Mapping) or set(settings) - set(vars(AS_WRITTEN)):
        raise ParameterError("reading", f"must be settings, out of {', '.join(vars(AS_WRITTEN))}.")
    return Reading(**settings)


def in_python(reading: Reading) -> str:
    """Return the call that makes the reading, with the settings that were said."""
    said = {name: tuple(value) if isinstance(value, list) else value for name, value in as_dict(reading).items()}
    return f"Reading({', '.join(f'{name}={value!r}' for name, value in said.items())})"


def _plain(value: float | str) -> float | str:
    """Return a value as JSON and Python can write it: "inf" as the text that `Reading` takes for it."""
    return str(value) if isinstance(value, float) and math.isinf(value) else value
