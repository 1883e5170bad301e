"""Release, simulate and explain quantiles of a table, of one column or of groups, under one guarantee."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from . import schedule as schedules
from .advice.choice import with_best
from .asked_of import question_of
from .cluster.reading import is_spread
from .column import Column, Columns, Data
from .columns_plan import ColumnsPlan, Plans, Weights, synthetic_plan
from .errors import Name, ParameterError, PrivacyWarning
from .grouping import By
from .groups.names import GroupName, OneName
from .people.takes import USUAL_ROW, PerPerson
from .plan import AboutN, Intervals, Level, OptionValue, Plan
from .privacy.budgets import Adjacency, ProtectsAgainst, budget_of
from .privacy.composition import GroupsPerPerson
from .progress import Progress, told_to
from .question import Question
from .release import DATE, ColumnWords, Description, Release
from .schedule import columns_in, columns_plan, draw, schedule_of
from .sources.frames import is_frame, read_frame
from .study import Study, Trace
from .table import AskedColumns, Listed, Missing, Table, question_of_rows

if TYPE_CHECKING:  # it needs SQLAlchemy, which a release without an account does without
    from .ledger.accounts import Account


def release(
    data: Data | Table | Columns,
    plan: Plans,
    weights: Weights = None,
    *,
    account: Account | None = None,
    release_id: str | None = None,
    progress: bool | Progress = False,
) -> Release:
    """Return private quantiles, drawn now by the exact sampler. Every call spends the budget of `plan` again.

    Some mechanisms read a sketch in place of a column; the release's plan then states the sketch's own options. The
    cost does not grow with n once the column is made. A plan without quantiles draws no answers, and spends only on
    groups and bounds that are to be found. An empty column gives answers like any other. Time is not protected.

    For a column without bounds the release first finds the bounds with a share of the budget; its `domain` has the
    bounds found. If `about_n` is "noisy", the release first counts the records, in groups those of each group, with a
    share of the budget.

    For a column in groups the release answers every group, with one guarantee for the whole. If the plan asks for
    intervals, `about_n` is the approximate number of records of each group, one number for all or one for each group
    by its name, and the chance holds for each group alone.

    For a Table, or a mapping from names to columns, the release answers all columns under one guarantee, or none.
    `plan` then gives the budget of the whole. The `weights` divide it, or those of the plan, or else it is divided
    equally. A mapping of plans has one for each column.

    "best" becomes a mechanism for each column, by public facts: its possible values and its part of the budget.

    With an `account` the ledger charges the budget before anything is drawn. `release_id` names the request: the same
    request returns the stored answer and charges nothing; another request with this id is refused.

    `progress`: True for a line on standard error, or a function of the share of the columns that are answered.

    Each of the release's `warnings` is also issued as a PrivacyWarning. Raises ParameterError (also Infeasible),
    DataError; with an account also BudgetError, LedgerError.
    """
    columns = _columns_of(data)
    whole = columns_plan(columns, plan, weights)
    charged = account is not None or release_id is not None
    question = question_of(data, whole) if charged or isinstance(data, Table) else None
    return _warned(_released(columns, whole, question, _words_of(data), account, release_id, told_to(progress)))


def _warned(answers: Release) -> Release:
    """Return answers, after issuing their warnings at the line that called a public function."""
    for warning in answers.warnings:
        warnings.warn(warning, PrivacyWarning, stacklevel=3)
    return answers


def _released(
    columns: Columns,
    plan: ColumnsPlan,
    question: Question | None,
    words: Description,
    account: Account | None,
    release_id: str | None,
    progress: Progress,
    mark: str = "",
) -> Release:
    """Return the answers of a release, charged to an account where there is one.

    `question`: what is asked, which no account pays for where it is not known; `mark`: the fingerprint of the data.
    """
    run = with_best(columns, plan)
    if account is None and release_id is None:
        asked = {} if question is None else question.as_dict()
        return replace(draw(columns, schedule_of(columns, run), progress), description=words, question=asked)
    from .ledger.charging import charged_release

    return charged_release(
        columns, run, _payer(account), release_id=release_id, words=words, question=question, file=mark,
        progress=progress,
    )  # fmt: skip


def _payer(account: object) -> Account:
    """Return an account. Raises ParameterError for anything else."""
    from .ledger.accounts import Account

    if not isinstance(account, Account):
        raise ParameterError("account", "must be an account of a ledger, as in account('staff', epsilon=3, ...).")
    return account


def simulate(
    data: Data | Columns | Table,
    plan: Plans,
    trials: int = 100,
    seed: int = 0,
    weights: Weights = None,
    *,
    progress: bool | Progress = False,
) -> Study:
    """Simulate `trials` independent runs of the plan, and return their answers and rank errors. Repeatable.

    Trial i does not depend on the number of trials that follow it, in steps of 64; a single trial differs. A simulation
    spends nothing and is not a release, for any `plan`. A sketch no longer knows exact ranks: its rank errors are
    distances from its bounds (see `Study`). For a column without bounds every run finds its own bounds, and errors
    count all records, also those beyond the bounds. Time grows with trials and levels, and hardly with n; for a column
    without bounds it grows with n times the number of different bounds. Tables and several columns work as in
    `release`; each column has its own seed.

    `progress`: True for a line on standard error, or a function of the share that is done. Raises ParameterError,
    DataError.
    """
    columns = _columns_of(data)
    schedule = schedule_of(columns, with_best(columns, plan, weights))
    return replace(schedules.simulate(columns, schedule, trials, seed, told_to(progress)), description=_words_of(data))


def explain(
    data: Data | Columns | Table,
    plan: Plans,
    seed: int = 0,
    trials: int = 100,
    run: int = 0,
    *,
    column: str | None = None,
    group: GroupName | None = None,
) -> Trace:
    """Return one run of `simulate(data, plan, trials, seed)` with what every draw saw and chose: private.

    Its values are `simulate(...).values[run]`, for any number of trials except one. For a Table it explains one
    `column`; for groups, one `group` alone, with that group's part of the budget. The guarantee is that of the whole
    column. Raises ParameterError (also Infeasible: a run of slices without room, which `simulate` answers evenly),
    DataError.
    """
    columns = _columns_of(data)
    schedule = schedule_of(columns, with_best(columns, plan))
    return schedules.explain(columns, schedule, column, group, seed=seed, trials=trials, run=run)


def quantiles(
    frame: object,
    columns: AskedColumns,
    levels: Iterable[Level] | Level,
    mechanism: str = "best",
    *,
    by: By | None = None,
    groups: Listed = None,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: float | None = None,
    adjacency: Adjacency | ProtectsAgainst = Adjacency.ADD_REMOVE,
    options: Mapping[str, OptionValue] | None = None,
    intervals: Intervals | float | None = None,
    about_n: AboutN | None = None,
    weights: Weights = None,
    person: str | None = None,
    per_person: PerPerson | None = None,
    max_rows_per_person: int | None = None,
    max_groups_per_person: GroupsPerPerson | None = None,
    other: OneName | None = None,
    missing: Missing = None,
    missing_is_person: bool = False,
    account: Account | None = None,
    release_id: str | None = None,
    progress: bool | Progress = False,
) -> Release:
    """Return private quantiles of a data frame's columns: `release(Table.from_frame(...), Plan(...))` in one call.

        quantiles(frame, {"age": (0, 120, 1)}, "quartiles", epsilon=1)

    `frame`, `columns` and everything about groups and persons are as in `Table.from_frame`; `levels`, the budget and
    `intervals` as in `Plan`; `weights`, `account`, `release_id` and `progress` as in `release`. There is no default
    budget: every call spends one and must name it. A `release_id` belongs to the rows of these columns, too: with
    others it is refused, unless they are on a cluster. A retry with it reads none of them again. Raises what these
    raise.
    """
    if budget_of(epsilon, delta, rho) is None:
        raise ParameterError("epsilon", ("must be given, or ", Name("rho"), ": every call spends a budget."))
    plan = Plan(
        levels, mechanism, adjacency=adjacency, options=options, intervals=intervals, about_n=about_n,
        epsilon=epsilon, delta=delta, rho=rho,
    )  # fmt: skip
    rows = question_of_rows(
        columns, by=by, groups=groups, person=person, per_person=per_person, max_rows_per_person=max_rows_per_person,
        max_groups_per_person=max_groups_per_person, other=other, missing=missing, missing_is_person=missing_is_person,
    )  # fmt: skip
    question, mark, told = rows.with_plan(plan, weights), "", told_to(progress)
    if release_id is not None:
        from .ledger.charging import stored_release
        from .ledger.files import fingerprint_of_frame

        payer = _payer(account)
        if not is_spread(frame):
            frame = read = read_frame(frame)  # once, for the fingerprint and for the table
            mark = fingerprint_of_frame(payer.ledger, read.digest(question.names))
        stored = stored_release(payer, question, release_id, mark)
        if stored is not None:
            return _warned(stored)
    table = Table.of(frame, question, progress=told)
    question, words = question.of_dates(table.dates), _words_of(table)
    return _warned(_released(table.columns, question.plan, question, words, account, release_id, told, mark))


def synthesize(data: Column, size: int, plan: Plan) -> Release:
    """Return a private synthetic column of a public size: the increasing values of a release. Spends the budget once.

    The values are the private quantiles at the levels (i - 1/2) / size (Kaplan, Schnapp & Stemmer 2022, Corollary
    3.6, with a public size where n is private); the plan's own quantiles are not used. Raises as `release` does.
    """
    return release(data, synthetic_plan(plan, size))


def account(
    name: str,
    *,
    one_row_is: str | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: float | None = None,
    adjacency: Adjacency | ProtectsAgainst | None = None,
) -> Account:
    """Return the account of this name in the ledger of this machine, and open it if there is none.

    The ledger is the one at DPQ_LEDGER_URL, else ~/.dpq/ledger.sqlite. `account("visits")` is enough for one that is
    there; a new one needs a budget. Budget, adjacency (joins by default) and what one of the protected is called
    ("person" by default) never change: others are refused. Raises ParameterError, LedgerError.
    """
    from .ledger.accounts import Ledger

    budget = budget_of(epsilon, delta, rho)
    relation = None if adjacency is None else Adjacency.of_text(adjacency)
    ledger = Ledger.from_environment(make_key=True)
    found = ledger.find(name)
    if found is None:
        if budget is None:
            raise ParameterError("epsilon", ("must be given, or ", Name("rho"), ": what may be spent in all."))
        one, joins = one_row_is or USUAL_ROW, Adjacency.ADD_REMOVE
        found = ledger.opened(name, budget=budget, adjacency=relation or joins, one_row_is=one)
    for setting, given in {"budget": budget, "adjacency": relation, "one_row_is": one_row_is}.items():
        own = getattr(found, setting)
        if given not in {None, own}:
            raise ParameterError(setting, f"must be that of the account, which never changes: {own}.")
    return found


def _words_of(data: Data | Table | Columns) -> Description:
    return Description(columns={name: ColumnWords(kind=DATE) for name in getattr(data, "dates", ())})


def _columns_of(data: Data | Table | Columns) -> Columns:
    """Return what is answered by columns. Raises ParameterError for a data frame, with the call that makes a table."""
    if is_frame(data):
        raise ParameterError(
            "data",
            "must be a table: make one first, as in Table.from_frame(frame, {'age': (0, 120, 1)}), or call "
            "quantiles(frame, {'age': (0, 120, 1)}, 'quartiles', epsilon=1).",
        )
    return data.columns if isinstance(data, Table) else columns_in(data)
