"""A question survives its JSON, a pickle, and the table that is made of it; what is wrong with it is said by name."""

import json
import pickle
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpq_core import ZCDP, Adjacency, ApproxDP, Domain, FindBounds, Intervals, ParameterError, PureDP, Table
from dpq_core.asked_of import question_of
from dpq_core.grouping import FindGroups, Grouping
from dpq_core.question import Asked, Persons, Question
from dpq_core.release import ColumnWords
from dpq_core.sources.reading import Opening, Reading

FEW = 30  # each takes some ten milliseconds
NAMES = st.text("abcü -,;=1", min_size=1, max_size=6).map(lambda name: " ".join(name.split())).filter(bool)
SHARES = st.fractions(Fraction(1, 50), Fraction(1, 2), max_denominator=60)
POSSIBLE: st.SearchStrategy[Domain | FindBounds] = st.sampled_from(
    [Domain(0, 120, 1), Domain("0.1", 9, "0.1"), Domain.significant(2), FindBounds("1/7", step=2), FindBounds()]
)
READINGS = st.builds(
    Reading, decimal=st.sampled_from(["", ",", "."]), percent=st.sampled_from([None, True]),
    missing_codes=st.sampled_from([(), (-9.0, 99.5), ("9999-12-31",)]), zero=st.sampled_from([(), ("-",)]),
)  # fmt: skip
WORDS = st.builds(ColumnWords, kind=st.sampled_from(["number", "date"]), unit=st.sampled_from(["", "€"]), label=NAMES)
BUDGETS: st.SearchStrategy[PureDP | ApproxDP | ZCDP] = st.sampled_from(
    [PureDP(1), PureDP(0.1), ApproxDP(1 / 3, 1e-6), ZCDP(0.05)]
)


@st.composite
def groupings(draw: st.DrawFn) -> Grouping:
    by = draw(st.lists(NAMES, min_size=1, max_size=2, unique=True))
    if draw(st.booleans()):
        return Grouping(by=tuple(by), names=FindGroups(draw(SHARES)))
    one = st.one_of(NAMES, st.integers(0, 99))
    names = draw(st.lists(one if len(by) == 1 else st.tuples(one, one), min_size=1, max_size=4, unique=True))
    return Grouping(
        by=tuple(by), names=tuple(names), other="the rest" if len(by) == 1 and draw(st.booleans()) else None
    )


@st.composite
def questions(draw: st.DrawFn) -> Question:
    groups, with_persons = draw(st.none() | groupings()), draw(st.booleans())
    per_person: Any = draw(st.sampled_from(["weight", "mean", None]))
    in_groups = groups is not None and per_person != "weight"
    persons = Persons(
        per_person=per_person, max_rows=None if per_person else 3, column=draw(NAMES),
        max_groups=2 if in_groups else None, missing_is_person=draw(st.booleans()),
    ) if with_persons else None  # fmt: skip
    listed = groups.answered if groups is not None and groups.answered and draw(st.booleans()) else None
    columns = {}
    for name in draw(st.lists(NAMES, min_size=1, max_size=3, unique=True)):
        intervals = draw(st.none() | st.builds(Intervals, st.sampled_from([0.9, 0.95]), together=st.booleans()))
        about: Any = draw(st.none() | st.integers(1, 10**15))
        columns[name] = Asked(
            possible=draw(POSSIBLE), levels=tuple(draw(st.lists(st.fractions(0, 1, max_denominator=100), max_size=4))),
            mechanism=draw(st.sampled_from(["best", "aq", "binhist"])), intervals=intervals,
            about_n=dict.fromkeys(listed, 30) if listed and intervals else about,
            noisy_count=intervals is not None and draw(st.booleans()),
            missing=draw(st.none() | st.just(Fraction(1, 3))),
            weight=draw(st.sampled_from([Fraction(1), Fraction(5, 2)])), reading=draw(READINGS), words=draw(WORDS),
        )  # fmt: skip
    return Question(
        columns=columns, budget=draw(BUDGETS), adjacency=draw(st.sampled_from(Adjacency)), groups=groups,
        persons=persons, file=draw(st.none() | st.builds(Opening, header=st.none() | st.booleans(), sheet=NAMES)),
        one=draw(st.sampled_from(["", "household"])),
    )  # fmt: skip


@settings(max_examples=FEW)
@given(questions())
def test_a_question_survives_its_json_and_a_pickle(asked: Question) -> None:
    again = Question.from_json(asked.to_json())
    assert again == asked == pickle.loads(pickle.dumps(asked))
    assert (hash(again), again.to_json()) == (hash(asked), asked.to_json())
    assert json.loads(asked.to_json()) == asked.as_dict(), "as a release holds it"


