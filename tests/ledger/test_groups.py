"""All groups are one charge and one stored answer, or none."""

import csv
import io
from dataclasses import replace

import pytest

import dpq_core as dpq
from dpq_core.ledger.charging import charged_release
from dpq_core.ledger.history.entries import standing, stored_releases
from dpq_core.ledger.history.statement import history_as_csv
from dpq_core.release import ColumnWords, Description
from tests.ledger.clients import sample

GRID = dpq.Domain(0, 100, 1)
PLAN = dpq.Plan(["1/2", "1/4"], "aq", dpq.PureDP(0.6))


def table(names=("a", 7, "empty")):
    return dpq.Column.from_values([5, 6, 7], GRID, groups=["a", "a", "b"], names=names)


def test_one_charge_and_one_answer_for_all_groups(account):
    found = charged_release(table(), PLAN, account, release_id="one")
    assert charged_release(table(), PLAN, account, release_id="one") == found
    assert found.cells[0].groups == ("a", 7, "empty")
    (entry,) = standing(account).entries
    assert (entry.guarantee.epsilon, entry.plan.first) == (0.6, PLAN)
    assert entry.group_names == ("a", "7", "empty")
    (stored,) = stored_releases(account.ledger)
    assert (stored.release.id, stored.release) == ("one", found)
    with pytest.raises(dpq.BudgetError):
        charged_release(table(), PLAN, account)
    assert len(standing(account).entries) == 1


def test_found_groups_come_back_as_they_were(account):
    groups = dpq.Column.from_values([5] * 500, GRID, groups=["a"] * 499 + ["b"], names=None)
    plan = dpq.Plan(["1/2"], "aq", dpq.ApproxDP(1.0, 1e-6))
    found = charged_release(groups, plan, account, release_id="one")
    assert found.cells[0].groups == ("a",)
    assert charged_release(groups, plan, account, release_id="one") == found
    (entry,) = standing(account).entries
    assert entry.guarantee.delta == 1e-6
    assert entry.groups == "found by the release", "which are found, and how many, is an answer"


@pytest.mark.parametrize("mechanism", ["indexp", "binhist"])
def test_intervals_are_stored_with_the_answer_and_are_part_of_what_was_asked(account, mechanism):
    plan = replace(PLAN, mechanism=mechanism, intervals=dpq.Intervals(0.9), about_n=50)
    first = charged_release(table(), plan, account, release_id="sure")
    assert [*first.intervals["column"]] == [*first.values["column"]]
    again = charged_release(table(), plan, account, release_id="sure")
    assert again == first
    assert len(standing(account).entries) == 1
    for other in (PLAN, replace(plan, intervals=dpq.Intervals(0.8)), replace(plan, about_n=60)):
        with pytest.raises(dpq.ParameterError, match="another plan"):
            charged_release(table(), replace(other, mechanism=mechanism), account, release_id="sure")
    with pytest.raises(dpq.ParameterError, match="`about_n` must have a number for every group"):
        charged_release(table(), replace(plan, about_n={"elsewhere": 9}), account)
    assert len(standing(account).entries) == 1


def test_bounds_and_names_of_groups_that_are_found_are_charged_with_their_answers(account):
    """The names, the bounds and the answers make one price; the second request with the id gets what was drawn."""
    frame = {"pay": [*[40.0] * 600, 9e9], "place": [*["a"] * 600, "b"]}
    raw = dpq.Table.from_frame(frame, {"pay": dpq.FindBounds(step=1)}, by={"place": dpq.FindGroups()})["pay"]
    plan = dpq.Plan(["1/2"], "aq", dpq.ApproxDP(1.0, 1e-6))
    found = charged_release(raw, plan, account, release_id="one")
    assert found.cells[0].groups == ("a",), "whoever is alone in a group is not named"
    assert found.cells[0].find_bounds == dpq.FindBounds(step=1)
    (entry,) = standing(account).entries
    assert (entry.guarantee.epsilon, entry.guarantee.delta) == pytest.approx((1.0, 1e-6))
    assert found.guarantee == replace(entry.guarantee, exact=True)
    assert charged_release(raw, plan, account, release_id="one") == found
    listed = dpq.Table.from_frame(frame, {"pay": dpq.FindBounds(step=1)}, by={"place": ["a", "b"]})["pay"]
    with pytest.raises(dpq.ParameterError, match="other groups"):
        charged_release(listed, plan, account, release_id="one")
    assert len(standing(account).entries) == 1


