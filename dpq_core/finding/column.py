"""RawSample: a column that is kept as it is until its bounds are found."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from ..arrays import ColumnLike
from ..domain import Domain, FindBounds, Number
from ..errors import ParameterError
from ..people import People, Take
from ..sample import Sample


@dataclass(frozen=True, eq=False, repr=False)
class RawSample:
    """A column of numbers with the way to find its bounds; `dpq_core.release` and `simulate` take it for a Sample.

    The values stay as they are, because the grid they are put on is found only then: record by record, from each one
    alone. So neighbouring columns are neighbouring Samples on every grid.
    """

    values: ColumnLike
    find_bounds: FindBounds
    seed: int | None
    missing: Number | None
    people: People | None = field(default=None)
    take: Take | None = None
    most_rows: int | None = None

    @classmethod
    def from_values(
        cls,
        values: ColumnLike,
        find_bounds: FindBounds,
        *,
        seed: int | None = None,
        missing: Number | None = None,
        people: People | None = None,
        take: Take | None = None,
        most_rows: int | None = None,
    ) -> RawSample:
        """Return a RawSample; the arguments are those of `Sample.from_values`, and so are the errors.

        But for take="share": walks count whole records.
        """
        if not isinstance(find_bounds, FindBounds):
            raise ParameterError("find_bounds", f"must be a FindBounds, got {type(find_bounds).__name__}.")
        if isinstance(take, str) and take == "share":
            raise ParameterError("take", "must make one record of each person, such as random, where bounds are found.")
        raw = cls(values, find_bounds, seed, missing, people, take, most_rows)
        assert raw.coarse.domain == find_bounds.grid, "the column was read once, so that its errors come now"
        return raw

    def __repr__(self) -> str:
        return f"RawSample({self.find_bounds!r}, seed={self.seed}, protects={self.coarse.protects!r})"  # no counts

    def on(self, domain: Domain, jitter_bits: int | None = None) -> Sample:
        """Return the column on a grid, with fresh tie-breaking bits. Raises as `Sample.from_values`."""
        return Sample.from_values(
            self.values,
            domain,
            seed=self.seed,
            missing=self.missing,
            jitter_bits=jitter_bits,
            people=self.people,
            take=self.take,
            most_rows=self.most_rows,
        )

    @cached_property
    def coarse(self) -> Sample:
        """Return the column on the grid of all bounds that can be found, which is all that finding them reads."""
        return self.on(self.find_bounds.grid, jitter_bits=0)
