"""What is taken of each person's rows, in words, and what follows from it: public facts alone."""

from __future__ import annotations

from dataclasses import dataclass

from ..calibrations import refuse_shares
from ..domain.domain import Domain
from ..errors import ParameterError
from ..people.ids import People
from ..plan import Plan
from ..privacy.composition import RECORD, PrivacyUnit
from ..question import Persons
from ..sample import Sample
from ..studies.takes import SOME_ROWS

ROWS_OF_ONE = "`60 30 80 10 20`"
"""The rows of a made-up person, from which the examples below take."""


@dataclass(frozen=True)
class TakeWords:
    """What is taken of a person's rows, in words."""

    label: str
    estimates: str
    example: str
    """What is left of ROWS_OF_ONE."""


WORDS: dict[str, TakeWords] = {
    "random": TakeWords("One row at random", "a random row of each {one}", "`80`"),
    "weight": TakeWords(
        "All rows, weighing as much as one", "a random row of each {one}", "`60 30 80 10 20`, each a fifth"
    ),
    "mean": TakeWords("Their mean", "the mean of each {one}", "`40`"),
    "median": TakeWords("Their median", "the median of each {one}", "`30`"),
    "min": TakeWords("The smallest", "the smallest row of each {one}", "`10`"),
    "max": TakeWords("The largest", "the largest row of each {one}", "`80`"),
    "first": TakeWords("The first", "the first row of each {one}", "`60`"),
    "last": TakeWords("The last", "the last row of each {one}", "`20`"),
    SOME_ROWS: TakeWords(
        "Several rows, at most …", "rows; a person with many counts up to {most:,} times", "`80 20` if at most 2"
    ),
}
"""By take, in the order in which they are offered."""


def words_of(persons: Persons) -> TakeWords:
    """Return the words for what is taken."""
    return WORDS[persons.per_person or SOME_ROWS]


def estimates(persons: Persons, one: str) -> str:
    """Return of what the quantiles are: `the mean of each patient`; `one`: what one person is called."""
    return words_of(persons).estimates.format(one=one, most=persons.max_rows)


def unit_for(persons: Persons | None, plan: Plan) -> PrivacyUnit:
    """Return what a neighbouring sample differs by, as a release of any such sample finds it."""
    return RECORD if persons is None else _stand_in(persons).unit_between(plan.adjacency)


def refusal_for(persons: Persons | None, plan: Plan) -> ParameterError | None:
    """Return why the plan's mechanism cannot read what is taken of each person; None where it can."""
    try:
        if persons is not None:
            refuse_shares(_stand_in(persons), plan)
    except ParameterError as error:
        return error.with_traceback(None)
    return None


def _stand_in(persons: Persons) -> Sample:
    """Return a public sample of one person, of whom the same is taken."""
    return Sample.from_values([0], Domain(0, 1, 1), people=People.of([0]), **persons.settings)
