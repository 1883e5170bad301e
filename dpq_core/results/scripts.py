"""Outcomes as Python scripts with dpq_core: a simulation is repeated exactly, a release gives its stored answer again.

A release is one call with everything that it was asked with, its account and its id. Where the ledger is, it gives the
same table whenever it is run, and charges nothing more.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..plan import NAMED_LEVELS, NOISY, Plan, levels_of
from ..privacy.budgets import Adjacency
from .exports import origin_in_words, privacy_label
from .kinds import Answered, Paid, Simulated
from .outcomes import DRAWS, EXPLORE_SEED, WALKS
from .synthetic import Column
from .tables.asked import unused
from .tables.kinds import TableReading, TableRequest

AGAIN = "# The ledger gives the stored answer of this id, and charges nothing more."


def as_script(outcome: Answered | Column) -> str:
    """Return a Python script that does the same with dpq_core."""
    parts = _synthetic(outcome) if not isinstance(outcome, Answered) else _answered(outcome)
    return (
        "\n\n".join([f'"""{comment(privacy_label(outcome))}\n\n{comment(origin_in_words(outcome))}\n"""', *parts])
        + "\n"
    )


def release_script(request: TableRequest, reading: TableReading) -> str:
    """Return Python that releases a table without an account: public settings only."""
    asked = request.asked or request
    call = f"answers = {_release(asked, reading, {})}  # every call spends the budget again"
    return "\n\n".join([_opened(asked, reading), call, "print(answers.to_csv())"]) + "\n"


def _answered(outcome: Answered) -> list[str]:
    asked, reading = outcome.request.asked or outcome.request, outcome.reading
    if isinstance(outcome, Paid):
        paid = {"account": f"dpq.account({outcome.account!r})", "release_id": repr(outcome.release_id)}
        call = f"{AGAIN}\nanswers = {_release(asked, reading, paid)}"
        return [_opened(asked, reading), call, "print(answers.to_csv())"]
    assert isinstance(outcome, Simulated), "simulated or released"
    opened = _opened(outcome.request, reading)
    if outcome.several or outcome.groups is not None:
        return [opened, *_simulated_table(outcome)]
    return [opened, *_simulated_column(outcome)]


def _simulated_table(outcome: Simulated) -> list[str]:
    """Return Python that simulates a table; groups of one column alone where their bounds are known."""
    asked, drawn = outcome.request, f"trials={outcome.draws}, seed={outcome.seed}"
    one = not outcome.several and all(answer.find_bounds is None for answer in outcome.answers)
    table = f"table = {_table(asked, outcome.reading, EXPLORE_SEED)}"
    plans = _plan(outcome.plan) if not outcome.several else _plans(asked)
    of = f"table[{outcome.wording.name!r}]" if one else "table"
    weights = f", weights={_weights(asked)}" if outcome.several else ""
    return [table, f"study = dpq.simulate({of}, {plans}, {drawn}{weights})  # no release", "print(study.to_frame())"]


def _simulated_column(outcome: Simulated) -> list[str]:
    """Return Python that simulates a column in one piece; found bounds and counts are drawn for some of the runs."""
    asked, plan, name = outcome.request, outcome.plan, outcome.wording.name
    of_people = "" if asked.person is None else f", people=frame[{_ids(asked)!r}]{_arguments(asked.person.settings)}"
    missing = asked.missing.get(name)
    rest = "" if missing is None else f", missing={str(missing)!r}"
    kind, found = ("RawSample", True) if outcome.only.find_bounds is not None else ("Sample", False)
    given = f"frame[{name!r}], dpq.{outcome.bounds!r}, seed={EXPLORE_SEED}{rest}{of_people}"
    sample = f"sample = dpq.{kind}.from_values(\n    {given}\n)"
    drawn = f"simulate_data(sample, plan, {DRAWS}, {outcome.seed}, firsts={WALKS}).values[:, 0]"
    load = "from dpq_core.finding.steps import simulate_data\n\n"
    if not found and plan.about_n != NOISY:
        drawn, load = f"dpq.simulate(sample, plan, trials={DRAWS}, seed={outcome.seed}).cells[0].values[:, 0]", ""
    return [f"plan = {_plan(plan)}", sample, f"{load}runs = {drawn}  # no release", "print(*runs[0])"]


def _synthetic(outcome: Column) -> list[str]:
    """Return Python that makes a synthetic column: the same simulation, or another release."""
    size, person = len(outcome.values), outcome.person
    read = f"import dpq_core as dpq\n{file_check(outcome.reading.file)}{outcome.reading.as_values}"
    rest = "" if isinstance(outcome, Paid) else f", seed={EXPLORE_SEED}"
    rest += "" if outcome.missing is None else f", missing={str(outcome.missing)!r}"
    rest += "" if person is None else f", people=people{_arguments(person.settings)}"
    sample = f"sample = dpq.Sample.from_values(values, dpq.{outcome.bounds!r}{rest})"
    call = f"column = dpq.synthesize(sample, {size}, plan)  # another release: it spends its budget again"
    if not isinstance(outcome, Paid):
        asked = f"simulate(sample, synthetic_plan(plan, {size}), trials=1, seed={outcome.seed})"
        call = f"from dpq_core.draw import synthetic_plan\n\ncolumn = dpq.{asked}  # no release"
    shown = "for value in column.cells[0].values[0].ravel():\n    print(value)"
    shown = shown.replace(".ravel()", "") if isinstance(outcome, Paid) else shown
    return [read, f"plan = {_plan(outcome.plan)}", sample, call, shown]


def file_check(file: str) -> str:
    """Return Python that ends with one sentence where a file is missing; empty where none is needed."""
    if not file:
        return ""
    return (
        f"from pathlib import Path\n\nfile = Path({file!r})\nif not file.is_file():\n"
        '    raise SystemExit(f"{file} is not in {Path.cwd()}: put the file with the data there, and try again.")\n\n'
    )


def _opened(asked: TableRequest, reading: TableReading) -> str:
    """Return Python that reads the columns that are asked for into `frame`."""
    names = [*asked.bounds, *(asked.groups.columns if asked.groups else ())]
    rows = [(name, read) for name, read in reading.columns if name in names]
    if asked.person is not None:
        rows.append((_ids(asked), reading.people))
    frame = "".join(f"    {name!r}: {read},\n" for name, read in rows)
    opened = reading.opened or f"frame = {{\n{frame}}}"
    return "\n".join(["import dpq_core as dpq", *reading.imports]) + f"\n\n{file_check(reading.file)}{opened}"


def _release(asked: TableRequest, reading: TableReading, paid: Mapping[str, str]) -> str:
    """Return the one call that releases: `quantiles`, or `release` where columns have plans or weights of their own."""
    plans = list(asked.plans.values())
    if len(set(plans)) > 1 or len(set(asked.weights.values())) > 1:
        weights = {"weights": _weights(asked)}
        given = "".join(f",\n    {name}={value}" for name, value in (weights | dict(paid)).items())
        return f"dpq.release(\n    {_table(asked, reading, None)},\n    {_plans(asked)}{given},\n)"
    levels, mechanism = _levels(plans[0]), plans[0].mechanism
    named = _settings(plans[0]) | _rows(asked, reading) | dict(paid)
    given = "".join(f",\n    {name}={value}" for name, value in named.items())
    return f"dpq.quantiles(\n    frame, {_bounds(asked)}, {levels}, {mechanism!r}{given},\n)"


def _table(asked: TableRequest, reading: TableReading, seed: int | None) -> str:
    """Return the call that makes a table."""
    named = _rows(asked, reading) | ({} if seed is None else {"seed": str(seed)})
    given = "".join(f", {name}={value}" for name, value in named.items())
    return f"dpq.Table.from_frame(frame, {_bounds(asked)}{given})"


def _bounds(asked: TableRequest) -> str:
    return f"{{{', '.join(f'{name!r}: dpq.{each!r}' for name, each in asked.bounds.items())}}}"


def _rows(asked: TableRequest, reading: TableReading) -> dict[str, str]:
    """Return the arguments about groups, persons and missing values."""
    given: dict[str, str] = {}
    if asked.groups is not None:
        settings = asked.groups.settings_of_table(asked.person)
        lists = {
            name: repr(each) if isinstance(each, list) else f"dpq.{each!r}" for name, each in settings.pop("by").items()
        }
        given = {"by": f"{{{', '.join(f'{name!r}: {each}' for name, each in lists.items())}}}"}
        given |= {name: repr(value) for name, value in settings.items()}
    if asked.person is not None:
        ids = asked.person.column if reading.opened else _ids(asked)
        given |= {"person": repr(ids)} | {name: repr(value) for name, value in asked.person.settings.items()}
    missing = {name: str(value) for name, value in asked.missing.items() if value is not None}
    return given | ({"missing": repr(missing)} if missing else {})


def _ids(asked: TableRequest) -> str:
    """Return how the frame calls the column of ids: by its name, unless another column has it."""
    assert asked.person is not None, "of persons"
    taken = {*asked.bounds, *(asked.groups.columns if asked.groups else ())}
    return asked.person.column if asked.person.column not in taken else unused(taken)


def _levels(plan: Plan) -> str:
    named = next((name for name in NAMED_LEVELS if levels_of(name) == plan.quantiles), None)
    return repr(named or [str(level) for level in plan.quantiles])


def _settings(plan: Plan) -> dict[str, str]:
    """Return the arguments about budget, intervals and options."""
    given = {name: repr(value) for name, value in vars(plan.privacy).items()}
    if plan.adjacency is Adjacency.SUBSTITUTE:
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


def _plans(asked: TableRequest) -> str:
    return f"{{{', '.join(f'{name!r}: {_plan(plan)}' for name, plan in asked.plans.items())}}}"


def _weights(asked: TableRequest) -> str:
    return repr({name: str(Fraction(weight)) for name, weight in asked.weights.items()})


def _arguments(settings: Mapping[str, Any], *, plain: bool = True) -> str:
    return "".join(f", {name}={value!r}" if plain else f", {name}={value}" for name, value in settings.items())


def comment(text: str) -> str:
    """Return a text that is safe in a docstring, from any text that a person typed or a file contains."""
    return text.replace("\\", "").replace('"""', "'''")
