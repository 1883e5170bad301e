"""The controls of people and groups: who is one person, what counts of each one's rows, and which groups are answered.

On data that is explored, what each choice of what counts of a person estimates is shown side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial

import streamlit as st

from dpq_core.domain.domain import Domain
from dpq_core.frame import level_share
from dpq_core.grouping import Grouping
from dpq_core.groups.bounding import MOST_GROUPS_EACH
from dpq_core.groups.cells import PossibleNames
from dpq_core.groups.finding import FINDING_SHARE
from dpq_core.groups.names import names_in
from dpq_core.people.ids import People
from dpq_core.people.takes import MOST_ROWS
from dpq_core.question import Persons
from dpq_core.results.data_set import ROWS_OF_ONE, WORDS, DataSet, PublicData, estimates, take_words, wording_of
from dpq_core.results.wording import count_in_words, plural_of, share_in_words, two_digits
from dpq_core.sources.examples import load_people
from dpq_core.studies.takes import EVERY_ROW, SOME_ROWS, compare_takes
from dpq_core.texts import listed
from dpq_core.typed import groups_of, guesses_of, listed_groups, parse_names, persons_of

from .. import keys
from ..server import uploads
from ..shell import fields, pieces
from ..shell.header import complain, escape, in_label, term, understood, whole_number
from . import table
from .said import typed_table
from .table import key, text

MOST_HELP = "From public knowledge, never from the data. The budget of each row is divided by this number."


def choose_of_example(data: PublicData, name: str) -> PublicData | None:
    """Ask who is one person of an example, where some have several rows; None while a number is missing."""
    example = table.examples()[name]
    if not example.person:
        return data
    data = replace(data, people=load_people(name))
    labels = {"row": f"Every {example.one_row} is another person’s", "same": f"All rows with the same {example.person}"}
    if fields.selectbox("person", labels, help=term("one person")) == "row":
        return data
    choice = choose_take(example.person, example.person)
    if choice is None:
        return None
    one, many = words_of(choice, example.person, data.one, data.many)
    imports = (*data.reading.imports, "from dpq_core.sources.examples import load_people")
    reading = replace(data.reading, imports=imports, people=f"load_people({name!r})")
    return replace(data, person=choice, one_person=example.person, reading=reading, one=one, many=many)


def choose_take(column: str, one: str) -> Persons | None:
    """Ask what counts of each person's rows; None while the number of rows is none."""
    chosen = fields.selectbox("per_person", help=term("what counts"))
    if chosen == SOME_ROWS:
        fields.text_input("max_rows_per_person", help=MOST_HELP)
        if max_rows_per_person() is None:
            return None
    choice = persons_of({"per_person": chosen, "max_rows_per_person": text("max_rows_per_person"), "person": column})
    assert choice is not None, "of a column of ids"
    example, of = take_words(choice).example, estimates(choice, one)
    st.caption(f"{ROWS_OF_ONE} → {example}  \nQuantiles of {escape(of)}.")
    return choice


def max_rows_per_person() -> int | None:
    """Return how many rows of each person may count; None, with a message, where that is no such number."""
    return whole_number(text("max_rows_per_person"), MOST_ROWS)


def words_of(choice: Persons, one_person: str, one: str, many: str) -> tuple[str, str]:
    """Return what one record is called, and several: a person, or a row where a person may have several records."""
    return (one_person, plural_of(one_person)) if choice.max_rows is None else (one, many)


def person_word() -> str:
    """Return the visitor's word for one person."""
    return text("one") or "person"


MOST_LEVELS = 5
"""The most quantiles that are shown side by side."""
ABOUT = (
    "The true quantiles{unit}, before any noise: each choice asks another question. Sampling error: how far choosing "
    "rows at random moves a rank (standard deviation), to be set beside the noise. Every row by itself protects rows, "
    "no person. This is on the screen because the data is public; of private data choose by the question and from "
    "public knowledge."
)


def offer_comparison(data: DataSet | None, domain: Domain | None, levels: tuple[Fraction, ...] | None) -> None:
    """Offer to see what each choice estimates on this data, where the truth may be shown."""
    if not isinstance(data, PublicData) or data.people is None or domain is None or not levels:
        return
    if st.button("What should count of each?", key=keys.widget("which_take"), icon=":material/help:", type="tertiary"):
        _show(data, data.people, domain, levels)