@pytest.mark.slow
@settings(max_examples=FEW)
@given(questions())
def test_a_table_made_of_a_question_is_asked_the_same(asked: Question) -> None:
    """But for the words, and how a file is read, which no data frame knows."""
    persons = () if asked.persons is None else (asked.persons.column,)
    names = {*asked.columns, *(asked.groups.by if asked.groups else ()), *persons}
    if len(names) < len(asked.columns) + len(asked.groups.by if asked.groups else ()) + len(persons):
        return  # one column is two things
    if any(each.words.kind == "date" for each in asked.columns.values()):
        asked = replace(asked, columns={n: replace(c, words=ColumnWords()) for n, c in asked.columns.items()})
    frame = {name: np.empty(0, float if name in asked.columns else object) for name in names}
    bare = {name: replace(each, words=ColumnWords(), reading=Reading()) for name, each in asked.columns.items()}
    bare = {name: replace(each, about_n=None if each.noisy_count else each.about_n) for name, each in bare.items()}
    expected = replace(asked, columns=bare, file=None, one="")
    assert question_of(Table.of(frame, asked), asked.plan) == expected


ONE = {"pay": Asked(possible=Domain(0, 9, 1), levels=(Fraction(1, 2),))}
LISTED = Grouping(by=("ward",), names=("n", "s"))
BY_MEAN, BY_SHARES = Persons(per_person="mean", column="id"), Persons(per_person="weight", column="id")


@pytest.mark.parametrize(("asked", "told"), [
    ({"persons": BY_MEAN, "groups": LISTED}, "`max_groups_per_person` must say in how many"),
    (
        {"persons": replace(BY_MEAN, max_groups=1)},
        "`max_groups_per_person` must be left out where",
    ),
    (
        {"persons": replace(BY_SHARES, max_groups=1), "groups": LISTED},
        "`max_groups_per_person` must be left out for per_person='weight'",
    ),
    ({"budget": None}, "`epsilon` must be given, or `rho`"), ({"columns": {}}, "`columns` must be 1 to 1000, got 0"),
    ({"columns": {"pay": replace(ONE["pay"], weight=Fraction(0))}}, "`weights` must be above 0"),
    ({"columns": {"pay": replace(ONE["pay"], noisy_count=True)}}, "`about_n` must go with `intervals`"),
    ({"columns": {"pay": replace(ONE["pay"], about_n={"n": 3})}, "groups": LISTED}, "a number for every group"),
])  # fmt: skip
def test_what_does_not_go_together_is_refused(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        Question(**{"columns": ONE, "budget": PureDP(1), **asked})


@pytest.mark.parametrize(("asked", "told"), [
    ({"groups": replace(LISTED, by=())}, "`by` must name the columns of groups"),
    ({"persons": Persons(per_person="weight")}, "`person` must name the column of ids"),
    ({"columns": {"pay": replace(ONE["pay"], held="gk")}}, "`plan` must ask for columns of rows"),
])  # fmt: skip
def test_what_was_asked_of_arrays_is_asked_of_no_table(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        Table.of({"pay": [1]}, Question(**{"columns": ONE, "budget": PureDP(1), **asked}))


@pytest.mark.parametrize(
    "text", ["{}", "[]", "no JSON", '{"format": 1}', '{"format": 2, "columns": {}}', '{"format": 2, "columns": []}']
)
def test_text_that_is_no_question_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match=r"`(plan|columns)` must"):
        Question.from_json(text)


@pytest.mark.parametrize("flag", ["noisy_count", "missing_is_person", "header"])
def test_a_text_is_no_truth_value(flag: str) -> None:
    of = {"noisy_count": Asked, "missing_is_person": Persons, "header": Opening}[flag]
    with pytest.raises(ParameterError, match=f"`{flag}` must be true or false, got 'no'"):
        of(**{flag: "no"} | (vars(ONE["pay"]) | {flag: "no"} if of is Asked else {}))


@pytest.mark.parametrize("where", ["", "columns pay", "persons", "groups"])
def test_a_setting_that_no_question_has_is_refused(where: str) -> None:
    asked = Question(columns=ONE, budget=PureDP(1), groups=LISTED, persons=BY_SHARES).as_dict()
    place: Any = asked
    for name in where.split():
        place = place[name]
    place["take"] = "max"
    with pytest.raises(ParameterError, match="`plan` must be a question in format 2"):
        Question.from_json(json.dumps(asked))
