"""What the settings of a page say, in the words of `dpq_core.typed`; and the question about one column."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dpq_core.groups.names import GroupName, names_in
from dpq_core.plan import BEST, NOISY, Plan
from dpq_core.question import Asked, Bounds, Grouping, Persons, Question
from dpq_core.release import ColumnWords
from dpq_core.results.chosen import Chosen
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.typed import USUAL, Words

from .table import SETTINGS

Said = Callable[[str], str]
"""The text of a setting by its name: `text` on a page."""


def _words(said: Said) -> dict[str, str]:
    """Return the settings that have the same name there."""
    return {name: said(name) for name in USUAL if name in SETTINGS}


def typed_column(said: Said, kind: str) -> dict[str, str]:
    """Return the settings of a page about one column."""
    missing = said("missing") if said("adjacency") == "substitute" else ""  # it is asked for there alone
    return _words(said) | {"kind": kind, "unit": said("column_unit"), "missing": missing}


def typed_table(said: Said, about: str, data: DataSet, lists: tuple[str, ...] = ()) -> Words:
    """Return what the settings of a page say of all columns, of which `data` is one.

    `lists`: the settings that hold the lists of groups, where every group is answered.
    """
    by = (data.group, *(name for name, _ in data.more_groups)) if lists else ()
    known = data.groups if lists and isinstance(data, PublicData) else ()
    named: dict[str, tuple[object, ...]] = {
        "list": tuple(map(said, lists[: len(by)])), "data": tuple(tuple(map(str, names_in(each))) for each in known),
    }  # fmt: skip
    way = said("group_way")
    words: dict[str, object] = {**_words(said)}
    return words | {
        "about": about, "person": data.person.column if data.person else "", "one": data.anyone, "by": by,
        "lists": named.get(way, ()), "other": said("group_other") if way == "list" else "",
    }  # fmt: skip


def question_of(
    data: DataSet,
    bounds: Bounds,
    plan: Plan,
    about_n: int | Mapping[GroupName, int] | None = None,
    groups: Grouping | None = None,
    persons: Persons | None = None,
    *,
    best: bool = False,
) -> Question:
    """Return the question about one column alone, from its parts; `best`: its plan has the best mechanism."""
    asked = Asked(
        possible=bounds, levels=plan.quantiles, mechanism=BEST if best else plan.mechanism,
        options={} if best else plan.options, intervals=plan.intervals, about_n=about_n,
        noisy_count=plan.about_n == NOISY, missing=data.missing,
        words=ColumnWords(kind=data.kind, unit=data.unit),
    )  # fmt: skip
    question = Question(
        columns={data.name: asked}, budget=plan.privacy, adjacency=plan.adjacency, groups=groups,
        persons=persons or data.person, one=data.anyone,
    )  # fmt: skip
    return data.reading.asked(question)


def chosen_of(question: Question, plan: Plan) -> Chosen:
    """Return the question about one column with the plan that is drawn."""
    return Chosen(question=question, plans=dict.fromkeys(question.columns, plan))
