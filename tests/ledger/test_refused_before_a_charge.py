"""What public facts refuse costs nothing; what only a count can refuse is paid once, and said again for the same id."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dpq_core as dpq
from dpq_core.above_threshold import LEAST_RATE, Walk
from dpq_core.intervals.counted import NoisyCount
from dpq_core.ledger.accounts import Account
from dpq_core.ledger.charging import charged_release, refusal_as_json, refusal_from_json
from dpq_core.ledger.history.entries import standing
from dpq_core.plan import MOST_RECORDS, Intervals
from dpq_core.privacy.budgets import Privacy
from dpq_core.privacy.composition import loss_with_first
from tests.ledger.alone import opened

COUNT = 400
FRAME: dict[str, list[Any]] = {
    "pay": [*range(COUNT)], "age": [30 + row % 40 for row in range(COUNT)], "region": ["n", "s"] * (COUNT // 2),
    "id": [row // 2 for row in range(COUNT)],
}  # fmt: skip
ONE, FOUND = {"pay": (0, 1000, 1)}, {"pay": dpq.FindBounds(step=1)}
SHARES: dict[str, Any] = {"person": "id", "per_person": "weight"}
LISTED: dict[str, Any] = {"by": {"region": ["n", "s"]}}


@pytest.fixture(params=[dpq.PureDP(1.0), dpq.ApproxDP(1.0, 1e-6), dpq.ZCDP(0.1)], ids=str)
def account(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Account]:
    account = opened(tmp_path, request.param)
    yield account
    account.ledger.engine.dispose()


def even(count: int) -> list[Fraction]:
    return [Fraction(at, count + 1) for at in range(1, count + 1)]


@pytest.mark.slow(one_in=7)
@pytest.mark.parametrize("count", [8, 12])
@pytest.mark.parametrize("rule", [
    {"columns": ONE, **SHARES}, {"columns": FOUND, **SHARES}, {"columns": ONE, **SHARES, **LISTED},
    {"columns": FOUND, **SHARES, **LISTED}, {"columns": {**ONE, "age": (0, 100, 1)}, **SHARES},
], ids=range(5))  # fmt: skip
def test_ends_that_cannot_be_drawn_are_refused_uncounted(account: Account, rule: dict[str, Any], count: int) -> None:
    plan = dpq.Plan(even(count), "freetotal", account.budget, intervals=0.9, about_n="noisy")
    with pytest.raises(dpq.ParameterError, match=r"`quantiles` must be fewer for FreeTotal, .* ends of intervals are"):
        dpq.release(dpq.Table.from_frame(FRAME, **rule), plan, account=account)
    assert standing(account).entries == ()


@pytest.mark.slow(keep=r"\u03b5 = 1, \u03b4 = 0.000001")
def test_few_levels_are_answered_with_their_ends(account: Account) -> None:
    plan = dpq.Plan(even(2), "freetotal", account.budget, intervals=0.9, about_n="noisy")
    dpq.release(dpq.Table.from_frame(FRAME, ONE, **SHARES), plan, account=account)
    assert [entry.state for entry in standing(account).entries] == ["answered"]


@pytest.mark.slow(one_in=7)
@pytest.mark.parametrize("columns", [ONE, FOUND])
@pytest.mark.parametrize("by", [{}, LISTED, {"by": {"region": dpq.FindGroups()}}])
@pytest.mark.parametrize("intervals", [{}, {"intervals": 0.9, "about_n": "noisy"}])
def test_an_unknown_mechanism_is_refused_uncharged(account: Account, columns: Any, by: Any, intervals: Any) -> None:
    plan = dpq.Plan("median", "aqq", account.budget, **intervals)
    with pytest.raises(dpq.ParameterError, match=r"`mechanism` must be one of .*Did you mean 'aq'\?"):
        dpq.release(dpq.Table.from_frame(FRAME, columns, **by), plan, account=account)
    assert standing(account).entries == ()


@pytest.mark.parametrize("privacy", [dpq.PureDP(1e-9), dpq.ApproxDP(1e-9, 1e-9), dpq.ZCDP(1e-9)], ids=str)
def test_a_budget_that_is_too_small_for_a_walk_is_refused_before_a_charge(tmp_path: Path, privacy: Privacy) -> None:
    account = opened(tmp_path, privacy)
    for columns, rule in (({"pay": dpq.FindBounds(share=Fraction(1, 10**12))}, {}), (FOUND, SHARES), (FOUND, LISTED)):
        with pytest.raises(dpq.ParameterError, match=r"must leave|must be larger|is too small"):
            dpq.release(
                dpq.Table.from_frame(FRAME, columns, **rule), dpq.Plan("median", "aq", privacy), account=account
            )
    assert standing(account).entries == ()


@pytest.mark.parametrize("unit", [1, 720])
def test_a_walk_has_the_least_rate_whose_noise_can_be_drawn(unit: int) -> None:
    joins = dpq.Adjacency.ADD_REMOVE
    assert Walk.of(dpq.FindBounds(), LEAST_RATE * unit, joins, unit).rate == LEAST_RATE * unit
    with pytest.raises(dpq.ParameterError, match="`share` must leave more"):
        Walk.of(dpq.FindBounds(), LEAST_RATE * unit * Fraction(999, 1000), joins, unit)


def test_a_loss_after_an_infinite_one_is_infinite() -> None:
    """Of a budget of rho no epsilon is known: this was an OverflowError, after the charge."""
    assert loss_with_first(Fraction(1, 10), float("inf")) == float("inf")
    assert loss_with_first(Fraction(1, 8), 0.5) == 0.625


def test_a_noisy_number_is_no_larger_than_a_plan_may_name() -> None:
    number = NoisyCount.of(Fraction(1, 2**49), Intervals(0.9))
    assert number.at_least(2**62) <= MOST_RECORDS
    assert number.at_least(number.margin + 1000) == 1000 - 1000 % 16


TOO_CLOSE = dpq.Plan(["1/4", "1/2"], "slice", dpq.ApproxDP(0.5, 1e-6))


def test_what_only_a_count_can_refuse_is_paid_once_and_said_again(tmp_path: Path) -> None:
    column, account = (
        dpq.Column.from_values([5, 6, 7], dpq.Domain(0, 100, 1)),
        opened(tmp_path, dpq.ApproxDP(1.0, 1e-6)),
    )

    def refused() -> dpq.Infeasible:
        with pytest.raises(dpq.Infeasible) as found:
            charged_release(column, TOO_CLOSE, account, release_id="one")
        return found.value

    first = refused()
    (entry,) = standing(account).entries
    assert (entry.state, float(entry.counted.epsilon)) == ("infeasible", first.charged)
    assert first.charged > 0
    again = refused()
    assert (str(again), vars(again)) == (str(first), vars(first))
    assert refusal_from_json(refusal_as_json(first)).sentence(str.upper) == first.sentence(str.upper)
    assert standing(account).entries == (entry,)
    with pytest.raises(dpq.ParameterError, match="must be new for a new request"):
        charged_release(column, dpq.Plan("median", "slice", dpq.ApproxDP(0.5, 1e-6)), account, release_id="one")
