"""What Compare and Trade-off share: what was asked, the button, the job, and its lines on the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import nan
from typing import Any, cast

import streamlit as st

from ...domain import Domain
from ...jobs.processes import Steps
from ...mechanisms import MECHANISMS
from ...plan import OptionValue
from ...privacy import Adjacency, Privacy
from ...results import DataSet, Shown, outcomes
from ...studies import Grid, Row, TriedBudget
from ..budget import public_count
from ..settings import LONGEST_LINE, MOST_STUDIED, OPTION, PREFIX, TRIALS, key, option_value, said, table, text
from ..shell import Mode, escape, links, pieces, sentence_of, state, term, waiting, whole_number
from .subjects import SHAPE, Subject, subject_of

NOT_TOUCHED = ":blue-badge[:material/lock: Your data is not used: a public shape takes its place]"
SHAPE_INSTEAD = (
    "A study sets answers beside the truth, so a private column is never studied. A public shape of the same size and "
    "bounds is studied in its place. To study a column, {}."
)
"""With what to do for that."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Asked:
    """What a study was asked. `grid` has seed 0 until the study is started."""

    subject: Subject
    grid: Grid
    extra: tuple[Any, ...] = ()
    """What else decides the answer."""
    searched: bool = False
    """Whether budgets are searched: then the budget of the grid names a kind only, and runs are as many as it takes."""
    first: bool = False
    """Whether it is the small study that a page opens with."""
    made: str = ""
    """When it was started: UTC, to the second."""
    said_of: str = ""
    """The column that the bounds were said of: those of a public shape are forgotten with it."""
    whole: Grid | None = None
    """What the page asked when the study was started; a first study is a part of it."""

    def same_as(self, now: Asked) -> bool:
        """Whether the page still asks what this study was started for, in every setting and in every word."""
        return (self.subject.says, self.extra, self.whole) == (now.subject.says, now.extra, now.grid)


def choose_records(data: DataSet | None, mode: Mode) -> int | None:
    """How many records the public shape has: asked where the true number is private. None while that is no number."""
    if mode is Mode.EXPLORE:
        return 0
    count = public_count(data, mode)
    if count is not None:
        return count
    many = data.many if data else "records"
    st.text_input(
        f"About how many {many}", key=key("shape_size"), persist_state="session", max_chars=LONGEST_LINE,
        help="A round number from public knowledge: the true number stays private.",
    )  # fmt: skip
    return whole_number(text("shape_size").replace(",", ""), MOST_STUDIED)


def choose_trials() -> int:
    """How many simulated runs each number rests on."""
    st.segmented_control(
        "Simulated runs", TRIALS, key=key("trials"), required=True, help=term("simulated runs"), persist_state="session"
    )
    return int(text("trials"))


def tuned() -> dict[str, dict[str, OptionValue]]:
    """Options of each mechanism that were chosen in this session, on whichever page; useless ones are left out."""
    found: dict[str, dict[str, OptionValue]] = {}
    for name, mechanism in MECHANISMS.items():
        for option in mechanism.OPTIONS:
            typed = st.session_state.get(key(f"{OPTION}_{name}.{option.name}"))
            if typed is None or str(typed) in {"", str(option.default)}:
                continue
            if table.option_fits(f"{name}.{option.name}", str(typed)):
                found.setdefault(name, {})[option.name] = option_value(option.kind, str(typed))
    return found


@dataclass(frozen=True, kw_only=True, eq=False)
class Setup:
    """What a study of several mechanisms is made from, once all of it is there."""

    data: DataSet | None
    domain: Domain
    levels: tuple[Fraction, ...]
    privacy: Privacy
    adjacency: Adjacency
    mode: Mode
    records: int
    """Of the public shape."""
    trials: int

    @property
    def subject(self) -> Subject:
        """What it runs on."""
        return subject_of(self.data, self.domain, self.mode, self.records)

    def grid(self, subject: Subject, **changes: Any) -> Grid:
        """All mechanisms at this one setting; `changes` take the place of parts of it. Raises ParameterError."""
        settled: dict[str, Any] = {
            "budgets": [self.privacy],
            "quantiles": [self.levels],
            "data": [subject.data],
            "n": [subject.n],
            "domains": [subject.domain],
            "adjacencies": [self.adjacency],
            "trials": self.trials,
        }
        return Grid(**settled | changes)


def setup(
    data: DataSet | None, counted: DataSet | None, domain: Domain | None, levels: tuple[Fraction, ...] | None,
    privacy: Privacy | None, adjacency: Adjacency, mode: Mode, records: int | None, trials: int,
) -> Setup | None:  # fmt: skip
    """The choices of a form, if every one is there. A column is not needed where a public shape is studied."""
    if domain is None or levels is None or privacy is None or records is None or (data is not None and counted is None):
        return None
    return Setup(
        data=counted, domain=domain, levels=levels, privacy=privacy, adjacency=adjacency, mode=mode, records=records,
        trials=trials,
    )  # fmt: skip


