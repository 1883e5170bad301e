"""Who decides what the screen may show, and whether it may know how many records there are."""

from types import SimpleNamespace

import pytest

from dpq_core import Adjacency, Plan, PureDP
from dpq_core.results.data_set import column_to_explore
from dpq_core.results.kinds import Released
from dpq_core.results.simulated import simulate_column
from pages.payment import counts
from pages.shell import state
from pages.shell.state import may_explore
from tests.results.test_outcomes import ASKED, DOMAIN, data, private


@pytest.mark.parametrize(
    ("declared", "server", "allowed"),
    [(False, "", False), (True, "", True), (True, "release", False), (True, " RELEASE ", False)],
)
def test_an_own_column_is_explored_where_it_is_declared_and_allowed(declared: bool, server: str, allowed: bool) -> None:
    assert may_explore(declared_public=declared, environment={"DPQ_MODE": server}) is allowed


def test_a_simulation_stands_beside_no_private_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even beside the same column, once it is not declared public any more."""
    monkeypatch.setattr("streamlit.session_state", {})
    simulation = simulate_column(data(), column_to_explore(data(), DOMAIN), ASKED, 1)
    state.keep(simulation)
    assert state.outcome_of(data()) == simulation
    assert state.outcome_of(private()) is None


def test_a_number_of_records_that_plans_were_judged_with_goes_with_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    session: dict[str, object] = {}
    monkeypatch.setattr("streamlit.session_state", session)
    replaced = Plan(["1/2"], "aq", PureDP(1.0), Adjacency.REPLACE_ONE)
    assert counts.judged(replaced, data(), DOMAIN).count == data().public_count
    assert "731" in str(list(session.values()))
    state.forget_data(data().identity)
    assert session == {}


DATA = private()


def left(**changes):
    """An answer that stands in the session: of these data, charged to the clinic, which made their number public."""
    said = {"identity": DATA.identity, "account": "clinic", "records": 17, **changes}
    answer, told = object.__new__(Released), SimpleNamespace(records=said["records"])
    object.__setattr__(answer, "identity", said["identity"])
    object.__setattr__(answer, "release", SimpleNamespace(account=said["account"], description=told))
    return answer


@pytest.mark.parametrize(("answer", "shown"), [
    (None, None), (left(), 17), (left(records=None), None), (left(account="another"), None),
    (left(identity="another"), None),
], ids=["no release", "its own", "no number", "another account", "another column"])  # fmt: skip
def test_a_number_is_shown_after_a_release_of_this_column_for_who_pays_the_next_one(monkeypatch, answer, shown):
    monkeypatch.setattr(counts, "account_name", lambda data: "clinic")
    monkeypatch.setattr(state, "outcome_of", lambda *_: answer)
    assert counts.released_count(DATA) == shown
