"""Outcomes as Python scripts with dpq_core: a simulation is repeated exactly, a release is drawn anew."""

from __future__ import annotations

from ..plan import NOISY, Plan
from ..privacy import ZCDP
from .exports import Outcome, Quantiles, origin_in_words, privacy_label
from .kinds import OutcomeFacts, Released, ReleaseFacts
from .outcomes import WALKS
from .synthetic import Column, ReleasedColumn

AGAIN = "# Draws anew: another release, and its budget is spent again."


def as_script(outcome: Outcome) -> str:
    """Return a Python script that does the same with dpq_core."""
    seed = "" if isinstance(outcome, ReleaseFacts) else f", seed={outcome.sample_seed}"
    bounds, kind = ("find_bounds", "RawSample") if outcome.find_bounds else ("domain", "Sample")
    parts = [
        f'"""{comment(privacy_label(outcome))}\n\n{comment(origin_in_words(outcome))}\n"""',
        f"import dpq_core as dpq\n{_ledger(outcome)}{file_check(outcome.file)}{outcome.reading}",
        f"{bounds} = dpq.{outcome.bounds!r}",
        f"plan = dpq.Plan.from_json({outcome.plan.to_json()!r})",
        f"sample = dpq.{kind}.from_values(values, {bounds}{seed}{missing_argument(outcome)}{people_argument(outcome)})",
    ]
    if isinstance(outcome, Column):
        parts += [_column_call(outcome), "for value in column:\n    print(value)"]
    else:
        parts += [_quantiles_call(outcome), "for level, value in zip(plan.quantiles, answer):\n    print(level, value)"]
    if isinstance(outcome, ReleaseFacts):
        parts.append(charged_in_words(outcome.plan))
    return "\n\n".join(parts) + "\n"


def file_check(file: str) -> str:
    """Return Python that ends with one sentence where a file is missing; empty where none is needed."""
    if not file:
        return ""
    return (
        f"from pathlib import Path\n\nfile = Path({file!r})\nif not file.is_file():\n"
        '    raise SystemExit(f"{file} is not in {Path.cwd()}: put the file with the data there, and try again.")\n\n'
    )


def _quantiles_call(outcome: Quantiles) -> str:
    if isinstance(outcome, Released):
        return _release("charged_release(sample, plan, account, release_id=release_id)", outcome, "answer")
    call = f"study = dpq.simulate(sample, plan, trials={outcome.draws}, seed={outcome.seed})"
    if outcome.find_bounds is not None:
        load = "from dpq_core.finding import simulate_with_bounds\n\n"
        call = f"{load}study, _ = simulate_with_bounds(sample, plan, {outcome.draws}, {outcome.seed}, walks={WALKS})"
    elif outcome.plan.about_n == NOISY:
        load = "from dpq_core.finding import simulate_data\n\n"
        call = f"{load}study = simulate_data(sample, plan, {outcome.draws}, {outcome.seed}, firsts={WALKS})"
    return f"{call}  # no release\nanswer = study.values[0]"


def _column_call(outcome: Column) -> str:
    size = len(outcome.values)
    if isinstance(outcome, ReleasedColumn):
        return _release(f"charged_synthesis(sample, {size}, plan, account, release_id=release_id)", outcome, "column")
    call = f"dpq.simulate(sample, synthetic_plan(plan, {size}), trials=1, seed={outcome.seed})"
    load = "from dpq_core.release import synthetic_plan"
    return f"{load}\n\nstudy = {call}  # no release\ncolumn = study.values[0]"


def _release(call: str, outcome: ReleaseFacts, name: str) -> str:
    account = f"account = Ledger.from_environment(make_key=True).account({outcome.account!r})"
    return f"{AGAIN}\n{account}\nrelease_id = new_release_id()\nreleased = {call}\n{name} = released.values"


def charged_in_words(plan: Plan) -> str:
    """Return Python that prints the charge in the terms of the plan, without Greek, which some consoles lack."""
    spent = "epsilon = {spent.epsilon:g}, delta = {spent.delta:g}"
    if isinstance(plan.privacy, ZCDP):
        spent = "rho = {spent.rho:g}"
    return f'spent = released.guarantee\nprint(f"Charged to {{account.name}}: {spent}. Release id: {{release_id}}")'


def _ledger(outcome: Outcome) -> str:
    """Return the import of the ledger, which a release goes through in a script too."""
    if not isinstance(outcome, ReleaseFacts):
        return ""
    call = "charged_synthesis" if isinstance(outcome, ReleasedColumn) else "charged_release"
    return f"from dpq_core.ledger import Ledger, {call}, new_release_id\n"


def missing_argument(outcome: OutcomeFacts) -> str:
    """Return what is said of missing values."""
    return "" if outcome.missing is None else f", missing={str(outcome.missing)!r}"


def people_argument(outcome: OutcomeFacts) -> str:
    """Return what is said of the people that `reading` reads."""
    if outcome.person is None:
        return ""
    return ", people=people" + "".join(f", {name}={value!r}" for name, value in outcome.person.settings.items())


def comment(text: str) -> str:
    """Return a text that can stand in a docstring, whatever a person typed or a file brought."""
    return text.replace("\\", "").replace('"""', "'''")
