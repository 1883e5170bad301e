"""Who is one person in a table, and what is taken of each one's rows: the choice, and its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..calibrations import refuse_shares, unit_of
from ..domain.domain import Domain
from ..errors import ParameterError
from ..people.ids import People
from ..people.takes import TAKES, Take
from ..plan import Plan
from ..privacy.composition import RECORD, Unit
from ..sample import Sample
from ..studies.takes import SOME_ROWS

ROWS_OF_ONE = "`60 30 80 10 20`"
"""The rows of a made-up person, from which the examples below take."""


@dataclass(frozen=True)
class TakeWords:
    """What is taken of a person's rows, in words; `of` ends a sentence such as "each patient counts once, by"."""

    label: str
    of: str
    estimates: str
    example: str
    """What is left of ROWS_OF_ONE."""


WORDS: dict[str, TakeWords] = {
    "random": TakeWords("One row at random", "one of their rows at random", "a random row of each {one}", "`80`"),
    "share": TakeWords(
        "All rows, weighing as much as one", "all of their rows, which together weigh as much as one",
        "a random row of each {one}", "`60 30 80 10 20`, each a fifth",
    ),
    "mean": TakeWords("Their mean", "the mean of their rows", "the mean of each {one}", "`40`"),
    "median": TakeWords("Their median", "the (lower) median of their rows", "the median of each {one}", "`30`"),
    "min": TakeWords("The smallest", "the smallest of their rows", "the smallest row of each {one}", "`10`"),
    "max": TakeWords("The largest", "the largest of their rows", "the largest row of each {one}", "`80`"),
    "first": TakeWords("The first", "the first of their rows", "the first row of each {one}", "`60`"),
    "last": TakeWords("The last", "the last of their rows", "the last row of each {one}", "`20`"),
    SOME_ROWS: TakeWords(
        "Several rows, at most …", "some of their rows at random",
        "rows; a person with many counts up to {most:,} times", "`80 20` if at most 2",
    ),
}  # fmt: skip
"""By take, in the order in which they are offered."""


def offered_takes() -> tuple[str, ...]:
    """Return what can be taken of a person's rows, as far as the core knows it, and SOME_ROWS."""
    return tuple(take for take in WORDS if take in TAKES or take == SOME_ROWS)


@dataclass(frozen=True)
class PersonChoice:
    """All rows with the same id are one person's, and one of two is taken of them. Public facts only: never an id."""

    column: str
    """The name of the column of ids, as it may be shown."""
    one: str
    """What one person is called."""
    take: Take | None = None
    most_rows: int | None = None

    @property
    def shares(self) -> bool:
        """Return whether all rows of a person count, with a weight of 1 together."""
        return self.take == "share"

    @property
    def settings(self) -> dict[str, Any]:
        """Return the argument of `Sample.from_values` beside the people: the one of the two that is chosen."""
        return {"take": self.take} if self.most_rows is None else {"most_rows": self.most_rows}

    def named(self, people: People | None) -> People | None:
        """Return the persons behind rows with the name of the column of their ids, which belongs to a request."""
        return people and people.of_column(self.column)

    @property
    def words(self) -> TakeWords:
        """Return the words for what is taken."""
        return WORDS[self.take or SOME_ROWS]

    @property
    def estimates(self) -> str:
        """Return of what the quantiles are: `the mean of each patient`."""
        return self.words.estimates.format(one=self.one, most=self.most_rows)

    @property
    def rule(self) -> str:
        """Return what counts as a sentence: `each patient counts once, by the mean of their rows`."""
        if self.most_rows is not None:
            rows = "1 row" if self.most_rows == 1 else f"{self.most_rows:,} rows"
            return f"at most {rows} of each {self.one} count{'s' * (self.most_rows == 1)}"
        return f"each {self.one} counts once, by {self.words.of}"

    def as_dict(self) -> dict[str, Any]:
        """Return the choice as plain values for files."""
        return {"column": self.column, "one": self.one, **self.settings}


def unit_for(person: PersonChoice | None, plan: Plan) -> Unit:
    """Return what a neighbouring sample differs by under such a choice, as a release of any such sample finds it."""
    return RECORD if person is None else unit_of(_stand_in(person), plan)


def weighs_shares(person: PersonChoice | None) -> bool:
    """Return whether all rows of a person count, weighing one record together."""
    return person is not None and person.shares


def refusal_for(person: PersonChoice | None, plan: Plan) -> ParameterError | None:
    """Return why the plan's mechanism cannot read what is taken of each person; None where it can."""
    try:
        if person is not None:
            refuse_shares(_stand_in(person), plan)
    except ParameterError as error:
        return error.with_traceback(None)
    return None


def _stand_in(person: PersonChoice) -> Sample:
    """Return a public sample of one person, of whom the same is taken."""
    return Sample.from_values([0], Domain(0, 1, 1), people=People.of([0]), **person.settings)
