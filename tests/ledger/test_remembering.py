"""What an account remembers of its data set: merged by name, found by whoever opens the ledger."""

from decimal import Decimal

import pytest

from dpq_core import ParameterError
from dpq_core.ledger import upkeep
from dpq_core.ledger.charging import charged_release
from dpq_core.ledger.history.entries import standing
from dpq_core.ledger.remembering import remember, remember_readings, remembered, remembered_readings
from dpq_core.sources.reading import AS_WRITTEN, Reading
from tests.ledger.clients import open_one, plan, sample

READING = {"delimiter": ";", "header": True, "left_out": [1, 2], "person": None, "bounds": {"lower": 0.5}}


def test_facts_are_merged_by_name_and_belong_to_one_account(ledger):
    people, visits = open_one(ledger), open_one(ledger, "visits")
    assert remembered(people) == {}
    remember(people, {"reading": READING, "bounds": {"age": ["0", "120"]}})
    remember(people, {"bounds": {"income": ["0", "1e6"]}, "groups": ["Bath", "Zürich"]})
    assert remembered(people) == {
        "reading": READING, "bounds": {"income": ["0", "1e6"]}, "groups": ["Bath", "Zürich"],
    }  # fmt: skip
    assert remembered(visits) == {}
    remember(visits, {})
    assert remembered(visits) == {}


def test_remembering_charges_nothing_and_a_closed_account_remembers(ledger):
    account = open_one(ledger)
    charged_release(sample(), plan(0.5), account)
    closed = account.close()
    remember(closed, {"reading": READING})
    assert standing(closed).total.epsilon == Decimal("0.5")
    assert remembered(closed) == {"reading": READING}
    assert upkeep.verify(ledger) == (upkeep.Verified("people", 1, 0, ""),)


@pytest.mark.parametrize(
    "facts",
    [{"at": float("nan")}, {"at": {1, 2}}, {"at": b"bytes"}, {1: "a name that is a number"}, ["no mapping"], None],
)
def test_what_json_cannot_hold_is_refused_and_nothing_is_written(account, facts):
    remember(account, {"reading": READING})
    with pytest.raises(ParameterError, match="`facts` must be a mapping of names to what JSON can hold"):
        remember(account, facts)
    assert remembered(account) == {"reading": READING}


def test_readings_are_remembered_by_column_and_nothing_said_forgets_nothing(account):
    codes, commas = Reading(missing_codes=(-99, "9999-12-31")), Reading(decimal=",", percent=False, zero=("-",))
    remember(account, {"bounds": {"age": ["0", "120"]}})
    remember_readings(account, {"age": codes, "pay": commas})
    remember_readings(account, {"age": AS_WRITTEN, "pay": Reading(decimal=".")})
    assert remembered_readings(account) == {"age": codes, "pay": Reading(decimal=".")}
    assert remembered(account)["bounds"] == {"age": ["0", "120"]}, "other facts stay"


def test_a_reading_that_another_version_wrote_is_passed_over(account):
    remember(
        account, {"reading": {"age": {"decimal": ","}, "pay": {"thousands": "'"}, "born": {"dates": "year first"}}}
    )
    assert remembered_readings(account) == {"age": Reading(decimal=",")}
