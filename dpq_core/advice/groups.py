"""What answers to expect of the groups of a table, before anything is spent: which are too small, and what would help.

From public facts alone: the plan, the domain, the listed names, how many groups a person may be in, and a guess of each
group's size. The noise of an answer is as many records in a small group as in a large one, so below some size an answer
says little about its group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from math import ceil, inf
from typing import Any

from ..calibrations import calibrate, mechanism_of
from ..domain.domain import Domain
from ..errors import ParameterError
from ..groups.calibration import plan_of_group
from ..groups.names import GroupName, checked_names
from ..plan import Plan
from ..privacy.budgets import UNUSUAL_EPSILON, ZCDP, Adjacency, Privacy
from ..privacy.composition import GroupsPerPerson, Unit, unit_of_groups
from ..texts import in_digits
from ..trials import check_count
from .choice import BEST, choose
from .facts import PublicFacts
from .forecast import SIZES, error_of, first_of, least_budget
from .ranking import LARGE_SHARE

Error = Callable[[Plan, int], float]
"""(plan, size): the mean rank error to expect in a group of this size, in records."""
LARGEST_ERROR = LARGE_SHARE
"""The largest useful error, as a share of a group's records. An error of a tenth takes the median for the 40 % or the
60 % quantile, and a decile for the next one; answers at random are off by a sixth to a third."""
ROUND_BUDGETS = tuple(digits * 10.0**power for power in range(-9, 2) for digits in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8))
MOST_EPSILON, MOST_RHO = UNUSUAL_EPSILON, 1.0
"""A larger budget is not proposed: it protects too little."""
MOST_RECORDS = 2**40
"""No group needs more."""
MOST_NAMED = 5
"""The most groups that a sentence names."""


@dataclass(frozen=True, kw_only=True)
class GroupForecast:
    """Forecast the answers of every listed group, and what would make too small groups useful. Public: it reads no
    data.
    """

    plan: Plan
    """The plan to run; it names its mechanism."""
    names: tuple[GroupName, ...]
    sizes: tuple[int, ...]
    """The guesses, in the order of `names`."""
    errors: tuple[float, ...]
    """The expected mean rank error in each group, in records: the mean over the quantiles."""
    least_size: int
    """The fewest records with which a group is large enough."""
    budget: Privacy | None = None
    """The smallest round budget with which no group is too small; None if none is now, or if no budget is enough."""
    quantiles: tuple[Fraction, ...] = ()
    """The most quantiles with which no group is too small; empty if none is now, or if one quantile is too many."""

    @property
    def fractions(self) -> tuple[float, ...]:
        """Return the expected mean rank error of each group as a fraction of its guessed size."""
        return tuple(error / size for error, size in zip(self.errors, self.sizes, strict=True))

    @property
    def too_small(self) -> tuple[GroupName, ...]:
        """Return the groups that are too small for useful answers, in the order of `names`."""
        return tuple(name for name, size in zip(self.names, self.sizes, strict=True) if size < self.least_size)

    @property
    def pooled_size(self) -> int | None:
        """Return the guessed size of all too small groups in one; None if that is too small, or there is only one."""
        sizes = [size for size in self.sizes if size < self.least_size]
        return sum(sizes) if len(sizes) > 1 and sum(sizes) >= self.least_size else None

    @property
    def pool(self) -> int | None:
        """Return how many too small groups, the smallest first, make one that is not; None if all of them do not."""
        together = accumulate(sorted(size for size in self.sizes if size < self.least_size))
        return next((count for count, size in enumerate(together, start=1) if size >= self.least_size), None)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return remarks to read before anything is spent, in plain sentences."""
        too_small = self.too_small
        if not too_small:
            worst = f"{in_digits(100 * max(self.fractions), 2)} %"
            return (f"By your guess every group is large enough: answers are off by about {worst} of a group at most.",)
        least, much = in_digits(self.least_size, 2), in_digits(100 * LARGEST_ERROR, 2)
        those = f"{len(too_small):,} of {len(self.names):,} groups: {_named(too_small)}"
        return (
            f"With this plan a group of fewer than about {least} records is too small: an answer "
            f"would be off by more than {much} % of them. By your guess that is "
            f"{those if len(too_small) < len(self.names) else 'every group'}.",
            _what_would_do(self),
        )


