"""A ledger that version 1.0.0 wrote, with a release of every kind: its answers are read, and its ids are refused.

That version stored of what data a release is nowhere, so nobody can tell whether a second request is the same.

versions/of_1_0_0.sql has what `sqlite3 .dump` gives of the ledger that the code of that version wrote from `KINDS`.
"""

import json
import sqlite3
from pathlib import Path

import pytest

from dpq_core import (
    ZCDP,
    Adjacency,
    ApproxDP,
    Domain,
    FindBounds,
    Groups,
    ParameterError,
    People,
    Plan,
    PureDP,
    RawSample,
    Sample,
)
from dpq_core.ledger import (
    Ledger,
    ReleaseMetadata,
    charged_columns,
    charged_groups,
    charged_release,
    charged_synthesis,
    sums,
    upkeep,
)
from dpq_core.ledger.answers import words_from_json
from dpq_core.ledger.history.answers import stored_releases

KEY = "a key for the tests"
WRITTEN = Path(__file__).parent / "versions" / "of_1_0_0.sql"
AGES = [17 + (7 * row) % 74 for row in range(400)]
OFFICES = [("north", "south", "east")[row % 3] for row in range(400)]
AGE = Domain(17, 91, 1)
PEOPLE = People.of([row // 2 for row in range(400)])
PLAN, REPLACED = Plan([0.25, 0.5], "aq", PureDP(1.0)), Plan([0.25, 0.5], "aq", ZCDP(0.25), Adjacency.SUBSTITUTE)
FOUND_GROUPS = Plan([0.5], "indexp", ApproxDP(1.0, 1e-5))
INTERVALS = Plan([0.5], "aq", PureDP(1.0), intervals=0.9, about_n=300)
COUNTED = Plan([0.5], "binhist", PureDP(1.0), intervals=0.9, about_n="noisy")
ACCOUNTS = {
    "rows": ("row", Adjacency.ADD_REMOVE, ApproxDP(30.0, 1e-3)),
    "replaced": ("row", Adjacency.SUBSTITUTE, ZCDP(2.0)),
    "people": ("patient with all rows", Adjacency.ADD_REMOVE, PureDP(30.0)),
}


def column(take=None, most_rows=None):
    settings = {} if take is None and most_rows is None else {"people": PEOPLE, "take": take, "most_rows": most_rows}
    return Sample.from_values(AGES, AGE, **settings)


def groups(**settings):
    return Groups.from_values(AGES, OFFICES, AGE, **settings)


KINDS = {
    "one": ("rows", lambda paid: charged_release(column(), PLAN, **paid)),
    "slices": ("rows", lambda paid: charged_release(column(), Plan([0.5], "slice", ApproxDP(4.0, 1e-5)), **paid)),
    "replaced": ("replaced", lambda paid: charged_release(column(), REPLACED, **paid)),
    "intervals": ("rows", lambda paid: charged_release(column(), INTERVALS, **paid)),
    "counted": ("rows", lambda paid: charged_release(column(), COUNTED, **paid)),
    "digits": ("rows", lambda paid: charged_release(Sample.from_values(AGES, Domain.significant(2)), PLAN, **paid)),
    "found bounds": ("rows", lambda paid: charged_release(RawSample.from_values(AGES, FindBounds()), PLAN, **paid)),
    "synthetic": ("rows", lambda paid: charged_synthesis(column(), 5, PLAN, **paid)),
    "columns": ("rows", lambda paid: charged_columns({"age": column(), "again": column()}, PLAN, **paid)),
    "groups": ("rows", lambda paid: charged_groups(groups(names=["north", "nowhere"]), PLAN, **paid)),
    "found groups": ("rows", lambda paid: charged_groups(groups(names=None), FOUND_GROUPS, **paid)),
    "fixed groups": (  # of public size, which there are no more: each had twice the budget
        "replaced",
        lambda paid: charged_groups(groups(names=["north", "south", "east"]), REPLACED, **paid),
    ),
    "mean": ("people", lambda paid: charged_release(column(take="mean"), PLAN, **paid)),
    "share": ("people", lambda paid: charged_release(column(take="share"), PLAN, **paid)),
    "several rows": ("people", lambda paid: charged_release(column(most_rows=2), PLAN, **paid)),
    "groups of persons": (
        "people",
        lambda paid: charged_groups(
            groups(names=["north", "south"], people=PEOPLE, take="max", groups_per_person=2), PLAN, **paid
        ),
    ),
}
"""For each id the account that paid, and the request; `paid` has its account and its id."""


@pytest.fixture
def stored(tmp_path):
    place = tmp_path / "ledger.sqlite"
    with sqlite3.connect(place) as connection:
        connection.executescript(WRITTEN.read_text())
        rows = connection.execute("SELECT release_id, answer FROM dpq_releases").fetchall()
    connection.close()
    ledger = Ledger.at(str(place), key=KEY)
    yield ledger, {name: json.loads(answer) for name, answer in rows}
    ledger.engine.dispose()


def test_every_answer_of_1_0_0_is_read_and_no_id_of_it_gives_one(stored):
    ledger, answers = stored
    accounts = {account.name: account for account in ledger.accounts()}
    spent = {name: sums(account) for name, account in accounts.items()}
    read = {each.release_id: each.answer for each in stored_releases(ledger)}
    assert set(answers) == {*read, "synthetic"} == set(KINDS)
    for name, (payer, request) in KINDS.items():
        with pytest.raises(ParameterError, match="an older version made the release with this id"):
            request({"account": accounts[payer], "release_id": name})
        if name == "synthetic":  # no report shows one
            continue
        told = read[name].guarantee.as_dict()
        assert told == answers[name]["guarantee"], name
        assert (told["protects"] == "person") is (payer == "people")
        frame = read[name].to_frame()
        ends = (frame["low"] <= frame["value"]) & (frame["value"] <= frame["high"])
        assert ends.all() if name in {"intervals", "counted"} else frame["low"].isna().all()
    assert {name: sums(account) for name, account in accounts.items()} == spent


def test_its_charges_are_whole_and_go_on(stored):
    ledger, _ = stored
    found = upkeep.verify(ledger)
    assert sum(each.charges for each in found) == len(KINDS)
    assert {each.problem for each in found} == {""}
    (people,) = (account for account in ledger.accounts() if account.name == "people")
    before = sums(people).total.epsilon
    charged_release(column(take="min"), PLAN, people, release_id="new")
    assert sums(people).total.epsilon == before + 1


def test_words_of_groups_of_public_size_are_read_and_no_longer_judged():
    """Version 1.1 stored them: what their answers cost is not known to a report any more."""
    words = json.loads(ReleaseMetadata(column="age", kind="number", unit="", one="row", many="rows").as_json())
    for fixed, known in ((True, None), (False, 2)):
        read = words_from_json(json.dumps(words | {"groups_per_person": 2, "fixed": fixed}))
        assert read is not None
        assert read.groups_per_person == known
