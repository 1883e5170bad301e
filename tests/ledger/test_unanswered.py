"""A release that was charged and has no answer counts like an answered one wherever earlier charges decide."""

import pytest

from dpq_core import ApproxDP, Infeasible, ParameterError
from dpq_core.ledger import charging
from dpq_core.ledger.charging import charged_answer, charged_release
from dpq_core.ledger.checking import State
from dpq_core.ledger.files import compare_files
from dpq_core.ledger.history.entries import standing
from tests.ledger.clients import fingerprint_of, open_one, persons, plan, request, sample

BUDGET = ApproxDP(1.0, 1e-6)


def left_in(state, account, **others):
    """Charge a release that ends in a state without an answer: by a crash, an error or a refusal."""
    asked = request(0.25, **others)
    if state is State.CHARGED:
        account.ledger.write(lambda connection: charging._charge(connection, account, asked))
        return
    charged = 0.125 if state is State.INFEASIBLE else 0.0
    error = RuntimeError() if state is State.FAILED else Infeasible("quantiles", "must differ.", charged=charged)

    def draw():
        raise error

    with pytest.raises(type(error)):
        charged_answer(account, asked, draw)
    assert [entry.state for entry in standing(account).entries] == [state]


@pytest.mark.parametrize("state", [State.CHARGED, State.FAILED, State.INFEASIBLE])
def test_it_decides_what_an_account_protects_how_delta_is_split_and_which_files_were_charged(ledger, state):
    account = open_one(ledger, budget=BUDGET)
    mark = fingerprint_of(account, b"a file")
    left_in(state, account, file=mark)
    assert len(standing(account).limits) == 1, "the split must be fixed before the first answer, so by the first charge"
    with pytest.raises(ParameterError, match=r"`account` must protect .* one record; this one is for a person"):
        charged_release(persons(), plan(0.25), account)
    charged_release(sample(), plan(0.25), account)
    assert compare_files(account, mark) == (), "it may be compared"
    other = open_one(ledger, "other", BUDGET)
    charged_release(sample(), plan(0.25), other, file=mark)
    (same,) = compare_files(other, mark)
    assert "looks the same as one charged to people" in same