def forecast_groups(
    plan: Plan,
    domain: Domain,
    names: Iterable[GroupName],
    about: int | Mapping[Any, int],
    *,
    groups_per_person: GroupsPerPerson = 1,
    most_rows: int = 1,
    share: bool = False,
    in_all: int = 0,
) -> GroupForecast:
    """Return a forecast of the answers for every listed group; it reads no data. Repeatable.

    `about`: the approximate number of records of each group, or one guess for all; `share`: whether all rows of a
    person weigh 1 together; `in_all`: how many groups all columns have, where these are not all. The rest as in
    `Groups.from_values`. The mechanism "best" becomes the one that `choose` chooses for a group of middle size.
    Raises ParameterError if the plan is not available, or too slow to simulate.
    """
    listed = checked_names(names, None)
    sizes = sizes_of(about, listed)
    unit = unit_of_plan(plan, groups_per_person, most_rows=most_rows, share=share)
    in_all = max(in_all, len(listed))
    if plan.mechanism == BEST:
        plan = choose(PublicFacts.of(plan, middle_of(sizes), domain, unit, groups=in_all)).plan
    error_of(plan, domain, max(sizes), unit, groups=in_all)  # says why where the plan is not available for any of them
    error = _errors_in(unit, domain, in_all)
    least, smallest = _least_size(plan, error), min(sizes)
    found = GroupForecast(
        plan=plan,
        names=listed,
        sizes=sizes,
        errors=tuple(min(error(plan, size), float(size)) for size in sizes),
        least_size=least,
    )
    if smallest >= least:
        return found
    now, most = (plan.privacy.rho, MOST_RHO) if isinstance(plan.privacy, ZCDP) else (plan.privacy.epsilon, MOST_EPSILON)
    larger = [amount for amount in ROUND_BUDGETS if now < amount <= most]
    return replace(
        found,
        budget=least_budget(plan, domain, smallest, LARGEST_ERROR * smallest, larger, unit, groups=in_all),
        quantiles=_most_quantiles(plan, error, smallest),
    )


def least_group_size(
    plan: Plan,
    domain: Domain,
    *,
    groups_per_person: GroupsPerPerson = 1,
    most_rows: int = 1,
    share: bool = False,
    in_all: int = 1,
) -> int:
    """Return the fewest records with which the answers for a group say something about it; no data is read.

    Smaller groups are too small for the plan. `in_all`: how many groups all columns have. Repeatable. Raises
    ParameterError where the plan is not available, or too slow to simulate.
    """
    unit = unit_of_plan(plan, groups_per_person, most_rows=most_rows, share=share)
    error_of(plan, domain, SIZES[-1], unit, groups=in_all)  # says why where the plan is not available at any size
    return _least_size(plan, _errors_in(unit, domain, in_all))


def least_size_for_all(
    plan: Plan, domain: Domain, *, groups_per_person: GroupsPerPerson = 1, most_rows: int = 1,
    share: bool = False,
) -> int:  # fmt: skip
    """Return about how many records every group needs so that no group is refused; 1 where none ever is.

    Where the sizes are private, a mechanism may find out only after its first draw that a group is too small. Then no
    group is answered, and the whole budget is charged. No data is read. Raises ParameterError where the plan is not
    available.
    """
    if plan.adjacency is not Adjacency.ADD_REMOVE or not mechanism_of(plan).PROFILE.refuses_after_draws:
        return 1
    unit = unit_of_plan(plan, groups_per_person, most_rows=most_rows, share=share)
    each = plan_of_group(plan, unit, calibrate)

    def is_answered(size: int) -> bool:
        return mechanism_of(each).PROFILE.refused_on(each, domain.cells, size) is None

    return first_of(range(1, MOST_RECORDS), is_answered) or MOST_RECORDS


