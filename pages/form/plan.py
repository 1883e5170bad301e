"""The controls of quantiles, mechanism and its options, which make a Plan.

The mechanism that *Choose for me* took first stays while settings of public data are turned. Otherwise a change of the
mechanism would be read as an effect of what was turned. Where another one would be taken now the form says so. In
Release nothing is held: there the best one for the plan is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.advice.choice import Choice, serves
from dpq_core.advice.errors import expected_error
from dpq_core.asked_of import refusal_of
from dpq_core.domain.domain import Domain
from dpq_core.errors import ParameterError
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import NOISY, Intervals, Noisy
from dpq_core.privacy.budgets import Adjacency, ApproxDP
from dpq_core.question import Asked, Bounds, Question
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.results.wording import expected_in_words
from dpq_core.studies.shapes import MOST_STUDIED
from dpq_core.typed import UNKNOWN, checked_option, intervals_of, levels_in

from .. import keys
from ..payment import counts
from ..server import work
from ..shell import fields, links, screen, state
from ..shell.header import complain, escape, sentence_of, term, understood, whole_number
from . import said, table
from .people import GroupsAsked
from .said import typed_column
from .table import key, text

_OPENED = keys.state("options_opened")
"""Into how many parts each preset cuts."""
DECIDED_BY_PRESS = (
    "Whether the mechanism is available depends on the number of records, which this page does not know before the "
    "first release: the press decides."
)
INTERVALS_OF_HELP = (
    "The population: all those of which these are a random sample. Their quantiles differ from the sample’s by chance, "
    "so the intervals are wider."
)
HOLD_HELP = (
    "With this chance each interval holds its own true quantile, or all of a column or a group hold at once. Those are "
    "wider, and the report says with them which groups clearly differ."
)
COUNTED_HELP = (
    "Intervals rest on how many there are. A guess costs nothing, and should rather be too small. Counting takes a "
    "twentieth of the budget, and its own error is in the intervals. Trees and bins need neither."
)
ANY_COUNT, ANY_BUDGET = 100, ApproxDP(1.0, 1e-6)
"""Of a made-up plan, with which the page asks the library whether something is possible at all."""
NO_NOISY_COUNT = "Intervals rest on a guess of how many there are: a noisy count is not available here."


def choose_levels() -> tuple[Fraction, ...] | None:
    """Ask for the quantile levels; None while what was typed is none."""
    chosen = fields.pills("quantiles", help=term("quantile"))
    if chosen == "even":
        fields.text_input("even")
    elif chosen == "own":
        fields.text_input("own", help='Such as "0.5, 1/3, 90%".', max_chars=table.LONGEST_VALUE)
    return understood(lambda: levels_in(typed_column(text, UNKNOWN)))


@dataclass(frozen=True)
class Asking:
    """The settings so far on which intervals may depend."""

    data: DataSet | None
    bounds: Bounds | None
    groups: GroupsAsked | None = None
    columns: int = 1
    """How many columns are answered together."""

    def refusal(self, about_n: int | Noisy) -> ParameterError | None:
        """Return why the library gives no intervals for this, with `about_n` records or with a noisy count of them."""
        person = self.data.person if self.data else None
        usual = isinstance(self.bounds, Domain) and self.groups is None and not (person and person.shares)
        usual &= self.columns == 1
        if self.bounds is None or usual:
            return None
        asked = Asked(
            possible=self.bounds, levels=(Fraction(1, 2),), mechanism="aq", intervals=Intervals(0.95),
            about_n=None if about_n == NOISY else about_n, noisy_count=about_n == NOISY,
        )  # fmt: skip
        groups = self.groups.any_choice(self.data) if self.groups and self.data else None
        if groups is not None and person is not None and not person.shares:
            person = replace(person, max_groups=1)  # any number is refused alike
        made_up = Question(
            columns={f"asked {number}": asked for number in range(self.columns)}, budget=ANY_BUDGET,
            adjacency=Adjacency(text("adjacency")), groups=groups, persons=person,
        )  # fmt: skip
        return refusal_of(made_up)


def choose_intervals(asking: Asking) -> tuple[Intervals | None, DeltaGenerator]:
    """Ask for intervals around the answers, and for what; None where none are requested or possible.

    A release has them unless they are switched off. Also returns the place for what they cost.
    """
    data, name = asking.data, "release_intervals" if links.seals() else "intervals"
    if refused := asking.refusal(ANY_COUNT):
        st.caption(f"Intervals around the answers: {escape(sentence_of(refused))}")
        screen.lead("Go to the bounds", key("bounds"), "intervals")
        return None, st.container()
    many = data.many if data else "records"
    chosen = fields.pills(name, help=term("interval of an answer"))
    cost = st.container()
    if chosen == "none":
        return None, cost
    of = {"data": f"these {many}", "population": "the population"}
    fields.segmented_control("intervals_of", of, help=INTERVALS_OF_HELP)
    fields.segmented_control("hold", help=HOLD_HELP)
    return intervals_of({"intervals": chosen} | {each: text(each) for each in ("intervals_of", "hold")}), cost


def choose_counting(asking: Asking) -> bool:
    """Ask how the number of records is known that intervals rest on, and return whether it is counted with noise."""
    if text("adjacency") == Adjacency.REPLACE_ONE and asking.groups is None:  # then it is public
        return False
    if refused := asking.refusal(NOISY):
        st.caption(NO_NOISY_COUNT, help=sentence_of(refused))
        return False
    return fields.segmented_control("counted", help=COUNTED_HELP) == NOISY


def choose_count(many: str, *, folded: bool = False) -> int | None:
    """Ask about how many records there are; None while that is no number. `folded`: among what few people change."""
    help = "A round number from public knowledge: the true number stays private."
    with st.expander("Advanced", type="compact") if folded else st.container():
        typed = fields.text_input("shape_size", label=f"About how many {many}", help=help)
    return whole_number(typed.replace(",", ""), MOST_STUDIED)


def choose_options(mechanism: str) -> bool:
    """Draw a form made from the mechanism's OPTIONS, and return whether none of them has a value of no use.

    What is left empty is chosen by the mechanism.
    """
    if offered := MECHANISMS[mechanism].OPTIONS:
        needed = any(option.needed for option in offered) or st.session_state.get(_OPENED) == mechanism
        with st.expander("Advanced", type="compact", expanded=needed):
            for option in offered:
                name = f"{mechanism}.{option.name}"
                if option.kind in table.CHOSEN:
                    fields.segmented_control(name, help=option.help)
                else:
                    hint = "needed" if option.needed else "automatic"
                    usual = hint if option.default is None else str(option.default)
                    fields.text_input(name, help=option.help, placeholder=usual)
    typed = said.chosen_options(mechanism)
    read = [
        understood(partial(checked_option, option, typed[name]))
        for option in offered
        if (name := f"{mechanism}.{option.name}") in typed
    ]
    return None not in read


def open_option(mechanism: str, name: str) -> None:
    """Let the next run open the mechanism's options, with the cursor in the field of one."""
    st.session_state[_OPENED] = mechanism
    screen.seek(key(f"{mechanism}.{name}"))


