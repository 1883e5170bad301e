"""What Compare and Trade-off share: a study as it is requested, the button, the job, and its lines on the screen.

It also tells which differences between the runs of two mechanisms are real, and which are chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import hypot, nan, sqrt
from typing import Any, cast

import streamlit as st

from dpq_core.advice.simulation import BOUNDS_WHILE_UNKNOWN
from dpq_core.domain.domain import Domain
from dpq_core.domain.finding import FindBounds
from dpq_core.jobs.children import Steps
from dpq_core.mechanisms.registry import MECHANISMS
from dpq_core.plan import Intervals, OptionValue
from dpq_core.privacy.budgets import Adjacency, Privacy
from dpq_core.release import now
from dpq_core.results.data_set import DataSet, PublicData
from dpq_core.results.wording import DisplayText, count_in_words
from dpq_core.studies.engine import Row
from dpq_core.studies.grid import Grid

from .. import keys
from ..form.inputs import Inputs, why_incomplete
from ..form.plan import choose_count
from ..frame import fields, links, pieces, state, waiting
from ..frame.header import escape, option_label, sentence_of, term
from ..frame.state import Mode
from ..settings import options, said, table
from .subjects import SHAPE, Subject, subject_of

NOT_TOUCHED = ":blue-badge[:material/lock: Your data is not used: a public shape takes its place]"
SHAPE_INSTEAD = (
    "A study sets answers beside the truth, so a private column is never studied. A public shape of the same size and "
    "bounds is studied in its place. To study a column, {}."
)
"""With what to do for that."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StudyRequest:
    """What a study is to compute. `grid` has seed 0 until the study is started."""

    subject: Subject
    grid: Grid
    extra: tuple[Any, ...] = ()
    """What else decides the answer."""
    first: bool = False
    """Whether it is the small study that a page opens with."""
    made: str = ""
    """When it was started: UTC, to the second."""
    said_of: str = ""
    """The column that the bounds are for: those of a public shape are forgotten with it."""
    whole: Grid | None = None
    """What the page asked when the study was started; a first study is a part of it."""

    def same_as(self, now: StudyRequest) -> bool:
        """Return whether the page still asks what this study was started for, in every setting and in every word."""
        return (self.subject.says, self.extra, self.whole) == (now.subject.says, now.extra, now.grid)


def choose_records(inputs: Inputs) -> int | None:
    """Ask how many records the public shape has where the true number is private; None while that is no number."""
    data = inputs.brought
    if data is not None and data.public_count is not None:
        return data.public_count
    return choose_count(data.many if data else "records")


def choose_trials() -> int:
    """Ask how many simulated runs each number rests on."""
    return int(
        fields.segmented_control("trials", table.TRIALS, lambda runs: f"{int(runs):,}", help=term("simulated runs"))
    )


Options = Mapping[str, Mapping[str, OptionValue]]
"""Of mechanisms, by their names."""


def choose_options() -> Options:
    """Show the options that were chosen by hand, with a button that lets go of them, and return those that are left."""
    found: dict[str, dict[str, OptionValue]] = {}
    words: dict[str, list[str]] = {}
    for name, typed in options.of_page(links.page(), "").items():
        mechanism, option = name.partition(".")[0], options.option_of(name)
        assert option is not None, "it fits its option"
        found.setdefault(mechanism, {})[option.name] = options.checked_option(option, typed)
        words.setdefault(MECHANISMS[mechanism].LABEL, []).append(f"{option_label(option.name).lower()} {typed}")
    if found:
        said = "; ".join(f"{label}: {', '.join(each)}" for label, each in words.items())
        st.caption(f":material/tune: Chosen by hand: {escape(said)}.")
        st.button("Use the usual settings", key=keys.widget("usual_options"), type="tertiary", on_click=options.clear)
    return found


@dataclass(frozen=True, kw_only=True, eq=False)
class Setup:
    """What a study of several mechanisms is made from, once all of it is there."""

    data: DataSet | None
    bounds: Domain | FindBounds
    levels: tuple[Fraction, ...]
    privacy: Privacy
    adjacency: Adjacency
    records: int
    """Of the public shape."""
    trials: int
    intervals: Intervals | None = None

    @property
    def subject(self) -> Subject:
        """The records that it runs on."""
        return subject_of(self.data, self.domain, self.records)

    @property
    def domain(self) -> Domain:
        """Between what a public shape lies, and where the column's values are clipped if its bounds are known."""
        if isinstance(self.bounds, Domain):
            return self.bounds
        return self.bounds.widest if isinstance(self.data, PublicData) else BOUNDS_WHILE_UNKNOWN

    def grid(self, subject: Subject, **changes: Any) -> Grid:
        """Return the grid of this one setting; `changes` take the place of parts of it. Raises ParameterError."""
        settled: dict[str, Any] = {
            "budgets": [self.privacy],
            "quantiles": [self.levels],
            "data": [subject.data],
            "n": [subject.n],
            "domains": [subject.domain],
            "adjacencies": [self.adjacency],
            "trials": self.trials,
            **(self.data.person.settings if self.data and self.data.person else {}),
            "intervals": self.intervals,
            "find_bounds": self.bounds if isinstance(self.bounds, FindBounds) else None,
        }
        return Grid(**settled | changes)


