"""Whether the screen may know how many records there are: in Release only after a release that made it public."""

import pytest

from dpq_core.results import ReleaseFacts
from pages.budget import counts, panel
from pages.frame import state
from tests.results.test_outcomes import private

DATA = private()


def left(**changes):
    answer = object.__new__(ReleaseFacts)
    for name, value in {"identity": DATA.identity, "account": "clinic", "records": 17, **changes}.items():
        object.__setattr__(answer, name, value)
    return answer


@pytest.fixture
def count_after(monkeypatch):
    """The number that may be shown once an answer stands in the session; `clinic` would pay for the next one."""

    def shown(answer, as_column=False):
        monkeypatch.setattr(panel, "account_name", lambda data: "clinic")
        monkeypatch.setattr(state, "outcome_of", lambda *_: None if as_column else answer)
        monkeypatch.setattr(state, "column_of", lambda *_: answer if as_column else None)
        return counts.released_count(DATA)

    return shown


def test_in_release_it_may_not_before_a_release(count_after):
    assert count_after(None) is None


@pytest.mark.parametrize("as_column", [False, True])
def test_it_may_after_a_release_of_this_column_for_this_account_that_made_it_public(count_after, as_column):
    assert count_after(left(), as_column=as_column) == 17


@pytest.mark.parametrize("changes", [{"records": None}, {"account": "another"}, {"identity": "another"}], ids=str)
def test_it_may_not_after_any_other_release(count_after, changes):
    assert count_after(left(**changes)) is None