def choice_in_words(best: Choice, one: str, many: str, *, with_error: bool = True) -> str:
    """Return the choice behind BEST as a sentence, from public facts alone.

    `with_error`: whether the sentence has the expected errors; not where a forecast or a picture shows them.
    """
    label, why, n = MECHANISMS[best.run.plan.mechanism].LABEL, " ".join(best.why.values()), best.n
    sentences = [f"Suggested: {escape(label)}. {escape(why)}"]
    if n is not None and with_error:
        error = work.know(expected_error, best.run, n)
        if error is not None:
            sentences.append(f"Estimated error: {expected_in_words(error, one, many)} of {n:,} (a guess).")
    return f"{' '.join(sentences)} This suggestion does not use your data."


def explain_mechanisms(
    availability: counts.Availability | None,
    best: Choice | None,
    data: DataSet | None,
    *,
    better: str,
    with_error: bool,
) -> None:
    """Say what was chosen, why it is not available for the plan, and what every mechanism does when asked for.

    `better`: which mechanism would be chosen now, where another one is held.
    """
    if best is not None and better:
        held, other = (escape(MECHANISMS[name].LABEL) for name in (best.run.plan.mechanism, better))
        st.caption(
            f":material/swap_horiz: **Choose for me** now suggests {other}. The page keeps {held}, so that only your "
            "change moves the answers."
        )
        st.button(
            f"Take {other}", key=keys.widget("take_mechanism"), type="tertiary", on_click=state.let_go_of_mechanism
        )
    elif best is not None:
        one, many = (data.one, data.many) if data else ("record", "records")
        st.caption(choice_in_words(best, one, many, with_error=with_error))
    if availability and availability.reason:
        complain("Not available with these settings.")
    elif availability and availability.decided_by_press:
        st.caption(DECIDED_BY_PRESS)
    with st.container(horizontal=True, gap="small"):
        if st.button("Help me choose a mechanism", key=keys.widget("which"), icon=":material/help:", type="tertiary"):
            _mechanisms(availability, data)
        if best is not None:
            choose = partial(st.session_state.update, {key("mechanism"): best.run.plan.mechanism})
            st.button(
                "Choose by hand", key=keys.widget("by_hand"), icon=":material/tune:", type="tertiary", on_click=choose
            )


