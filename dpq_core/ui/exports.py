"""An outcome as a file: CSV, JSON, a figure as HTML, a Python script, a plan. Each says what kind of answer it is."""

from __future__ import annotations

import csv
import io
import json
from math import isfinite
from typing import Any, Protocol

from ..mechanisms import MECHANISMS
from ..plan import Plan
from ..privacy import ZCDP, Guarantee
from .columns import Column, ReleasedColumn
from .runs import Left, Released, Simulation
from .wording import Wording, level_name

Quantiles = Simulation | Released
Outcome = Quantiles | Column


class Labelled(Protocol):
    """What the labels of anything drawn are made of: outcomes have it, and a run seen from inside."""

    @property
    def about(self) -> str:
        """Which column."""

    @property
    def source(self) -> str:
        """Who made it; empty where that is not known."""

    @property
    def wording(self) -> Wording:
        """How its numbers are spoken of."""

    @property
    def plan(self) -> Plan:
        """What was asked."""

    @property
    def guarantee(self) -> Guarantee:
        """What it costs."""


AGAIN = "# Draws anew: another release, and its budget is spent again."


def privacy_label(outcome: Labelled) -> str:
    """One sentence about what may be done with the answers."""
    if isinstance(outcome, Left):
        return f"Release: {price(outcome)}, {adjacency_in_words(outcome)}."
    return "Simulation, not private: made beside the true values, for public or synthetic data only."


def adjacency_in_words(outcome: Labelled) -> str:
    """What the answers hide, said of what one row is: `one person joins or leaves`."""
    return outcome.plan.adjacency.in_words.replace("one person", f"one {outcome.wording.one}")


def price(outcome: Labelled) -> str:
    """What was really spent, in the terms of the plan: `ε = 1`, `ε = 1, δ = 1e-06`, `ρ = 0.5`."""
    spent = outcome.guarantee
    if isinstance(outcome.plan.privacy, ZCDP) and spent.rho is not None:
        return f"ρ = {spent.rho:.4g}"
    return f"ε = {spent.epsilon:.4g}" + (f", δ = {spent.delta:.2g}" if spent.delta else "")


def mechanism_in_words(outcome: Labelled) -> str:
    """The mechanism's name in words."""
    return MECHANISMS[outcome.plan.mechanism].LABEL


def data_in_words(outcome: Labelled) -> str:
    """Which column, and who made it where that is known."""
    return f"{outcome.about} · {outcome.source}" if outcome.source else outcome.about


def rows(outcome: Quantiles) -> list[dict[str, Any]]:
    """The table as plain numbers, one row for each quantile; a release has no columns about the truth."""
    label = privacy_label(outcome)
    found = []
    for at, (level, value) in enumerate(zip(outcome.plan.quantiles, outcome.values, strict=True)):
        row: dict[str, Any] = {"quantile": str(level), "name": level_name(level), "private": _plain(outcome, value)}
        if isinstance(outcome, Simulation):
            row |= {
                "true": _plain(outcome, outcome.true_values[at]),
                "rank_error": int(outcome.errors[at]),
                "share_of_n": abs(outcome.errors[at]) / max(outcome.n, 1),
                "noise_low": int(outcome.lows[at]),
                "noise_high": int(outcome.highs[at]),
            }
        found.append(row | {"unit": outcome.wording.unit, "label": label})
    return found


def column_rows(outcome: Column) -> list[dict[str, Any]]:
    """A synthetic column, one row for each value, in increasing order."""
    label, unit = privacy_label(outcome), outcome.wording.unit
    return [{"private": _plain(outcome, value), "unit": unit, "label": label} for value in outcome.values]


def as_csv(outcome: Outcome) -> str:
    """The table as CSV; the privacy label is its last column, so that any program reads the file."""
    table = column_rows(outcome) if isinstance(outcome, Column) else rows(outcome)
    file = io.StringIO()
    names = list(table[0]) if table else ["quantile", "name", "private", "unit", "label"]
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return file.getvalue()


