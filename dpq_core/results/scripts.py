"""Outcomes as Python scripts with dpq_core: a simulation is repeated exactly, a release is drawn anew."""

from __future__ import annotations

from collections.abc import Mapping

from ..columns.plan import ColumnsPlan
from ..groups.table import FINDING_SHARE
from ..plan import NOISY, Plan
from ..privacy.budgets import ZCDP
from .exports import OfColumn, origin_in_words, privacy_label
from .kinds import (
    Explored,
    GroupedReleased,
    GroupedSimulation,
    GroupsFacts,
    GroupsOutcome,
    Outcome,
    OutcomeFacts,
    Paid,
    Released,
    Simulation,
)
from .outcomes import EXPLORE_SEED, WALKS
from .synthetic import Column, ReleasedColumn, SimulatedColumn
from .tables.asked import IDS, unused
from .tables.kinds import ColumnsOutcome, ColumnsReleased, ColumnsSimulation, TableReading, TableRequest
from .tables.outcomes import TRIALS

AGAIN = "# This draws again: it is another release and spends its budget again."


def as_script(outcome: OfColumn | ColumnsOutcome) -> str:
    """Return a Python script that does the same with dpq_core."""
    about = outcome.about if isinstance(outcome, ColumnsOutcome) else origin_in_words(outcome)
    parts = _of_table(outcome) if isinstance(outcome, ColumnsOutcome) else _of_column(outcome)
    if isinstance(outcome, Paid):
        parts.append(charged_in_words(outcome.plan))
    return "\n\n".join([f'"""{comment(privacy_label(outcome))}\n\n{comment(about)}\n"""', *parts]) + "\n"


def _of_column(outcome: OfColumn) -> list[str]:
    bounds, kind = ("find_bounds", "RawSample") if outcome.find_bounds else ("domain", "Sample")
    seed = f", seed={EXPLORE_SEED}" if isinstance(outcome, Explored) else ""
    rest = seed if outcome.missing is None else f"{seed}, missing={str(outcome.missing)!r}"
    read = f"import dpq_core as dpq\n{_ledger(outcome)}{file_check(outcome.file)}{outcome.reading}"
    plan = f"{bounds} = dpq.{outcome.bounds!r}", f"plan = dpq.Plan.from_json({outcome.plan.to_json()!r})"
    if isinstance(outcome, GroupsFacts):
        names = None if outcome.groups.names is None else list(outcome.groups.names)
        made = _groups(outcome, rest) if outcome.find_bounds is None else _groups_of_table(outcome, rest)
        printed = "for name, row in answers.items():\n    print(name, *row)"
        return [read, outcome.groups_reading, *plan, f"names = {names!r}", made, _call(outcome), printed]
    sample = f"sample = dpq.{kind}.from_values(values, {bounds}{rest}{people_argument(outcome)})"
    printed = "for level, value in zip(plan.quantiles, answer):\n    print(level, value)"
    if isinstance(outcome, Column):
        printed = "for value in column:\n    print(value)"
    return [read, *plan, sample, _call(outcome), printed]


def file_check(file: str) -> str:
    """Return Python that ends with one sentence where a file is missing; empty where none is needed."""
    if not file:
        return ""
    return (
        f"from pathlib import Path\n\nfile = Path({file!r})\nif not file.is_file():\n"
        '    raise SystemExit(f"{file} is not in {Path.cwd()}: put the file with the data there, and try again.")\n\n'
    )


def _groups(outcome: GroupsOutcome, rest: str) -> str:
    """Return Python that makes groups whose bounds are known."""
    chosen = _arguments(outcome.groups.settings)
    if outcome.groups.names is None:
        chosen += f", finding={FINDING_SHARE}"
    return (
        f"grouped = dpq.Groups.from_values(\n    values, groups, domain, names=names{chosen}{rest}"
        f"{people_argument(outcome)}\n)"
    )


