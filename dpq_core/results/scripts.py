"""Outcomes as Python scripts with dpq_core: a simulation is repeated exactly, a release gives its stored answer again.

A release is one call with everything that it was asked with, its account and its id. Where the ledger is, it gives the
same table whenever it is run, and charges nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from ..grouping import FindGroups
from ..plan import NAMED_LEVELS, NOISY, Plan, levels_of
from ..privacy.budgets import Adjacency
from ..question import Question
from .chosen import TableReading, unused
from .data_set import EXPLORE_SEED
from .exports import as_csv, as_json, as_plan, as_wide_csv, origin_in_words, privacy_label
from .kinds import Answered, Released, Simulated
from .simulated import DRAWS, WALKS

AGAIN = "# The ledger gives the stored answer of this id, and charges nothing more."


def files_of(outcome: Answered) -> dict[str, Callable[[], str]]:
    """Return what makes each file of an outcome that can be taken away, by its label."""
    wide = {} if outcome.alone else {"Wide CSV": partial(as_wide_csv, outcome)}
    return {
        "CSV": partial(as_csv, outcome), **wide, "JSON": partial(as_json, outcome),
        "Python": partial(as_script, outcome), "Plan": partial(as_plan, outcome),
    }  # fmt: skip


def as_script(outcome: Answered) -> str:
    """Return a Python script that does the same with dpq_core."""
    head = f'"""{comment(privacy_label(outcome))}\n\n{comment(origin_in_words(outcome))}\n"""'
    return "\n\n".join([head, *_answered(outcome)]) + "\n"


def _answered(outcome: Answered) -> list[str]:
    asked, reading = outcome.question, outcome.reading
    if isinstance(outcome, Released):
        made = outcome.release
        paid = {"account": f"dpq.account({made.account!r})", "release_id": repr(made.id)}
        call = f"{AGAIN}\nanswers = {_release(asked, reading, paid)}"
        return [_opened(asked, reading), call, "print(answers.to_csv())"]
    assert isinstance(outcome, Simulated), "simulated or released"
    opened = _opened(asked, reading)
    if outcome.several or outcome.groups is not None:
        return [opened, *_simulated_table(outcome)]
    return [opened, *_simulated_column(outcome)]


def _simulated_table(outcome: Simulated) -> list[str]:
    """Return Python that simulates a table."""
    asked, drawn = outcome.question, f"trials={outcome.draws}, seed={outcome.seed}"
    table = f"table = {_table(asked, outcome.reading, EXPLORE_SEED)}"
    plans = _plan(outcome.plan) if not outcome.several else _plans(outcome.chosen.plans)
    weights = f", weights={_weights(asked)}" if outcome.several else ""
    return [table, f"study = dpq.simulate(table, {plans}, {drawn}{weights})  # no release", "print(study.to_frame())"]


def _simulated_column(outcome: Simulated) -> list[str]:
    """Return Python that simulates a column in one piece; found bounds and counts are drawn for some of the runs."""
    asked, plan, name = outcome.question, outcome.plan, outcome.wording.name
    persons, missing = asked.persons, asked.missing[name]
    of_people = "" if persons is None else f", people=frame[{_ids(asked)!r}]{_arguments(persons.settings)}"
    rest = "" if missing is None else f", missing={str(missing)!r}"
    kind, found = ("RawColumn", True) if outcome.only.find_bounds is not None else ("Column", False)
    given = f"frame[{name!r}], dpq.{outcome.bounds!r}, seed={EXPLORE_SEED}{rest}{of_people}"
    column = f"column = dpq.{kind}.from_values(\n    {given}\n)"
    drawn = f"simulate(column, plan, {DRAWS}, {outcome.seed}, firsts={WALKS}).values[:, 0]"
    load = "from dpq_core.trials import simulate\n\n"
    if not found and plan.about_n != NOISY:
        drawn, load = f"dpq.simulate(column, plan, trials={DRAWS}, seed={outcome.seed}).cells[0].values[:, 0]", ""
    return [f"plan = {_plan(plan)}", column, f"{load}runs = {drawn}  # no release", "print(*runs[0])"]


def file_check(file: str) -> str:
    """Return Python that ends with one sentence where a file is missing; empty where none is needed."""
    if not file:
        return ""
    return (
        f"from pathlib import Path\n\nfile = Path({file!r})\nif not file.is_file():\n"
        '    raise SystemExit(f"{file} is not in {Path.cwd()}: put the file with the data there, and try again.")\n\n'
    )


def _opened(asked: Question, reading: TableReading) -> str:
    """Return Python that reads the columns that are asked for into `frame`."""
    names = [*asked.columns, *(asked.groups.by if asked.groups else ())]
    rows = [(name, read) for name, read in reading.columns if name in names]
    if asked.persons is not None:
        rows.append((_ids(asked), reading.people))
    frame = "".join(f"    {name!r}: {read},\n" for name, read in rows)
    imports = "\n".join(["import dpq_core as dpq", *reading.imports])
    return f"{imports}\n\n{file_check(reading.file)}frame = {{\n{frame}}}"


def _release(asked: Question, reading: TableReading, paid: Mapping[str, str]) -> str:
    """Return the one call that releases: `quantiles`, or `release` where columns have plans or weights of their own."""
    plans = asked.plan.plans
    if len(set(plans)) > 1 or len(set(asked.plan.weights)) > 1:
        weights, of_columns = {"weights": _weights(asked)}, dict(zip(asked.columns, plans, strict=True))
        given = "".join(f",\n    {name}={value}" for name, value in (weights | dict(paid)).items())
        return f"dpq.release(\n    {_table(asked, reading, None)},\n    {_plans(of_columns)}{given},\n)"
    levels, mechanism = _levels(plans[0]), plans[0].mechanism
    named = _settings(plans[0]) | _rows(asked, reading) | dict(paid)
    given = "".join(f",\n    {name}={value}" for name, value in named.items())
    return f"dpq.quantiles(\n    frame, {_bounds(asked)}, {levels}, {mechanism!r}{given},\n)"


def _table(asked: Question, reading: TableReading, seed: int | None) -> str:
    """Return the call that makes a table."""
    named = _rows(asked, reading) | ({} if seed is None else {"seed": str(seed)})
    given = "".join(f", {name}={value}" for name, value in named.items())
    return f"dpq.Table.from_frame(frame, {_bounds(asked)}{given})"


def _bounds(asked: Question) -> str:
    return f"{{{', '.join(f'{name!r}: dpq.{each!r}' for name, each in asked.possible.items())}}}"


def _rows(asked: Question, reading: TableReading) -> dict[str, str]:
    """Return the arguments about groups, persons and missing values."""
    given: dict[str, str] = {}
    groups, persons = asked.groups, asked.persons
    if groups is not None:
        lists = dict.fromkeys(groups.by, f"dpq.{groups.names!r}") if isinstance(groups.names, FindGroups) else {
            name: repr(list(each)) for name, each in (groups.lists or {}).items()
        }  # fmt: skip
        given = {"by": f"{{{', '.join(f'{name!r}: {each}' for name, each in lists.items())}}}"}
        if persons is not None and persons.max_groups is not None:
            given["max_groups_per_person"] = repr(persons.max_groups)
        if groups.other is not None:
            given["other"] = repr(groups.other)
    if persons is not None:
        given |= {"person": repr(_ids(asked))} | {name: repr(value) for name, value in persons.settings.items()}
    missing = {name: str(value) for name, value in asked.missing.items() if value is not None}
    return given | ({"missing": repr(missing)} if missing else {})


def _ids(asked: Question) -> str:
    """Return how the frame calls the column of ids: by its name, unless another column has it."""
    assert asked.persons is not None, "of persons"
    taken, column = {*asked.columns, *(asked.groups.by if asked.groups else ())}, asked.persons.column
    return column if column not in taken else unused(taken)


def _levels(plan: Plan) -> str:
    named = next((name for name in NAMED_LEVELS if levels_of(name) == plan.quantiles), None)
    return repr(named or [str(level) for level in plan.quantiles])


def _settings(plan: Plan) -> dict[str, str]:
    """Return the arguments about budget, intervals and options."""
    given = {name: repr(value) for name, value in vars(plan.privacy).items()}
    if plan.adjacency is Adjacency.REPLACE_ONE:
        given["adjacency"] = "'replaced'"
    if plan.options:
        given["options"] = repr(dict(plan.options))
    if plan.intervals is not None:
        given["intervals"] = f"dpq.{plan.intervals!r}"
    about = dict(plan.about_n) if isinstance(plan.about_n, Mapping) else plan.about_n
    return given if about is None else given | {"about_n": repr(about)}


def _plan(plan: Plan) -> str:
    """Return the call that makes a plan."""
    return f"dpq.Plan({_levels(plan)}, {plan.mechanism!r}{_arguments(_settings(plan), plain=False)})"


def _plans(plans: Mapping[str, Plan]) -> str:
    return f"{{{', '.join(f'{name!r}: {_plan(plan)}' for name, plan in plans.items())}}}"


def _weights(asked: Question) -> str:
    return repr({name: str(Fraction(weight)) for name, weight in zip(asked.columns, asked.plan.weights, strict=True)})


def _arguments(settings: Mapping[str, Any], *, plain: bool = True) -> str:
    return "".join(f", {name}={value!r}" if plain else f", {name}={value}" for name, value in settings.items())


def comment(text: str) -> str:
    """Return a text that is safe in a docstring, from any text that a person typed or a file contains."""
    return text.replace("\\", "").replace('"""', "'''")