def setup(inputs: Inputs, records: int | None, trials: int) -> Setup | None:
    """Return what the controls give, if all of it is there. A public shape is studied without a column as well."""
    bounds, levels, privacy = inputs.bounds, inputs.levels, inputs.privacy
    if bounds is None or levels is None or privacy is None or records is None:
        return None
    if inputs.brought is not None and inputs.data is None:
        return None
    return Setup(
        data=inputs.data, bounds=bounds, levels=levels, privacy=privacy, adjacency=inputs.adjacency,
        records=records, trials=trials, intervals=inputs.intervals,
    )  # fmt: skip


def button(label: str, key: str, inputs: Inputs, request: StudyRequest | None) -> bool:
    """Draw the primary button, and return whether it was pressed."""
    return pieces.primary_button(label, key, ":material/query_stats:", why_incomplete(inputs.domain, request))


def reason_of(result: Row) -> str:
    """Return why a mechanism could not serve, in the words of the screen; empty where it did."""
    return sentence_of(result.refused) if result.refused else result.why_not


def headline(inputs: Inputs) -> str:
    """Return the line under the question."""
    badge = pieces.NOT_PRIVATE if inputs.mode is Mode.EXPLORE else NOT_TOUCHED
    return pieces.headline(inputs.brought, inputs.adjacency, badge)


def start(name: str, request: StudyRequest, steps: Steps, expected: float) -> None:
    """Start a study, and keep its request without the column itself."""
    links.forget_notes()
    started = replace(request, subject=replace(request.subject, given=None), made=now(), said_of=said.present())
    st.session_state[_key(name)] = started
    waiting.start(name, steps, request.grid, request.subject.given, expected=expected)


def kept(name: str) -> StudyRequest | None:
    """Return the request of the last study of this name."""
    return cast(StudyRequest | None, st.session_state.get(_key(name)))


def is_first(name: str, data: DataSet | None) -> bool:
    """Return whether nothing was studied yet and the data is an example: the page then opens with a small study."""
    return data is not None and data.is_example and kept(name) is None


def seeded(request: StudyRequest, seed: int, **changes: Any) -> StudyRequest:
    """Return the same study with a seed of its own, and other changes of its grid."""
    grid = Grid.from_dict(request.grid.as_dict() | {"seed": seed} | changes)
    return replace(request, grid=grid, whole=request.grid)


def show(
    name: str,
    now: StudyRequest | None,
    inputs: Inputs,
    doing: str,
    verb: str,
    draw: Callable[[StudyRequest, list[Any]], object],
) -> None:
    """Show the last study that may be shown with this data, even unfinished, or say that there is none yet."""
    request, data, mode = kept(name), inputs.brought, inputs.mode
    private = request is not None and not request.subject.public
    if request and private and (mode is Mode.RELEASE or data is None or request.subject.identity != data.identity):
        _forget(name)  # of another column, or of one that is not declared public any more
        request = None
    if request and request.subject.identity == SHAPE and request.said_of != said.present():
        _forget(name)  # a public shape between the bounds of another column
        request = None
    if mode is Mode.RELEASE:
        st.info(SHAPE_INSTEAD.format(state.to_explore()), icon=":material/lock:")
    if request is None:
        pieces.nothing_yet(Mode.EXPLORE, verb, now is not None)
        return
    changed = "" if now is not None and request.same_as(now) else f"Settings changed: press {verb}"
    with pieces.result(name):
        result_line(request, changed)
        waiting.show(name, doing, lambda parts: draw(request, parts))


def result_line(request: StudyRequest, changed: str) -> None:
    """Say what a study is of, and whether settings have changed since."""
    grid, size = request.grid, len(request.grid.quantiles[0])
    parts = ["Study, not a release", escape(request.subject.about)]
    if len(grid.budgets) == 1:
        parts.append(str(grid.budgets[0]))
    if len(grid.quantiles) == 1:
        parts.append(count_in_words(size, "quantile"))
    parts.append(escape(grid.adjacencies[0].of(request.subject.protected)))
    parts.append(f"{grid.trials} simulated runs for each")
    st.markdown(f":gray[{' · '.join([*parts, f'seed {grid.seed}'])}]{pieces.changed_badge(changed)}")


def runs_failed(row: Row) -> DisplayText:
    """Return how many runs of a study failed, as a cell of a table: `23 of 1,000`."""
    return (
        DisplayText(row.failed / row.trials, f"{row.failed:,} of {row.trials:,}")
        if row.supported
        else DisplayText(nan, "–")
    )


def finished(name: str) -> bool:
    """Return whether the study has come to its end."""
    job = waiting.job_of(name)
    return job is not None and job.finished


def _forget(name: str) -> None:
    """End a study and drop what it found."""
    waiting.forget(name)
    del st.session_state[_key(name)]


def _key(name: str) -> str:
    return keys.state("study", name)


TELLS = 2
"""A difference of this many standard errors is not chance."""


def clearly_worse(row: Row, best: Row, error: str = "mean_error") -> bool:
    """Return whether the means of an error differ by more than twice the standard error of their difference."""
    difference = float(getattr(row, error) - getattr(best, error))
    return difference > TELLS * hypot(getattr(row, f"{error}_se"), getattr(best, f"{error}_se"))


def fails_otherwise(row: Row, best: Row) -> bool:
    """Return whether one of the two fails and the other never does, or clearly less often."""
    shares = [each.failed / each.trials for each in (row, best)]
    spread = sqrt(sum(share * (1 - share) / each.trials for share, each in zip(shares, (row, best), strict=True)))
    return (0 in shares and max(shares) > 0) or abs(shares[0] - shares[1]) > TELLS * spread