@st.dialog("How to combine a person’s rows", width="large")
def _show(data: PublicData, people: People, domain: Domain, levels: tuple[Fraction, ...]) -> None:
    """Show it in a dialog, so that it is computed only when the visitor opens it."""
    one = data.one_person or table.examples()[data.identity.removeprefix("example:")].person
    most, words = max_rows_per_person() or 1, wording_of(data, domain)
    some = _few(levels)
    found = {each.per_person: each for each in compare_takes(data.values, people, domain, some, most)}
    shown = [found[per_person] for per_person in (EVERY_ROW, *WORDS)]
    said = [_in_words(each.per_person, one, most) for each in shown]
    pieces.table(
        {
            "what counts": [label for label, _, _ in said],
            "true quantiles of": [estimated for _, estimated, _ in said],
            **{
                level_share(level): [words.number(each.quantiles[at]) for each in shown]
                for at, level in enumerate(some)
            },
            "sampling error (ranks)": [
                two_digits(each.sampling_error) if each.sampling_error else "none" for each in shown
            ],
            "rows left out": [share_in_words(each.cut) if each.cut else "–" for each in shown],
            "budget of each": [part for _, _, part in said],
        },
        "What each choice estimates on this data, and what it loses",
        left=2,
    )
    st.caption(ABOUT.format(unit=words.in_unit))


def _few(levels: tuple[Fraction, ...]) -> list[Fraction]:
    """Return the levels, or a few of them spread evenly, the ends among them."""
    ordered = sorted(set(levels))
    if len(ordered) <= MOST_LEVELS:
        return ordered
    return [ordered[round(at * (len(ordered) - 1) / (MOST_LEVELS - 1))] for at in range(MOST_LEVELS)]


def _in_words(per_person: str, one: str, most: int) -> tuple[str, str, str]:
    """Return what a choice is called, of what its quantiles are, and how much of the budget each record has.

    Rows by themselves are not protected together.
    """
    if per_person == EVERY_ROW:
        return "Every row by itself", "rows", "all, for a row"
    estimated = WORDS[per_person].estimates.format(one=one, most=most)
    if per_person == SOME_ROWS:
        return f"At most {count_in_words(most, 'row')}", estimated, f"1/{most:,}"
    return WORDS[per_person].label, estimated, "all"


FOUND = (
    "The release names the groups with many {many} and answers their quantiles; the names use {percent:.0f} % of ε, "
    "and δ. Only δ protects a name: if one person is alone in a group, its name is released with that chance. So do "
    "not ask for names that are themselves a secret."
)
LISTED = "Every group gets an answer, even one without any {many}: a release does not reveal which are empty."
NO_LIST = "Type the groups, one in a line, from public knowledge: a list read off the data can tell a secret."
LABELS_HELP = "The file names these values, whether a row has them or not. Its labels count as public."
NOT_READ = "This file is not a text file: save the list as plain text or CSV, one group in a line."
LONGEST_FILE = 4 * table.LONGEST_NAMES
"""Bytes of a list."""
LISTS = ("group_names", "more_names")
"""The settings that hold the lists of groups, by each column of groups."""
_TAKEN, _PROBLEM = keys.state("lists_taken"), keys.state("list_problem")


@dataclass(frozen=True)
class GroupsAsked:
    """Every group is to be answered; `choice` is None, with a message, while something is missing or wrong."""

    choice: Grouping | None
    guesses: Mapping[str, int] = field(default_factory=dict)
    """How many records some groups have, by public guesses."""

    def any_choice(self, data: DataSet) -> Grouping:
        """Return the groups that are to be answered; while they are not known, some group."""
        return self.choice or listed_groups(tuple(data.by), [(name,) for name in data.by])


def choose_groups(data: DataSet | None) -> GroupsAsked | None:
    """Ask for each of what there is to be an answer; None for one answer for all, and where no groups were read."""
    if data is None or not data.by:
        return None
    labels = {"all": "One answer for all", "group": f"Every group of {' and '.join(data.by)}"}
    if fields.selectbox("each", labels, help=term("for each group")) == "all":
        return None
    with st.container(gap="xsmall"):
        ready, words = _choose(data), typed_table(text, "", data, LISTS)
        choice = understood(lambda: groups_of(words)) if ready else None
    return GroupsAsked(choice, guesses_of(words) if choice else {})


