"""Outcomes of all groups as files: long and wide tables, everything, the settings alone, a script."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from ...frames import level_text, table_as_csv
from ...groups import FINDING_SHARE
from ..exports import (
    adjacency_in_words,
    data_in_words,
    json_text,
    origin,
    origin_in_words,
    person_as_dict,
    plain_value,
    privacy_label,
)
from ..scripts import AGAIN, charged_in_words, comment, file_check, missing_argument, people_argument
from .kinds import GroupAnswer, GroupedReleased, GroupedSimulation, GroupsOutcome


def as_csv(outcome: GroupsOutcome) -> str:
    """Return a row for each quantile of each group; the label is the last field."""
    end = [outcome.wording.unit, *origin(outcome).values(), privacy_label(outcome)]
    levels, small = outcome.plan.quantiles, partial(_too_small, outcome)
    table = (
        [answer.name, float(level), level_text(level), *_numbers(outcome, answer, at).values(), small(answer), *end]
        for answer in outcome.answers
        for at, level in enumerate(levels)
    )
    shown = _names_of_numbers(outcome)
    return table_as_csv(["group", "level", "quantile", *shown, "too_small", "unit", *origin(outcome), "label"], table)


def as_wide_csv(outcome: GroupsOutcome) -> str:
    """Return a row for each group with a column for each quantile; the label is the last field."""
    end = [outcome.wording.unit, *origin(outcome).values(), privacy_label(outcome)]
    levels = [level_text(level) for level in outcome.plan.quantiles]
    small = partial(_too_small, outcome)
    kinds = ["private", "true"] if isinstance(outcome, GroupedSimulation) else ["private"]
    table = (
        [
            answer.name,
            *(_numbers(outcome, answer, at)[kind] for kind in kinds for at in range(len(levels))),
            small(answer),
            *end,
        ]
        for answer in outcome.answers
    )
    shown = [level if kind == "private" else f"{kind} {level}" for kind in kinds for level in levels]
    return table_as_csv(["group", *shown, "too_small", "unit", *origin(outcome), "label"], table)


def _too_small(outcome: GroupsOutcome, answer: GroupAnswer) -> str:
    """Return whether a group is too small for its budget, so that its answers are noise; empty if not known."""
    if outcome.too_small is None:
        return ""
    return "yes" if answer.name in outcome.too_small else "no"


def _names_of_numbers(outcome: GroupsOutcome) -> list[str]:
    more = ["true", "rank_error", "noise_low", "noise_high"] if isinstance(outcome, GroupedSimulation) else []
    return ["private", *more]


def _numbers(outcome: GroupsOutcome, answer: GroupAnswer, at: int) -> dict[str, Any]:
    """Return what is known of one quantile of one group; of a release its answer alone."""
    found: dict[str, Any] = {"private": plain_value(outcome, answer.values[at])}
    if isinstance(outcome, GroupedSimulation):
        low, high = (ends[at] if ends else None for ends in (answer.lows, answer.highs))
        found |= {
            "true": plain_value(outcome, answer.true_values[at]),
            "rank_error": int(answer.errors[at]),
            "noise_low": None if low is None else plain_value(outcome, low),
            "noise_high": None if high is None else plain_value(outcome, high),
        }
    return found


def as_json(outcome: GroupsOutcome) -> str:
    """Return everything about the outcome as JSON."""
    content: dict[str, Any] = {
        "label": privacy_label(outcome),
        "kind": "release" if isinstance(outcome, GroupedReleased) else "simulation",
        "data": data_in_words(outcome),
        **origin(outcome),
        "domain": outcome.domain.as_dict(),
        "plan": outcome.plan.as_dict(),
        **person_as_dict(outcome),
        "groups": outcome.groups.as_dict(),
        "sizes": {answer.name: outcome.sizes.of(answer.name) for answer in outcome.answers},
        "too_small": None if outcome.too_small is None else list(outcome.too_small),
        "guarantee": outcome.guarantee.as_dict(),
        "protects": adjacency_in_words(outcome),
        "notes": list(outcome.notes),
        "warnings": list(outcome.warnings),
        "version": outcome.version,
        "answers": [_answer(outcome, answer) for answer in outcome.answers],
    }
    return json_text(content)


def _answer(outcome: GroupsOutcome, answer: GroupAnswer) -> dict[str, Any]:
    levels = enumerate(outcome.plan.quantiles)
    found: dict[str, Any] = {
        "group": answer.name,
        "quantiles": [{"level": str(level), **_numbers(outcome, answer, at)} for at, level in levels],
    }
    return found if answer.size is None else found | {"records": answer.size}


def as_plan(outcome: GroupsOutcome) -> str:
    """Return the settings as a plan file, without any answer."""
    content = {
        "label": "Settings only: holds no data and no answer.",
        "data": data_in_words(outcome),
        **origin(outcome),
        "domain": outcome.domain.as_dict(),
        "plan": outcome.plan.as_dict(),
        **person_as_dict(outcome),
        "groups": outcome.groups.as_dict(),
    }
    return json_text(content)


def as_script(outcome: GroupsOutcome) -> str:
    """Return a Python script that does the same with dpq_core."""
    released = isinstance(outcome, GroupedReleased)
    seed = f", seed={outcome.sample_seed}" if isinstance(outcome, GroupedSimulation) else ""
    chosen = "".join(f", {name}={value!r}" for name, value in outcome.groups.settings.items())
    if outcome.groups.names is None:
        chosen += f", finding={FINDING_SHARE}"
    names = None if outcome.groups.names is None else list(outcome.groups.names)
    ledger = "from dpq_core.ledger import Ledger, charged_groups, new_release_id\n" if released else ""
    parts = [
        f'"""{comment(privacy_label(outcome))}\n\n{comment(origin_in_words(outcome))}\n"""',
        f"import dpq_core as dpq\n{ledger}{file_check(outcome.file)}{outcome.reading}",
        outcome.groups_reading,
        f"domain = dpq.{outcome.domain!r}",
        f"plan = dpq.Plan.from_json({outcome.plan.to_json()!r})",
        f"names = {names!r}",
        f"grouped = dpq.Groups.from_values(\n    values, groups, domain, names=names{chosen}{seed}"
        f"{missing_argument(outcome)}{people_argument(outcome)}\n)",
        _call(outcome),
        "for name, row in answers.items():\n    print(name, *row)",
    ]
    if released:
        parts.append(charged_in_words(outcome.plan))
    return "\n\n".join(parts) + "\n"


def _call(outcome: GroupsOutcome) -> str:
    if isinstance(outcome, GroupedReleased):
        account = f"account = Ledger.from_environment(make_key=True).account({outcome.account!r})"
        call = "released = charged_groups(grouped, plan, account, release_id=release_id)"
        return f"{AGAIN}\n{account}\nrelease_id = new_release_id()\n{call}\nanswers = released.values"
    call = f"study = dpq.simulate(grouped, plan, trials={outcome.draws}, seed={outcome.seed})  # no release"
    return f"{call}\nanswers = dict(zip(study.names, study.values[0].tolist(), strict=True))"


def middle_of(levels: tuple[Fraction, ...]) -> int:
    """Return the place of the level that is nearest to the median."""
    return min(range(len(levels)), key=lambda at: abs(levels[at] - Fraction(1, 2)))