def _groups_of_table(outcome: GroupsOutcome, rest: str) -> str:
    """Return Python that makes a table of one column, whose bounds are found first."""
    column, group = outcome.wording.name, outcome.groups.column
    settings = outcome.groups.settings_of_table(outcome.person)
    by = settings.pop("by")[group]
    frame = f"{column!r}: values, {group!r}: groups"
    if outcome.person is not None:
        frame += f", {IDS!r}: people"
        settings |= {"person": IDS, **outcome.person.settings}
    listed = "names" if isinstance(by, list) else f"dpq.{by!r}"
    return (
        f"table = dpq.Table.from_frame(\n    {{{frame}}}, {{{column!r}: find_bounds}}, by={{{group!r}: {listed}}}"
        f"{_arguments(settings)}{rest}\n)\ngrouped = table[{column!r}]"
    )


def _arguments(settings: Mapping[str, object]) -> str:
    return "".join(f", {name}={value!r}" for name, value in settings.items())


def _call(outcome: OfColumn) -> str:
    """Return Python that draws the answers of a column, and gives them a name."""
    if isinstance(outcome, ReleasedColumn):
        return _release(f"sample, {len(outcome.values)}, plan", outcome, "column = released.values")
    if isinstance(outcome, GroupedReleased):
        return _release("grouped, plan", outcome, "answers = released.values")
    if isinstance(outcome, Released):
        return _release("sample, plan", outcome, "answer = released.values")
    if isinstance(outcome, SimulatedColumn):
        call = f"dpq.simulate(sample, synthetic_plan(plan, {len(outcome.values)}), trials=1, seed={outcome.seed})"
        return f"from dpq_core.release import synthetic_plan\n\nstudy = {call}  # no release\ncolumn = study.values[0]"
    return _simulated_groups(outcome) if isinstance(outcome, GroupedSimulation) else _simulated(outcome)


def _simulated(outcome: Simulation) -> str:
    call = f"study = dpq.simulate(sample, plan, trials={outcome.draws}, seed={outcome.seed})"
    if outcome.find_bounds is not None:
        load = "from dpq_core.finding.steps import simulate_with_bounds\n\n"
        call = f"{load}study, _ = simulate_with_bounds(sample, plan, {outcome.draws}, {outcome.seed}, walks={WALKS})"
    elif outcome.plan.about_n == NOISY:
        load = "from dpq_core.finding.steps import simulate_data\n\n"
        call = f"{load}study = simulate_data(sample, plan, {outcome.draws}, {outcome.seed}, firsts={WALKS})"
    return f"{call}  # no release\nanswer = study.values[0]"


def _simulated_groups(outcome: GroupedSimulation) -> str:
    found = outcome.find_bounds is not None
    of_column = f".studies[{outcome.wording.name!r}]" if found else ""
    asked = f"dpq.simulate({'table' if found else 'grouped'}, plan, trials={outcome.draws}, seed={outcome.seed})"
    call = f"study = {asked}{of_column}  # no release"
    if outcome.groups.names is None:
        rows = "zip(study.names, study.values[0].tolist(), strict=True)"
        return f"{call}\nanswers = {{name: row for name, row in {rows} if row[0] == row[0]}}  # NaN where not found"
    return f"{call}\nanswers = dict(zip(study.names, study.values[0].tolist(), strict=True))"


def _of_table(outcome: ColumnsOutcome) -> list[str]:
    seed = EXPLORE_SEED if isinstance(outcome, Explored) else None
    made = _made_table(outcome.request, outcome.reading, outcome.plan, seed, _ledger(outcome))
    return [*made, _call_of_table(outcome)]


def release_script(request: TableRequest, reading: TableReading) -> str:
    """Return Python that releases a table without an account: public settings only. Raises ParameterError."""
    call = "print(dpq.release(table.columns, plan).to_csv())  # every call spends the budget again"
    return "\n\n".join([*_made_table(request, reading, request.plan, None), call]) + "\n"


def _made_table(
    request: TableRequest, reading: TableReading, plan: ColumnsPlan, seed: int | None, more_imports: str = ""
) -> list[str]:
    """Return Python that reads the columns, and makes `table` and `plan`."""
    imports = [
        "import dpq_core as dpq", "from dpq_core.columns.plan import ColumnsPlan", *reading.imports,
        *more_imports.splitlines(),
    ]  # fmt: skip
    bounds = "".join(f"    {name!r}: dpq.{each!r},\n" for name, each in request.bounds.items())
    opened = reading.opened or f"frame = {{\n{_frame(request, reading)}}}"
    return [
        "\n".join(imports) + f"\n\n{file_check(reading.file)}{opened}",
        f"bounds = {{\n{bounds}}}",
        f"plan = ColumnsPlan.from_json({plan.to_json()!r})",
        f"table = dpq.Table.from_frame(frame, bounds{_settings(request, reading, seed)})",
    ]


