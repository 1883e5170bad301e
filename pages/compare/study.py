"""A study as Compare and Trade-off ask for it: what it runs on, its grid, its job, and its line on the screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any, cast

import numpy as np
import streamlit as st

from dpq_core.advice.simulation import BOUNDS_WHILE_UNKNOWN
from dpq_core.arrays import Floats
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.errors import ParameterError
from dpq_core.jobs.children import Steps
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import BEST, OptionValue
from dpq_core.privacy.budgets import Adjacency, with_all_rows
from dpq_core.question import Asked, Persons, Question
from dpq_core.release import now
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.results.wording import count_in_words
from dpq_core.sources.examples import EXAMPLES
from dpq_core.studies.configuration import Method, expected_seconds
from dpq_core.studies.design import BREAK_IT, HardCase, StudyDesign
from dpq_core.studies.engine import Row
from dpq_core.studies.shapes import SHAPES, USUAL_SIZE, Given, Table
from dpq_core.typed import mechanism_of

from .. import keys
from ..form import said
from ..form.form import Form
from ..form.table import option_label
from ..shell import fields, links, pieces, state, waiting
from ..shell.header import complain, escape, sentence_of, term

MINE = "mine"
"""The name of a visitor's own column in a grid."""
SHAPE = "reference"
"""The public shape: evenly spread between the bounds."""


@dataclass(frozen=True)
class Subject:
    """The records of a study and the words for them. Only where `data` is MINE is anything of it private.

    Two are equal that are of the same data in the same words: the records themselves are not compared.
    """

    identity: str
    data: str
    """Its name in the grid."""
    n: int | None
    """For a grid: None for all of a column."""
    domain: Domain | None
    """None for the public bounds that belong to `data`."""
    count: int
    """Records. Public, or of data that may be explored."""
    about: str
    one: str = "record"
    many: str = "records"
    unit: str = ""
    person: Persons | None = None
    """What is taken of each person's rows; None where every record is of a different person."""
    one_person: str = ""
    missing: Fraction | None = None
    """What a missing value of the column counts as."""
    reading: str = ""
    """Python that reads a column that the grid cannot name, into `values`, from `file`."""
    file: str = ""
    given: Given | None = field(default=None, repr=False, compare=False)

    @property
    def protected(self) -> str:
        """What a promise covers: one record, or one person with all rows."""
        return with_all_rows(self.one_person) if self.one_person else self.one

    @property
    def public(self) -> bool:
        """Whether the grid alone is enough to make the same records again."""
        return self.data != MINE


def subject_of(data: DataSet | None, domain: Domain, records: int, case: HardCase | None = None) -> Subject:
    """Return the column in Explore; else a public shape of `records` records, or the one of a hard case."""
    words: dict[str, Any] = {"person": data.person, "one_person": data.one_person} if data else {}
    if case is not None:
        shape, size = SHAPES[case.changes["data"][0]], case.changes.get("n", [USUAL_SIZE])[0]
        own = case.changes.get("domains", [None])[0]
        about = f"{case.label}: {shape.label}, {size:,} made-up records"
        return Subject(f"trouble:{case.key}", shape.key, size, own and Domain.from_dict(own), size, about, **words)
    if data is not None:
        words |= {"one": data.one, "many": data.many}
    if not isinstance(data, PublicData):
        about = f"A public shape: {SHAPES[SHAPE].label.lower()}, {records:,} made-up records"
        return Subject(SHAPE, SHAPE, records, domain, records, about, **words)
    values, name = _whole(data), data.identity.removeprefix("example:")
    repeatable = data.is_example and name in EXAMPLES and values is data.values
    counted = f" · {data.person.in_words(data.one_person)}" if data.person else ""
    return Subject(
        data.identity, name if repeatable else MINE, None, domain,
        data.public_count if data.person else int(np.count_nonzero(~np.isnan(values))),
        f"{data.about}{counted}", **words, unit=data.unit, missing=data.missing,
        reading=data.reading.as_values, file=data.reading.file,
        given=None if repeatable else {MINE: values if data.people is None else Table(values, data.people)},
    )  # fmt: skip