def why_not(domain: Domain | None, asked: Asked | None) -> str:
    """Why the button cannot be pressed; empty where it can."""
    if domain is None:
        return "Say first what the column could be: the bounds above are missing or wrong."
    return "" if asked else "A setting above needs another value first."


def reason_of(result: Row | TriedBudget) -> str:
    """Return why a mechanism could not serve, in the words of the screen; empty where it did."""
    return sentence_of(result.refused) if result.refused else result.why_not


def button(label: str, name: str, reason: str) -> bool:
    """The one primary button; while it is disabled the line under it says why."""
    return pieces.primary_button(label, name, ":material/query_stats:", reason)


def headline(data: DataSet | None, mode: Mode) -> str:
    """The line under the question: what is chosen now, which a study below need not be of, and what may be shown."""
    badge = pieces.NOT_PRIVATE if mode is Mode.EXPLORE else NOT_TOUCHED
    one = data.one if data else "record"
    hides = Adjacency(text("adjacency")).of(one)
    about = f"{escape(data.about)} · " if data else ""
    return f":gray[{pieces.CHOSEN} {about}{hides}] {badge}"


def start(name: str, asked: Asked, steps: Steps, expected: float, arguments: Iterable[Any] | None = None) -> None:
    """Begin a study and keep what it was asked, without the column itself."""
    what = [asked.grid] if arguments is None else list(arguments)
    links.forget_notes()
    started = replace(asked, subject=replace(asked.subject, given=None), made=outcomes.now(), said_of=said.present())
    st.session_state[_key(name)] = started
    waiting.start(name, steps, *what, asked.subject.given, expected=expected)


def kept(name: str) -> Asked | None:
    """What the last study of this name was asked."""
    return cast(Asked | None, st.session_state.get(_key(name)))


def is_first(name: str, data: DataSet | None) -> bool:
    """Whether nothing was studied yet and the data is an example: the page then opens with a small study."""
    return data is not None and data.is_example and kept(name) is None


def seeded(asked: Asked, seed: int, **changes: Any) -> Asked:
    """The same study with a seed of its own, and other changes of its grid."""
    grid = Grid.from_dict(asked.grid.as_dict() | {"seed": seed} | changes)
    return replace(asked, grid=grid, whole=asked.grid)


def show(
    name: str, now: Asked | None, data: DataSet | None, mode: Mode, doing: str, verb: str,
    draw: Callable[[Asked, list[Any]], object],
) -> None:  # fmt: skip
    """The last study that may stand beside this data, as far as it is, or a word that there is none yet."""
    asked = kept(name)
    private = asked is not None and not asked.subject.public
    if asked and private and (mode is Mode.RELEASE or data is None or asked.subject.identity != data.identity):
        _forget(name)  # of another column, or of one that is not declared public any more
        asked = None
    if asked and asked.subject.identity == SHAPE and asked.said_of != said.present():
        _forget(name)  # a public shape between the bounds of another column
        asked = None
    if mode is Mode.RELEASE:
        st.info(SHAPE_INSTEAD.format(state.to_explore()), icon=":material/lock:")
    if asked is None:
        pieces.nothing_yet("Simulate", verb, now is not None, "")
        return
    changed = "" if now is not None and asked.same_as(now) else f"Settings changed: press {verb}"
    with pieces.result(name):
        result_line(asked, changed)
        waiting.show(name, doing, lambda parts: draw(asked, parts))


def result_line(asked: Asked, changed: str) -> None:
    """What this is, of which records, and whether settings have changed since."""
    grid, size = asked.grid, len(asked.grid.quantiles[0])
    parts = ["Study, not a release", escape(asked.subject.about)]
    if len(grid.budgets) == 1 and not asked.searched:
        parts.append(str(grid.budgets[0]))
    if len(grid.quantiles) == 1:
        parts.append(f"{size} quantile{'' if size == 1 else 's'}")
    parts.append(escape(grid.adjacencies[0].of(asked.subject.one)))
    if not asked.searched:
        parts.append(f"{grid.trials} simulated runs for each")
    st.markdown(f":gray[{' · '.join([*parts, f'seed {grid.seed}'])}]{pieces.changed_badge(changed)}")


def runs_failed(row: Row) -> Shown:
    """Return how many runs of a study failed, as a cell of a table: `23 of 1,000`."""
    return Shown(row.failed / row.trials, f"{row.failed:,} of {row.trials:,}") if row.supported else Shown(nan, "–")


def finished(name: str) -> bool:
    """Whether the study has come to its end."""
    job = waiting.job_of(name)
    return job is not None and job.finished


def _forget(name: str) -> None:
    """End a study and let go of what it found."""
    waiting.cancel(name)
    job = waiting.job_of(name)
    if job is not None:
        job.parts.clear()
    del st.session_state[_key(name)]


def _key(name: str) -> str:
    return f"{PREFIX}:{name}:asked"
