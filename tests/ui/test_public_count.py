"""Whether the screen may know how many records there are: in Release only after a release that made it public."""

from types import SimpleNamespace

import numpy as np
import pytest

from dpq_core import Adjacency
from dpq_core.results import DataSet, ReleaseFacts
from dpq_core.ui.budget import counts, panel
from dpq_core.ui.shell import Mode, state

DATA = DataSet(
    identity="this", name="age", kind="", unit="", one="", many="", about="", source="", is_example=False, public=False,
    reading="", values=np.arange(17.0),
)  # fmt: skip


def left(**changes):
    facts = {"identity": "this", "account": "clinic", "adjacency": Adjacency.SUBSTITUTE, **changes}
    answer = object.__new__(ReleaseFacts)
    guarantee = SimpleNamespace(adjacency=facts.pop("adjacency"))
    for name, value in {**facts, "release": SimpleNamespace(guarantee=guarantee)}.items():
        object.__setattr__(answer, name, value)
    return answer


@pytest.fixture
def count_after(monkeypatch):
    """The number that may be shown once an answer stands in the session; `clinic` would pay for the next one."""

    def shown(answer, mode=Mode.RELEASE, as_column=False):
        monkeypatch.setattr(panel, "account_name", lambda data: "clinic")
        monkeypatch.setattr(state, "outcome_of", lambda *_: None if as_column else answer)
        monkeypatch.setattr(state, "column_of", lambda *_: answer if as_column else None)
        return counts.public_count(DATA, mode)

    return shown


def test_in_explore_it_may_and_of_nothing_there_is_none(count_after):
    assert count_after(None, Mode.EXPLORE) == 17
    assert counts.public_count(None, Mode.EXPLORE) is None


def test_in_release_it_may_not_before_a_release(count_after):
    assert count_after(None) is None


@pytest.mark.parametrize("as_column", [False, True])
def test_it_may_after_a_release_of_this_column_for_this_account_that_made_it_public(count_after, as_column):
    assert count_after(left(), as_column=as_column) == 17


@pytest.mark.parametrize(
    "changes", [{"adjacency": Adjacency.ADD_REMOVE}, {"account": "another"}, {"identity": "another"}], ids=str
)
def test_it_may_not_after_any_other_release(count_after, changes):
    assert count_after(left(**changes)) is None