def _whole(data: PublicData) -> Floats:
    """Return the column with what missing values count as, where they count: of a person without any valid row."""
    gone = np.isnan(data.values)
    if data.missing is None or not gone.any():
        return data.values
    if data.person is not None and data.people is not None and data.person.max_rows is None:
        codes = data.people.codes
        present = np.bincount(codes[~gone & (codes >= 0)], minlength=data.people.count) > 0
        gone &= (codes >= 0) & ~present[codes]
    return np.where(gone, float(data.missing), data.values)


PATIENCE = 5.0
"""Seconds that a page may take to open with its first study; a longer one runs beside it."""
NOT_TOUCHED = ":blue-badge[:material/lock: Your data is not used: a public shape takes its place]"
SHAPE_INSTEAD = (
    "A study shows answers beside the truth, so it never uses a private column. It uses a public shape of the same "
    "size between the same bounds. To study a column, choose an example."
)


Options = Mapping[str, Mapping[str, OptionValue]]
"""Of mechanisms, by their names."""


def choose_options() -> Options:
    """Show the options that were chosen by hand, with a button that lets go of them, and return those that are left."""
    found: dict[str, dict[str, OptionValue]] = {}
    words: dict[str, list[str]] = {}
    for name, typed in said.options_of(links.page(), "").items():
        mechanism, _, option = name.partition(".")
        found.setdefault(mechanism, {}).update(mechanism_of({"mechanism": mechanism, "options": {option: typed}})[1])
        words.setdefault(MECHANISMS[mechanism].LABEL, []).append(f"{option_label(option).lower()} {typed}")
    if found:
        chosen = "; ".join(f"{label}: {', '.join(each)}" for label, each in words.items())
        st.caption(f":material/tune: Chosen by hand: {escape(chosen)}.")
        st.button(
            "Use the usual settings", key=keys.widget("usual_options"), type="tertiary", on_click=said.clear_options
        )
    return found


def methods(count: int, adjacency: Adjacency, chosen: Options) -> list[Method]:
    """Return all mechanisms for a study of `count` records, with the options that were chosen for them.

    A bound on the number of people that a mechanism needs is the next power of ten, a public round number.
    """
    found = []
    for name, mechanism in MECHANISMS.items():
        own = dict(chosen.get(name, {}))
        if "n_max" in {option.name for option in mechanism.OPTIONS} and adjacency is Adjacency.ADD_REMOVE:
            own.setdefault("n_max", 10 ** len(str(max(count - 1, 0))) if count > 1 else 1)
        found.append(Method(name, own))
    return found


@dataclass(frozen=True, kw_only=True, eq=False)
class StudyRequest:
    """What a study is to compute. `grid` has seed 0 until the study is started."""

    subject: Subject
    grid: StudyDesign
    question: Question
    """The same for one release at the page's settings, with the mechanism left open."""
    extra: tuple[Any, ...] = ()
    """What else decides the answer."""
    first: bool = False
    """Whether it is the small study that a page opens with."""
    made: str = ""
    """When it was started: UTC, to the second."""
    said_of: str = ""
    """The column that the bounds are for: those of a public shape are forgotten with it."""
    whole: StudyDesign | None = None
    """What the page asked when the study was started; a first study is a part of it."""


Changes = Callable[[StudyRequest], dict[str, Any]]
"""Return the parts of a grid that take many values."""


def request_of(form: Form, *, trouble: str = "none") -> StudyRequest | None:
    """Draw the last controls, and return the study of every mechanism; None where it cannot be, and a word why."""
    trials = int(fields.segmented_control("trials", help=term("simulated runs")))
    chosen, data, bounds, privacy, records = choose_options(), form.data, form.bounds, form.privacy, form.count
    missing = form.table is not None and data is None
    if bounds is None or form.levels is None or privacy is None or records is None or missing:
        return None
    around, case = bounds, BREAK_IT.get(trouble)
    if isinstance(around, FindBounds):
        around = around.widest if isinstance(data, PublicData) else BOUNDS_WHILE_UNKNOWN
    try:
        subject = subject_of(data, around, records, case)
        grid = StudyDesign(
            mechanisms=methods(subject.count, form.adjacency, chosen), budgets=[privacy], quantiles=[form.levels],
            data=[subject.data], n=[subject.n], domains=[subject.domain], adjacencies=[form.adjacency], trials=trials,
            intervals=form.intervals, find_bounds=bounds if isinstance(bounds, FindBounds) else None,
            **(data.person.settings if data and data.person else {}),
        )  # fmt: skip
        grid = grid if case is None else case.applied(grid)
        asked = Asked(
            possible=grid.find_bounds or subject.domain or SHAPES[subject.data].domain, levels=grid.quantiles[0],
            mechanism=BEST, intervals=grid.intervals, about_n=max(subject.count, 1),
        )  # fmt: skip
        question = Question(columns={"column": asked}, budget=privacy, adjacency=form.adjacency, persons=subject.person)
    except ParameterError as error:
        complain(sentence_of(error))
        return None
    return StudyRequest(subject=subject, grid=grid, question=question)