def unit_of_plan(plan: Plan, groups_per_person: GroupsPerPerson, *, most_rows: int, share: bool) -> Unit:
    """Return what a neighbour differs by; for errors it does not matter in how many groups rounding is paid for."""
    draws = max(len(plan.quantiles), 1) if share else 0
    return unit_of_groups(plan.adjacency, groups_per_person, most_rows=most_rows, shared_draws=draws)


def sizes_of(about: int | Mapping[Any, int], names: Iterable[GroupName]) -> tuple[int, ...]:
    """Return the guess for each group, where `about` is one for all or one each. Raises ParameterError."""
    found = [about.get(name) if isinstance(about, Mapping) else about for name in names]
    for size in found:
        if size is None:
            raise ParameterError("about", "must hold a guess for every listed group.")
        check_count("about", size, 1)
    return tuple(int(size) for size in found if size is not None)


def middle_of(sizes: Iterable[int]) -> int:
    """Return the size of the group for which a mechanism of all groups is chosen: the middle one."""
    ordered = sorted(sizes)
    return ordered[len(ordered) // 2]


def _errors_in(unit: Unit, domain: Domain, in_all: int) -> Error:
    """Return `error_of` in one of `in_all` groups; infinite where it refuses."""

    def error(plan: Plan, size: int) -> float:
        try:
            return error_of(plan, domain, size, unit, groups=in_all)
        except ParameterError:
            return inf

    return error


def _least_size(plan: Plan, error: Error) -> int:
    """Return the fewest records with which a group is large enough, by halving the simulated sizes."""

    def is_enough(size: int) -> bool:
        return error(plan, size) <= LARGEST_ERROR * size

    large = first_of(SIZES, is_enough)
    if large is None:  # from the largest of them on the error stays
        return ceil(min(error(plan, SIZES[-1]), float(SIZES[-1])) / LARGEST_ERROR)
    below = large // 2
    if below and error(plan, below) == inf:
        return first_of(range(below + 1, large), is_enough) or large
    return min(large, ceil(error(plan, below) / LARGEST_ERROR)) if below else 1


def _most_quantiles(plan: Plan, error: Error, size: int) -> tuple[Fraction, ...]:
    """Return the most quantiles, evenly from all, with which a group is large enough."""
    levels = sorted(set(plan.quantiles))

    def some(count: int) -> tuple[Fraction, ...]:
        """Return so few levels: those in the middle of as many equal parts of the list."""
        return tuple(levels[(2 * part + 1) * len(levels) // (2 * count)] for part in range(count))

    fewer = [some(count) for count in range(len(levels) - 1, 0, -1)]
    return first_of(fewer, lambda few: error(replace(plan, quantiles=few), size) <= LARGEST_ERROR * size) or ()


def _what_would_do(forecast: GroupForecast) -> str:
    """Return what would help, in a sentence."""
    found = []
    if forecast.budget is not None:
        found.append(f"a budget of {forecast.budget}")
    if forecast.quantiles:
        levels = ", ".join(map(str, forecast.quantiles))
        found.append(f"the quantile{'s' * (len(forecast.quantiles) > 1)} {levels} alone")
    if len(forecast.too_small) < len(forecast.names) and forecast.pooled_size is not None:
        found.append(f"these {len(forecast.too_small)} pooled in one group")
    elif forecast.pool is not None:
        found.append(f"groups of {forecast.pool} pooled")
    if not found:
        return "Neither a larger budget nor fewer quantiles would help: leave these groups out, or make larger groups."
    return f"What would help: {', or '.join(found)}."


def _named(names: tuple[GroupName, ...]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(map(str, names[:MOST_NAMED])) + (f" and {more:,} more" if more > 0 else "")