def test_the_history_names_the_groups_of_each_column(account):
    """Of a list by their names, also by several columns; those that a release finds are part of its answer."""
    charged_release({"age": table(), "pay": table()}, PLAN, account, release_id="some")
    found = dpq.Table.from_frame(
        {"x": [5] * 500, "y": [6] * 500, "office": ["a"] * 500}, {"x": (0, 100, 1), "y": (0, 100, 1)},
        by={"office": dpq.FindGroups()},
    )  # fmt: skip
    charged_release(found.columns, dpq.Plan(["1/2"], "aq", dpq.ApproxDP(0.2, 1e-7)), account, release_id="found")
    crossed = dpq.Table.from_frame(
        {"x": [5], "office": ["a"], "sex": ["f"]}, {"x": (0, 100, 1)}, by={"office": ["a", "b"], "sex": ["f"]}
    )
    charged_release(crossed.columns, dpq.Plan(["1/2"], "aq", dpq.PureDP(0.1)), account, release_id="crossed")
    some, names, by_two = standing(account).entries
    assert [each.groups for each in (some, names, by_two)] == ["a, 7, empty", "found by the release", "a · f, b · f"]
    lines = csv.DictReader(io.StringIO(history_as_csv(standing(account))))
    assert [line["groups"] for line in lines] == ["a; 7; empty", "", "a · f; b · f"]


@pytest.mark.parametrize("other", [sample(), table(("b", "c"))], ids=["in one piece", "of another list"])
def test_columns_that_are_no_part_of_one_table_are_charged_to_no_account(account, other):
    """A request has one list of groups and one rule for persons."""
    with pytest.raises(dpq.ParameterError, match="must have the same groups and persons"):
        charged_release({"age": table(), "pay": other}, PLAN, account)
    assert standing(account).entries == ()


def test_one_group_that_is_refused_is_charged_as_all(account):
    plan = dpq.Plan(["1/4", "1/2"], "slice", dpq.ApproxDP(0.5, 1e-6))
    with pytest.raises(dpq.Infeasible, match="None of the groups is answered"):
        charged_release(table(), plan, account)
    (entry,) = standing(account).entries
    assert (entry.state, float(entry.counted.epsilon), float(entry.counted.delta)) == ("infeasible", 0.5, 1e-6)


WORDS = Description(columns={"income": ColumnWords(kind="money", unit="€")}, one="person", many="people")


@pytest.mark.parametrize(("rule", "said", "told"), [
    (
        {"max_groups_per_person": 2},
        {"group_size": 900, "group_sizes": (("a", 30), ("b", 4))},
        {"max_groups_per_person": 2},
    ),
    ({"max_rows_per_person": 2}, {}, {"max_groups_per_person": 1, "max_rows_per_person": 2}),
    (
        {"max_rows_per_person": 2, "max_groups_per_person": "any"},
        {},
        {"max_groups_per_person": "any", "max_rows_per_person": 2},
    ),
    ({"per_person": "weight"}, {}, {"max_groups_per_person": 1, "share": True}),
], ids=["sizes", "rows", "any groups", "shares"])  # fmt: skip
def test_words_for_a_report_say_what_counts_of_a_person_and_of_sizes_what_was_said_before(account, rule, said, told):
    words, people = replace(WORDS, **said), dpq.People.of([1, 1, 2])
    groups = dpq.Column.from_values([5, 6, 7], GRID, groups=["a", "b", "b"], names=["a", "b"], people=people, **rule)
    charged_release(groups, PLAN, account, words=words)
    (stored,) = stored_releases(account.ledger)
    found = stored.release.description
    assert found == replace(words, person="person", rule=found.rule, **told)
    assert (found.rule == "at most 2 rows of each person count") is ("max_rows_per_person" in rule)
    assert [entry.groups for entry in standing(account).entries] == ["a, b"]


def test_words_of_several_columns_come_back(account):
    kept = replace(WORDS, columns={"age": ColumnWords(unit="years"), "day": ColumnWords(kind="date")})
    found = charged_release({"age": sample(), "day": sample()}, PLAN, account, words=kept)
    (stored,) = stored_releases(account.ledger)
    assert (stored.release, stored.release.description) == (found, kept)