def _frame(request: TableRequest, reading: TableReading) -> str:
    asked = {*request.bounds, *(request.groups.columns if request.groups else ())}
    rows = [(name, read) for name, read in reading.columns if name in asked]
    if request.person is not None:
        rows.append((unused(asked), reading.people))
    return "".join(f"    {name!r}: {read},\n" for name, read in rows)


def _settings(request: TableRequest, reading: TableReading, seed: int | None) -> str:
    given: dict[str, str] = {}
    if request.groups is not None:
        settings = request.groups.settings_of_table(request.person)
        by = settings.pop("by")
        lists = (
            f"{name!r}: {each!r}" if isinstance(each, list) else f"{name!r}: dpq.{each!r}" for name, each in by.items()
        )
        given = {"by": f"{{{', '.join(lists)}}}"} | {name: repr(value) for name, value in settings.items()}
    if request.person is not None:
        ids = unused({*request.bounds, *(request.groups.columns if request.groups else ())})
        ids = request.person.column if reading.opened else ids
        given |= {"person": repr(ids)} | {name: repr(value) for name, value in request.person.settings.items()}
    missing = {name: str(value) for name, value in request.missing.items() if value is not None}
    given |= {"missing": repr(missing)} if missing else {}
    given |= {} if seed is None else {"seed": str(seed)}
    return "".join(f",\n    {name}={value}" for name, value in given.items()) + (",\n" if given else "")


def _call_of_table(outcome: ColumnsOutcome) -> str:
    if isinstance(outcome, ColumnsReleased):
        return _release("table.columns, plan", outcome, "print(released.to_csv())")
    assert isinstance(outcome, ColumnsSimulation), "drawn"
    call = f"study = dpq.simulate(table, plan, trials={TRIALS}, seed={outcome.seed})  # no release"
    return f"{call}\nfor name, values in study.values.items():\n    print(name, *values[0].ravel())"


def _release(asked: str, outcome: Paid, then: str) -> str:
    """Return Python that charges and releases, and then does something with what was released."""
    account = f"account = Ledger.from_environment(make_key=True).account({outcome.account!r})"
    call = f"released = {_charging(outcome)}({asked}, account, release_id=release_id)"
    return f"{AGAIN}\n{account}\nrelease_id = new_release_id()\n{call}\n{then}"


def _charging(outcome: Paid) -> str:
    """Return the function of the ledger that a release goes through, in a script too."""
    return "charged_synthesis" if isinstance(outcome, ReleasedColumn) else "charged_release"


def _ledger(outcome: Outcome) -> str:
    """Return the import of the ledger; empty for a simulation."""
    if not isinstance(outcome, Paid):
        return ""
    return (
        "from dpq_core.ledger.accounts import Ledger\n"
        f"from dpq_core.ledger.charging import {_charging(outcome)}, new_release_id\n"
    )


def charged_in_words(plan: Plan | ColumnsPlan) -> str:
    """Return Python that prints the charge in the terms of the plan, without Greek, which some consoles lack."""
    spent = "epsilon = {spent.epsilon:g}, delta = {spent.delta:g}"
    if isinstance(plan.privacy, ZCDP):
        spent = "rho = {spent.rho:g}"
    return f'spent = released.guarantee\nprint(f"Charged to {{account.name}}: {spent}. Release id: {{release_id}}")'


def people_argument(outcome: OutcomeFacts) -> str:
    """Return the arguments about the people that `reading` reads."""
    return "" if outcome.person is None else f", people=people{_arguments(outcome.person.settings)}"


def comment(text: str) -> str:
    """Return a text that is safe in a docstring, from any text that a person typed or a file contains."""
    return text.replace("\\", "").replace('"""', "'''")