def _choose(data: DataSet) -> bool:
    """Ask which groups are answered, and in how many of them a person counts; True once both are complete."""
    way, ready = _choose_way(data), True
    if way == "list":
        other = "" if len(data.by) > 1 else text("group_other").strip()
        lists = zip(LISTS, data.by.items(), strict=False)
        ready = None not in [_choose_list(data, setting, *column, other) for setting, column in lists]
    elif way == "data" and isinstance(data, PublicData) and data.groups:
        for names in (tuple(map(str, names_in(each))) for each in data.groups):
            st.caption(f"{count_in_words(len(names), 'group')}: {escape(listed(names))}.")
    else:
        ready = way == "found"
        st.caption(escape(FOUND.format(many=data.many, percent=100 * FINDING_SHARE)))
    return (data.person is None or data.person.shares or _choose_most(data.person)) and ready


def _choose_way(data: DataSet) -> str:
    """Ask how groups are named: those in the data only if they are public, found ones only if there is a delta."""
    offered = [
        *(["data"] if isinstance(data, PublicData) else []),
        "list",
        *(["found"] if text("budget") == "approximate" else []),
    ]
    if text("group_way") not in offered:
        st.session_state[key("group_way")] = offered[0]
    if len(offered) == 1:
        return offered[0]
    help = None if "found" in offered else "A budget ε, δ can find the names of groups that are not public."
    return fields.segmented_control("group_way", offered, help=help)


def _choose_list(
    data: DataSet, setting: str, column: str, possible: PossibleNames, other: str
) -> tuple[str, ...] | None:
    """Ask for the list of groups of a column; None, with a message, while there is none."""
    alone = len(data.by) == 1
    st.text_area(
        "List of groups" if alone else f"Groups of {in_label(column)}", key=key(setting), persist_state="session",
        placeholder="north\nsouth; 1200" if alone else "north\nsouth", height=110,
        max_chars=table.LONGEST_NAMES, help=term("list of groups"),
    )  # fmt: skip
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        if alone:
            fields.text_input("group_other", placeholder="left out", help="Empty: rows of other groups are left out.")
        _offer_file(setting)
        if (labels := possible.labels - possible.missing) and not text(setting).strip():
            st.button(
                "Labels of the file", key=keys.widget("labels", setting), icon=":material/label:", type="tertiary",
                on_click=st.session_state.update, args=({key(setting): "\n".join(sorted(labels))},), help=LABELS_HELP,
            )  # fmt: skip
    if not text(setting).strip():
        st.caption(NO_LIST)
        return None
    names = understood(lambda: parse_names(text(setting), other))
    if names is None:
        return None
    st.caption(f"{count_in_words(len(names), 'group')}. {escape(LISTED.format(many=data.many))}")
    if told := possible.misfits(names):
        complain(told)
        return None
    return names


def _offer_file(setting: str) -> None:
    """Offer to take the list from a small file: its text goes into the field above."""
    widget = keys.widget("group_file", setting, st.session_state.get(_TAKEN, 0))
    with st.popover("From a file", icon=":material/upload_file:", type="tertiary", key=keys.widget("list", setting)):
        uploads.grant()
        st.file_uploader(
            "One group in a line", type=["txt", "csv"], key=widget, on_change=partial(_take, widget, setting)
        )
        if problem := st.session_state.pop(_PROBLEM, ""):
            complain(problem)


def _take(widget: str, setting: str) -> None:
    file = st.session_state.get(widget)
    if file is None:
        return
    st.session_state[_TAKEN] = st.session_state.get(_TAKEN, 0) + 1  # another key: its bytes go
    try:
        st.session_state[key(setting)] = file.read(LONGEST_FILE).decode("utf-8-sig")[: table.LONGEST_NAMES]
    except UnicodeDecodeError:
        st.session_state[_PROBLEM] = NOT_READ


def _choose_most(person: Persons) -> bool:
    """Ask in how many groups one person may be, and return whether there is an answer.

    Where several rows of a person count, these may be limited in all groups together instead.
    """
    help = term("groups of one person")
    if person.max_rows is not None and fields.segmented_control("rows_in", help=help) == "all":
        return True
    return whole_number(fields.text_input("groups_each", help=help), MOST_GROUPS_EACH, "How many groups") is not None
