"""What a column of a table is: of all records or in groups, with bounds that are known or to be found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from ..finding import RawGroups, RawSample
from ..groups import Groups
from ..sample import Sample
from ..sketches import Data

Source: TypeAlias = Data | RawSample | Groups | RawGroups
"""A column of a table: of all records or in groups, with bounds that are known or to be found."""
Columns: TypeAlias = Mapping[str, Source]
"""Columns of one table by their names."""


def whole_of(sample: Source) -> Data | Groups:
    """Return the records of a column; on the grid of all bounds that may be found, where they are to be found."""
    return sample.coarse if isinstance(sample, RawSample | RawGroups) else sample


def weighs_shares(sample: Source) -> bool:
    """Return whether the rows of each person weigh 1 together, so that persons are counted."""
    whole = whole_of(sample)
    return isinstance(whole, Sample) and whole.unit > 1
