"""Quick simulations of many visitors come in two parts, and what took long once waits for its button."""

from __future__ import annotations

import pytest

from dpq_core.jobs.workers import TooLongError
from dpq_core.plan import Plan
from dpq_core.results import DRAWS
from pages.quantiles import live
from pages.server import work

QUICK, LONG = Plan(["1/2"], "aq"), Plan([f"{at}/1000" for at in range(1, 1000)], "jointexp")
RECORDS = 1_000


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_last", {})
    monkeypatch.setattr(live, "_took", {})


def test_a_crowd_is_served_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    now, names = 1_000.0, [""]
    monkeypatch.setattr(live, "monotonic", lambda: now)
    monkeypatch.setattr(live, "session", lambda: names[-1])
    for _ in range(2 * live.CROWD):
        live.compute(QUICK, RECORDS, DRAWS, abs, -1)
        assert live.draws_now(QUICK, RECORDS) == DRAWS, "one who is quick is no crowd"
    for other in range(1, live.CROWD):
        names.append(str(other))
        live.compute(LONG, RECORDS << other, DRAWS, abs, -1)
        assert live.draws_now(QUICK, RECORDS) == DRAWS, "what takes long is not drawn by itself, so it is none of them"
        live.compute(QUICK, RECORDS, DRAWS, abs, -1)
    assert (live.draws_now(QUICK, RECORDS), live.draws_now(LONG, RECORDS)) == (live.FIRST_DRAWS, DRAWS)
    now += live.CROWD_SECONDS
    assert live.draws_now(QUICK, RECORDS) == DRAWS
    live.compute(QUICK, RECORDS, DRAWS, abs, -1)
    assert list(live._last) == names[-1:], "those who rest are forgotten"


@pytest.mark.parametrize(("draws", "seconds", "quick"), [(DRAWS, 1.5, False), (DRAWS, 0.5, True), (64, 0.3, False)])
def test_what_the_last_run_took_counts_and_not_its_estimate(
    monkeypatch: pytest.MonkeyPatch, draws: int, seconds: float, quick: bool
) -> None:
    """Of the first 64 runs of 256 a quarter of the time was measured."""
    monkeypatch.setattr(work, "compute", lambda *_, **__: (1, seconds))
    assert live._is_quick(QUICK, RECORDS)
    assert not live._is_quick(LONG, RECORDS)
    for plan in (QUICK, LONG):
        assert live.compute(plan, RECORDS, draws, abs, -1) == 1
        assert live._is_quick(plan, RECORDS) is quick
    assert live._is_quick(QUICK, 100 * RECORDS), "of other data nothing is known"


def test_what_was_ended_for_its_time_waits_for_its_button(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*_: object, **__: object) -> None:
        raise TooLongError("too long")

    monkeypatch.setattr(work, "compute", ended)
    with pytest.raises(TooLongError):
        live.compute(QUICK, RECORDS, DRAWS, abs, -1)
    assert not live._is_quick(QUICK, RECORDS)


def test_only_the_last_times_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_TIMES", 3)
    for records in (1, 2, 4, 8, 16):
        live.compute(QUICK, records, DRAWS, abs, -1)
    assert len(live._took) == 3
