"""The one way in which a page shows an answer: a simulation or a release, of one column, of groups, of several.

It is drawn from the answer's own record; on a projector one figure at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.report.facts import Report
from dpq_core.report.html import as_html
from dpq_core.report.sentences import MEAN_RANK_ERROR, compares
from dpq_core.results import exports
from dpq_core.results.answers import Answers, middle_of
from dpq_core.results.kinds import Answered, Released, Simulated
from dpq_core.results.simulated import usual_error
from dpq_core.results.wording import count_in_words, error_in_words, spoken_level

from .. import keys
from ..form.table import LONGEST_WORD
from ..server import downloads
from ..shell import links, pieces, screen
from ..shell.header import escape, term
from . import figures
from .figures import table
from .sentences import beneath, headline, reading_help

OF_SIMULATION = ("True and private", "Rank errors", "Many runs", "Numbers")
OF_RELEASE = ("Private answers", "Numbers")
MOST_ROWS = 20
"""Of the numbers on a projector: more cannot be read from the last row of a room."""
_AT = keys.state("presented_figure")


def present(outcome: Simulated | Released, changed: str) -> None:
    """Show on a projector what is due of an outcome."""
    names = _names_of(outcome)
    at = _at(names)
    st.header(f"{escape(headline(outcome))}{pieces.changed_badge(changed)}", anchor=False)
    if names[at] == "Numbers":
        st.markdown(_key_numbers(outcome))
        return
    if simulated := isinstance(outcome, Simulated):
        figure, alt = figures.of_simulation(outcome, figures.scale_of(outcome))[at]
    else:
        figure, alt = figures.of_sheet(outcome, [])[at]
    place = st.container(key=keys.widget("stage")).container(height="stretch")  # as high as the screen allows
    pieces.draw(place, screen.enlarged(figure), f"presented_{at}", alt, fills=True, simulated=simulated)


def _names_of(outcome: Simulated | Released | None) -> Sequence[str]:
    """Return what can be shown of an outcome, in its order; nothing without one."""
    if outcome is None:
        return ()
    names = OF_SIMULATION if isinstance(outcome, Simulated) else OF_RELEASE
    return names if len(outcome.only.values) <= MOST_ROWS else names[:-1]


def turn(outcome: Simulated | Released | None) -> None:
    """Draw the line below what is presented, from which the next figure is a press away."""
    names = _names_of(outcome)
    at, last = _at(names), len(names) - 1
    labels = names[at - 1] if at > 0 else "Back", names[at + 1] if at < last else "Next"
    screen.turns(at, last, partial(st.session_state.__setitem__, _AT), labels)


def _at(names: Sequence[str]) -> int:
    return min(int(st.session_state.get(_AT, 0)), max(len(names) - 1, 0))


def _key_numbers(outcome: Simulated | Released) -> str:
    """Return the answers as a table of the page's own size of text."""
    number, levels = outcome.wording.value, outcome.plan.quantiles
    own, words = outcome.only, outcome.wording
    true, errors = own.true_values, own.errors
    heads = ["quantile", *(["true"] if true else []), "private", *(["off by"] if errors else [])]
    rows = [
        [
            spoken_level(levels[at]),
            *([number(true[at])] if true else []),
            number(own.values[at]),
            *([error_in_words(abs(errors[at]), words.one, words.many)] if errors else []),
        ]
        for at in figures.by_level(outcome)
    ]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *([escape(each) for each in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


MOST_COLUMNS, MOST_COLUMNS_OF_GROUPS, MOST_GROUPS = 20, 6, 40
"""In view; a search finds other groups, and the table has all."""
ORDERS = ("By answer", "By name")
CLOUD = pieces.figure_key("cloud")
SPENT_HELP = "The budget that a release with these settings spends. A simulation of public data spends nothing."
TOTAL_HELP = "All releases of this data set by now, by whomever and whenever. The page Releases shows how they add up."
_DETAILS, _SHOWN, _CHOSEN = keys.state("details"), keys.state("scale"), keys.state("cloud", "chosen")


def show(outcome: Answered, changed: str, spent: str = "", details: DeltaGenerator | None = None) -> None:
    """Show an outcome: headline, figure, a sentence of help, table, files.

    `changed`: that settings have changed since, empty where none has; `spent`: what all releases of its data set have
    cost by now; `details`: where everything goes that is not seen at a glance, beside a picture that stays in view.
    """
    assert isinstance(outcome, Simulated | Released), "simulated or released"
    if screen.is_presented() and outcome.alone:
        present(outcome, changed)
        return
    with pieces.result("answer"):
        if isinstance(outcome, Simulated) and outcome.alone:
            _picture(outcome, changed, details)
        else:
            _sheet(outcome, changed, spent)


def show_folded(outcome: Simulated | Released, spent: str = "") -> None:
    """Show an outcome folded, under why what is asked now has none."""
    kind = "release" if isinstance(outcome, Released) else "simulation"
    label = f"{escape(MECHANISMS[outcome.plan.mechanism].LABEL)}, {outcome.plan.privacy}"
    with st.expander(f"The {kind} before: {label}", icon=":material/history:"):
        show(outcome, "", spent)


def _sheet(outcome: Simulated | Released, changed: str, spent: str) -> None:
    """Show an outcome from top to bottom; its figure is drawn last, because it takes longest to load."""
    _facts(outcome, changed)
    _headline(outcome, "")
    if more := beneath(outcome):
        st.markdown(escape(more))
    _metrics(outcome, spent)
    shown = _in_view(outcome)
    place = st.container()
    pieces.notes(outcome.notes)
    st.caption(reading_help(outcome))
    _numbers(outcome)
    _files(outcome, partial(figures.of_sheet, outcome, shown))
    if outcome.alone:
        screen.offer_to_present("its figures")
    if any(shown):
        ((figure, alt),) = figures.of_sheet(outcome, shown)
        pieces.draw(place, figure, "answer", alt, simulated=isinstance(outcome, Simulated))


def _picture(outcome: Simulated, changed: str, details: DeltaGenerator | None) -> None:
    """Show a simulated column as a picture that is seen at a glance, and all else below it or in `details`."""
    _headline(outcome, changed)
    with st.container(key=keys.widget("small_print")):
        st.caption(f"Mean over {outcome.draws:,} simulated runs. The picture shows one of them.")
    places, scale = screen.figures(), _scale(outcome)
    pieces.notes(outcome.notes)
    with st.container(key=keys.widget("key_numbers")):
        _metrics(outcome, "")
    screen.offer_to_present("its figures")
    with nullcontext() if details is None else details, pieces.result("details"):
        _facts(outcome, "")
        st.caption(reading_help(outcome))
        many, numbers = st.tabs(["A cloud of runs", "Numbers"], key=_DETAILS, on_change="rerun")
        with numbers:
            _numbers(outcome)
        _files(outcome, partial(figures.of_simulation, outcome, scale))
    names = ("distribution", "errors")
    for place, name, (figure, alt) in zip(places, names, figures.of_picture(outcome, scale), strict=True):
        pieces.draw(place, figure, name, alt, fills=True)
    if many.open and outcome.only.values:  # a closed tab costs no time
        with many:
            _cloud(outcome, current=not changed)


def _scale(outcome: Simulated) -> figures.Scale:
    """Return the scales of a picture; that of errors keeps still from answer to answer as long as all is on it."""
    asked = outcome.question
    picture = outcome.identity, dict(asked.missing), asked.persons, dict(asked.possible), outcome.wording.axis
    before, reach = st.session_state.get(_SHOWN, (None, None))
    scale = figures.scale_of(outcome, reach if before == picture else None)
    st.session_state[_SHOWN] = picture, scale[1]
    return scale


def _facts(outcome: Answered, changed: str) -> None:
    """Say what an outcome is of, how and at which budget it was made, what counts of a person, and what is unusual."""
    pieces.result_line(outcome, changed, of=outcome.about if outcome.of_table else "")
    if rule := outcome.release.description.rule:
        st.caption(f":material/group: {escape(rule[:1].upper() + rule[1:])}.")
    for warning in outcome.release.warnings:
        st.warning(escape(warning), icon=":material/warning:")


def _headline(outcome: Answered, changed: str) -> None:
    if said := headline(outcome):
        st.header(f"{escape(said)}{pieces.changed_badge(changed)}", anchor=False)


def _metrics(outcome: Answered, spent: str) -> None:
    found: dict[str, tuple[str, str | None]] = {}
    if outcome.of_table:
        found["Columns"] = f"{len(outcome.question.columns):,}", None
    if outcome.groups is not None:
        found["Groups"] = f"{len({answer.group for answer in outcome.answers}):,}", None
    if isinstance(outcome, Simulated):
        error = error_in_words(usual_error(outcome), outcome.one, outcome.many)
        found[MEAN_RANK_ERROR.capitalize()] = error, term(MEAN_RANK_ERROR)
    if outcome.alone and (own := outcome.only).values:
        if own.errors:
            farthest = error_in_words(max(map(abs, own.errors)), outcome.one, outcome.many)
            found["Farthest answer of this run"] = farthest, term("rank error")
        at = middle_of(own.plan.quantiles)
        found[f"Private {spoken_level(own.plan.quantiles[at])}"] = own.wording.value(own.values[at]), None
    with st.container(horizontal=True, gap="medium"):
        for label, (value, said) in found.items():
            st.metric(label, value, help=said, width="stretch")
        price = exports.price(outcome)
        if isinstance(outcome, Released):
            st.metric("Spent by this release", price, help=term("release"), width="stretch")
            st.metric("Spent of the budget by now", spent, help=TOTAL_HELP, width="stretch")
        else:
            st.metric("Budget a real release would spend", price, help=SPENT_HELP, width="stretch")


def _in_view(outcome: Answered) -> list[list[Answers]]:
    """Return the answers of each column that are drawn, in the order that is asked for; of many groups some."""
    found, grouped = outcome.by_column, outcome.groups is not None
    shown = found[: MOST_COLUMNS_OF_GROUPS if grouped else MOST_COLUMNS]
    if len(shown) < len(found):
        st.caption(f"Only in the table: {count_in_words(len(found) - len(shown), 'more column')}.")
    if not grouped or not found:
        return shown
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        key = keys.widget("groups_order", outcome.made)
        order = st.segmented_control("Order", ORDERS, default=ORDERS[0], key=key, required=True)
        sought = ""
        if max(map(len, found)) > MOST_GROUPS:
            place = keys.widget("groups_sought", outcome.made)
            sought = st.text_input("Find a group", key=place, width=180, max_chars=LONGEST_WORD)
    by = figures.by_answer if order == ORDERS[0] else figures.by_name
    kept = [[each for each in by(own) if sought.casefold().strip() in each.group.casefold()] for own in shown]
    many = max(map(len, kept))
    if many == 0:
        st.caption("No group has such a name.")
    elif many > MOST_GROUPS:
        st.caption(f"{MOST_GROUPS} of {many:,} groups in view.")
    return [own[:MOST_GROUPS] for own in kept]


def _numbers(outcome: Answered) -> None:
    """Show all answers as a table, and how sure their intervals are."""
    about = f"Quantiles of every {'group' if outcome.groups else 'column'}"
    pieces.table(table(outcome), about, left=1 + outcome.of_table)
    held = f" Held: in how many of {outcome.draws:,} simulated runs." if isinstance(outcome, Simulated) else ""
    for basis in dict.fromkeys(filter(None, (answer.cells.basis for answer in outcome.answers))):
        sure = escape(" ".join(basis.told_of(outcome.many)))
        st.caption(f":material/arrow_range: {sure}{held if outcome.alone else ''}")


def _files(outcome: Answered, drawn: Callable[[], figures.Figures]) -> None:
    """Offer the files of an outcome, `drawn`: with its pictures, and the report on a release."""
    title, files = headline(outcome) or outcome.wording.name, exports.files_of(outcome)
    files["Figure"] = lambda: pieces.page_of_figures(outcome, title, [figure for figure, _ in drawn()])
    if isinstance(outcome, Simulated):
        files["Report"] = lambda: as_html(Report.of_simulation(outcome))
    name, data = exports.kind_of_file(outcome), exports.data_set_of(outcome)
    downloads.show(files, name, "plan.json", of=data, day=outcome.made)
    if isinstance(outcome, Released):
        differ = outcome.groups is not None and compares(outcome.plan.intervals)
        more = "which says which groups clearly differ" if differ else "for decision makers"
        pieces.page_link("releases", f"The report, {more}", {})


def _cloud(outcome: Simulated, *, current: bool) -> None:
    """Show many runs, of which each opens on the page Inside where it can be looked into.

    `current`: the settings of the page are still those of the outcome, which are what Inside begins with.
    """
    from dpq_core.figures.frame import CONFIG, shown
    from dpq_core.figures.quantiles import MOST_MARKED_QUANTILES

    few = len(outcome.plan.quantiles) <= MOST_MARKED_QUANTILES  # more are curves, in which no run can be pointed at
    known = outcome.only.cells.find_bounds is None
    persons = outcome.question.persons
    whole = known and outcome.plan.intervals is None and not (persons and persons.shares)
    opens = few and whole  # else Inside cannot show a run
    chosen = st.session_state.pop(_CHOSEN, None)
    if chosen and not current:
        st.toast("The settings have changed since: simulate these first, then look inside a run.")
    elif chosen:
        links.turn_to("inside", {"splits": "drawn"}, seed=outcome.seed, run_number=chosen)
    st.caption(
        f"{outcome.draws} runs with these settings: other answers you might have got. Not a release."
        f"{' Click one to look inside it.' if opens else ''}"
    )
    if not opens:
        pieces.draw(st.container(), figures.cloud(outcome), "cloud", figures.CLOUD)
        return
    figure = shown(figures.cloud(outcome))
    st.plotly_chart(figure, key=CLOUD, config=CONFIG, alt=figures.CLOUD, on_select=_clicked, selection_mode="points")
    st.button(
        "Look inside run 1", key=keys.widget("look_inside"), icon=":material/search:", type="tertiary",
        on_click=st.session_state.update, args=({_CHOSEN: 1},),
    )  # fmt: skip


def _clicked() -> None:
    points = st.session_state[CLOUD]["selection"]["points"]
    if numbers := [point["customdata"] for point in points if "customdata" in point]:
        st.session_state[_CHOSEN] = int(numbers[0][0] if isinstance(numbers[0], list) else numbers[0])