def headline(form: Form) -> str:
    """Return the line under the question."""
    badge = NOT_TOUCHED if form.table is None else pieces.NOT_PRIVATE
    return pieces.headline(form.column, form.adjacency, badge)


def start(name: str, request: StudyRequest, seed: int, steps: Steps, expected: float, **changes: Any) -> None:
    """Start a study with a seed and some changes of its grid. Its request is kept without the column itself.

    The first one, with seed 0, is done in place where it is quick.
    """
    links.forget_notes()
    grid = StudyDesign.from_dict(request.grid.as_dict() | {"seed": seed} | changes)
    if seed == 0:
        expected = expected_seconds(grid.configurations(), request.subject.count)
        expected = 0.0 if expected < PATIENCE and grid.intervals is None else max(expected, PATIENCE)
    st.session_state[_key(name)] = replace(
        request, grid=grid, whole=request.grid, subject=replace(request.subject, given=None), first=seed == 0,
        made=now(), said_of=said.present(),
    )  # fmt: skip
    waiting.start(name, steps, grid, request.subject.given, expected=expected)


def show(
    name: str, now: StudyRequest | None, form: Form, doing: str, verb: str, run: Callable[[StudyRequest, int], None],
    draw: Callable[[StudyRequest, list[Row]], object], *, pressed: bool,
) -> None:  # fmt: skip
    """Show the last study that may be shown with this data, even unfinished, or say that there is none yet.

    `run`: starts a study with a seed: after a press, or with 0 the first one of an example.
    """
    data = form.column
    opens = data is not None and data.is_example and _key(name) not in st.session_state
    if now and (pressed or opens):
        run(now, state.next_seed() if pressed else 0)
    request = cast(StudyRequest | None, st.session_state.get(_key(name)))
    if request and not _may_stay(request, data):
        waiting.forget(name)
        del st.session_state[_key(name)]
        request = None
    if data is None:
        st.info(SHAPE_INSTEAD, icon=":material/lock:")
    if request is None:
        pieces.nothing_yet(verb, form.why_incomplete(now))
        return
    same = now is not None and (request.subject, request.extra, request.whole) == (now.subject, now.extra, now.grid)
    changed = "" if same else f"Settings changed: press {verb}"
    with pieces.result(name):
        _line(request, changed)
        waiting.show(name, doing, partial(draw, request))


def _may_stay(request: StudyRequest, data: DataSet | None) -> bool:
    """Return whether a study is not of another column, of its bounds, or of one that is no longer declared public."""
    subject = request.subject
    if subject.identity == SHAPE:
        return request.said_of == said.present()
    return subject.public or (data is not None and subject.identity == data.identity)


def _line(request: StudyRequest, changed: str) -> None:
    """Say what a study is of, and whether settings have changed since."""
    grid, size = request.grid, len(request.grid.quantiles[0])
    parts = ["Study, not a release", escape(request.subject.about)]
    parts += [str(grid.budgets[0])] if len(grid.budgets) == 1 else []
    parts += [count_in_words(size, "quantile")] if len(grid.quantiles) == 1 else []
    parts += [escape(grid.adjacencies[0].of(request.subject.protected))]
    parts += [f"{grid.trials:,} simulated runs for each", f"seed {grid.seed}"]
    st.markdown(f":gray[{' · '.join(parts)}]{pieces.changed_badge(changed)}")


def _key(name: str) -> str:
    return keys.state("study", name)
