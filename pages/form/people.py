"""The controls of people: who is one person, and what counts of each one's rows.

On data that is explored, what each choice of what counts of a person estimates is shown side by side.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import streamlit as st

from dpq_core.domain.domain import Domain
from dpq_core.frame import level_name
from dpq_core.people.ids import People
from dpq_core.people.takes import MOST_ROWS
from dpq_core.question import Persons
from dpq_core.results.data_set import ROWS_OF_ONE, WORDS, DataSet, PublicData, estimates, take_words, wording_of
from dpq_core.results.wording import count_in_words, plural_of, share_in_words, two_digits
from dpq_core.sources.examples import load_people
from dpq_core.studies.takes import EVERY_ROW, SOME_ROWS, Estimate, compare_takes
from dpq_core.typed import persons_of

from .. import keys
from ..shell import fields, pieces
from ..shell.header import escape, term, whole_number
from . import table
from .table import text

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


def person_of(data: PublicData) -> str:
    """Return what one person of a column is called, whether rows are taken together now or not."""
    return data.one_person or table.examples()[data.identity.removeprefix("example:")].person


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
    most, one, words = max_rows_per_person() or 1, person_of(data), wording_of(data, domain)
    some = _some(levels)
    found = {each.per_person: each for each in compare_takes(data.values, people, domain, some, most)}
    shown = [found[per_person] for per_person in (EVERY_ROW, *WORDS)]
    pieces.table(
        {
            "what counts": [_label(each.per_person, most) for each in shown],
            "true quantiles of": [_estimated(each.per_person, one, most) for each in shown],
            **{
                level_name(level).partition(" · ")[0]: [words.number(each.quantiles[at]) for each in shown]
                for at, level in enumerate(some)
            },
            "sampling error (ranks)": [_sampling_error(each) for each in shown],
            "rows left out": [share_in_words(each.cut) if each.cut else "–" for each in shown],
            "budget of each": [_part(each.per_person, most) for each in shown],
        },
        "What each choice estimates on this data, and what it loses",
        left=2,
    )
    st.caption(ABOUT.format(unit=words.in_unit))


def _some(levels: tuple[Fraction, ...]) -> list[Fraction]:
    """Return the levels, or a few of them spread evenly, the ends among them."""
    ordered = sorted(set(levels))
    if len(ordered) <= MOST_LEVELS:
        return ordered
    return [ordered[round(at * (len(ordered) - 1) / (MOST_LEVELS - 1))] for at in range(MOST_LEVELS)]


def _label(per_person: str, most: int) -> str:
    if per_person == EVERY_ROW:
        return "Every row by itself"
    return f"At most {count_in_words(most, 'row')}" if per_person == SOME_ROWS else WORDS[per_person].label


def _estimated(per_person: str, one: str, most: int) -> str:
    return "rows" if per_person == EVERY_ROW else WORDS[per_person].estimates.format(one=one, most=most)


def _sampling_error(of: Estimate) -> str:
    return two_digits(of.sampling_error) if of.sampling_error else "none"


def _part(per_person: str, most: int) -> str:
    """Return how much of the budget each record has; rows by themselves are not protected together."""
    if per_person == EVERY_ROW:
        return "all, for a row"
    return f"1/{most:,}" if per_person == SOME_ROWS else "all"