def as_json(outcome: Outcome) -> str:
    """Everything about the outcome as JSON."""
    guarantee = outcome.guarantee
    about: dict[str, Any] = {
        "label": privacy_label(outcome),
        "kind": "release" if isinstance(outcome, Left) else "simulation",
        "data": data_in_words(outcome),
        "domain": outcome.domain.as_dict(),
        "plan": outcome.plan.as_dict(),
        "guarantee": guarantee.as_dict(),
        "notes": list(outcome.notes),
        "version": outcome.version,
    }
    if isinstance(outcome, Left):
        about |= {"data_set": outcome.account, "release_id": outcome.release_id}
    if isinstance(outcome, Column):
        about |= {"size": len(outcome.values), "column": [_plain(outcome, value) for value in outcome.values]}
        if not isinstance(outcome, ReleasedColumn):
            about |= {"seed": outcome.seed, "largest_difference": outcome.distance}
    else:
        about |= {"quantiles": rows(outcome)}
        if isinstance(outcome, Simulation):
            about |= {"seed": outcome.seed, "n": outcome.n, "repeats": [list(row) for row in outcome.repeats]}
    return json.dumps(about, indent=2, ensure_ascii=False) + "\n"


def as_plan(outcome: Outcome) -> str:
    """The settings as a plan file: what was asked, nothing that was answered."""
    content: dict[str, Any] = {
        "label": "Settings only: holds no data and no answer.",
        "data": data_in_words(outcome),
        "domain": outcome.domain.as_dict(),
        "plan": outcome.plan.as_dict(),
    }
    if isinstance(outcome, Column):
        content["size"] = len(outcome.values)
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def as_script(outcome: Outcome) -> str:
    """A Python script that does the same with dpq_core."""
    seed = "" if isinstance(outcome, Left) else f", seed={outcome.sample_seed}"
    parts = [
        f'"""{_comment(privacy_label(outcome))}"""',
        f"import dpq_core as dpq\n{_ledger(outcome)}{outcome.reading}",
        f"domain = dpq.Domain({_arguments(outcome.domain.as_dict())})",
        f"plan = dpq.Plan.from_json({outcome.plan.to_json()!r})",
        f"sample = dpq.Sample.from_values(values, domain{seed}{_missing(outcome)})",
    ]
    if isinstance(outcome, Column):
        parts += [_column_call(outcome), "for value in column:\n    print(value)"]
    else:
        parts += [_quantiles_call(outcome), "for level, value in zip(plan.quantiles, answer):\n    print(level, value)"]
    return "\n\n".join(parts) + "\n"


def _quantiles_call(outcome: Quantiles) -> str:
    if isinstance(outcome, Released):
        return f"{AGAIN}\n{_account(outcome)}\nanswer = charged_release(sample, plan, account).values"
    call = f"dpq.simulate(sample, plan, trials={outcome.draws}, seed={outcome.seed})"
    return f"study = {call}  # no release\nanswer = study.values[0]"


def _column_call(outcome: Column) -> str:
    size = len(outcome.values)
    if isinstance(outcome, ReleasedColumn):
        return f"{AGAIN}\n{_account(outcome)}\ncolumn = charged_synthesis(sample, {size}, plan, account).values"
    call = f"dpq.simulate(sample, synthetic_plan(plan, {size}), trials=1, seed={outcome.seed})"
    load = "from dpq_core.release import synthetic_plan"
    return f"{load}\n\nstudy = {call}  # no release\ncolumn = study.values[0]"


def _ledger(outcome: Outcome) -> str:
    """A release goes through the ledger from a script too."""
    if not isinstance(outcome, Left):
        return ""
    call = "charged_synthesis" if isinstance(outcome, ReleasedColumn) else "charged_release"
    return f"from dpq_core.ledger import Ledger, {call}\n"


def _account(outcome: Left) -> str:
    return f"account = Ledger.from_environment(make_key=True).account({outcome.account!r})"


def _plain(outcome: Outcome, value: float) -> float | str | None:
    if not isfinite(value):
        return None
    return outcome.wording.number(value) if outcome.wording.kind == "date" else value


def _arguments(values: dict[str, str]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def _missing(outcome: Outcome) -> str:
    return "" if outcome.missing is None else f", missing={str(outcome.missing)!r}"


def _comment(text: str) -> str:
    return text.replace("\\", "").replace('"""', "'''")