@st.dialog("Which mechanism?", width="medium")
def _mechanisms(availability: counts.Availability | None, data: DataSet | None) -> None:
    """Show all mechanisms side by side, in a dialog, so that they are checked only when the visitor opens it."""
    plan = availability.plan if availability else None
    st.caption("All of them keep the promise of the budget; they differ in how far the answers are from the truth.")
    for name, mechanism in MECHANISMS.items():
        with st.container(gap="xsmall"):
            chosen = " :blue-badge[chosen]" if name == (plan.mechanism if plan else text("mechanism")) else ""
            st.markdown(f"**{mechanism.LABEL}**{chosen}  \n{mechanism.SUMMARY}")
            if availability:
                chosen_one = name == availability.plan.mechanism
                other = replace(availability.plan, mechanism=name, options={})
                st.caption(_fit(availability if chosen_one else counts.judge(other, data)))
            with st.expander("Claim, source, and what differs from the paper", type="compact"):
                st.markdown(f"{escape(mechanism.CLAIM)}  \n:small[:gray[{escape(mechanism.REFERENCE)}]]")
                for paper, here, why in mechanism.NOTES:
                    rows = {"The paper says": paper, "Here": here, "Because": why}
                    lines = [f":gray[{word}] {escape(sentence)}" for word, sentence in rows.items()]
                    with st.container(border=True):
                        st.markdown(f":small[{lines[0]}]  \n:small[{lines[1]}]  \n:small[{lines[2]}]")


def _fit(availability: counts.Availability) -> str:
    if availability.reason:
        return f":material/block: Not with these settings: {escape(availability.reason)}"
    if availability.decided_by_press:
        return f":material/help: {DECIDED_BY_PRESS}"
    return ":material/check: Available with these settings."


def keep(best: Choice, data: PublicData) -> tuple[Choice, str]:
    """Return the choice with the mechanism that is held for these data; the best one where that is not available.

    Also returns the mechanism that the page would take now; empty where that is the same. Before there is an answer
    that could be compared nothing is held.
    """
    chosen = best.run.plan.mechanism
    mechanism = state.held_mechanism(data.identity) if state.outcome_of(data) is not None else chosen
    if mechanism in {None, "", chosen} or not serves(best.run, best.n, mechanism or chosen):
        state.hold_mechanism(data.identity, chosen)
        return best, ""
    state.hold_mechanism(data.identity, mechanism, instead_of=chosen)
    columns = {name: replace(each, mechanism=mechanism) for name, each in best.question.columns.items()}
    return replace(best, question=replace(best.question, columns=columns), why={}), chosen
