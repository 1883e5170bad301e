"""The controls of people: who is one person, and what counts of each one's rows."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dpq_core.people import MOST_ROWS
from dpq_core.results import ROWS_OF_ONE, WORDS, PersonChoice, PublicData, offered_takes, plural_of
from dpq_core.sources.examples import load_people
from dpq_core.studies import SOME_ROWS

from ..frame import escape, fields, term, whole_number
from ..settings import table, text
from .requests import TypedTable
from .requests import person_of as named_person

MOST_HELP = "From public knowledge, never from the data. The budget of each row is divided by this number."


def choose_of_example(data: PublicData, name: str) -> PublicData | None:
    """Ask who is one person of an example, where some have several rows; None while a number is missing."""
    example = table.examples()[name]
    if not example.person:
        return data
    data = replace(data, people=load_people(name))
    labels = {"row": f"Every {example.one_row} is another person’s", "same": f"All rows with the same {example.person}"}
    if fields.selectbox("person", table.PERSONS, labels.__getitem__, help=term("one person")) == table.PERSONS[0]:
        return data
    choice = choose_take(example.person, example.person)
    if choice is None:
        return None
    reading = data.reading.replace("import load_example", "import load_example, load_people")
    one, many = words_of(choice, data.one, data.many)
    opened = f"{reading}\npeople = load_people({name!r})"
    return replace(data, person=choice, reading=opened, one=one, many=many)


def choose_take(column: str, one: str) -> PersonChoice | None:
    """Ask what counts of each person's rows; None while the number of rows is none."""
    chosen = fields.selectbox("take", offered_takes(), lambda take: WORDS[take].label, help=term("what counts"))
    if chosen == SOME_ROWS:
        fields.text_input("most_rows", help=MOST_HELP)
        if most_rows() is None:
            return None
    said = {name: text(name) for name in ("take", "most_rows")}
    choice = named_person(TypedTable(said=said, person=column, one=one))
    assert choice is not None, "of a column of ids"
    st.caption(f"{ROWS_OF_ONE} → {choice.words.example}  \nQuantiles of {escape(choice.estimates)}.")
    return choice


def most_rows() -> int | None:
    """Return how many rows of each person may count; None, with a message, where that is no such number."""
    return whole_number(text("most_rows"), MOST_ROWS)


def person_of(data: PublicData) -> str:
    """Return what one person of a column is called, whether rows are taken together now or not."""
    return data.person.one if data.person else table.examples()[data.identity.removeprefix("example:")].person


def words_of(choice: PersonChoice, one: str, many: str) -> tuple[str, str]:
    """Return what one record is called, and several: a person, or a row where a person may have several records."""
    return (choice.one, plural_of(choice.one)) if choice.most_rows is None else (one, many)


def person_word() -> str:
    """Return the visitor's word for one person."""
    return text("one") or "person"
