"""Outcomes of all groups as files: long and wide tables, everything, the settings alone, a script."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from ...frames import level_text, table_as_csv
from ...groups import FINDING_SHARE
from ..answers import Answers
from ..exports import (
    adjacency_in_words,
    data_in_words,
    found_as_dict,
    json_text,
    origin,
    origin_in_words,
    person_as_dict,
    plain_value,
    privacy_label,
)
from ..scripts import AGAIN, charged_in_words, comment, file_check, missing_argument, people_argument
from ..tables.asked import IDS
from .kinds import GroupedReleased, GroupedSimulation, GroupsOutcome

ENDS = ("low", "high")
"""What the ends of intervals are called."""


def as_csv(outcome: GroupsOutcome) -> str:
    """Return a row for each quantile of each group; the label is the last field."""
    end = [outcome.wording.unit, *origin(outcome).values(), privacy_label(outcome)]
    levels, small = outcome.plan.quantiles, partial(_too_small, outcome)
    table = (
        [answer.group, float(level), level_text(level), *_numbers(outcome, answer, at).values(), small(answer), *end]
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
    kinds = ["private", *(ENDS if outcome.plan.intervals is not None else ())]
    kinds += ["true"] if isinstance(outcome, GroupedSimulation) else []
    table = (
        [
            answer.group,
            *(_numbers(outcome, answer, at)[kind] for kind in kinds for at in range(len(levels))),
            small(answer),
            *end,
        ]
        for answer in outcome.answers
    )
    shown = [level if kind == "private" else f"{kind} {level}" for kind in kinds for level in levels]
    return table_as_csv(["group", *shown, "too_small", "unit", *origin(outcome), "label"], table)


def _too_small(outcome: GroupsOutcome, answer: Answers) -> str:
    """Return whether a group is too small for its budget, so that its answers are noise; empty if not known."""
    if outcome.too_small is None:
        return ""
    return "yes" if answer.group in outcome.too_small else "no"


def _names_of_numbers(outcome: GroupsOutcome) -> list[str]:
    ends = ["low", "high"] if outcome.plan.intervals is not None else []
    more = ["true", "rank_error", "noise_low", "noise_high"] if isinstance(outcome, GroupedSimulation) else []
    return ["private", *ends, *more]


def _numbers(outcome: GroupsOutcome, answer: Answers, at: int) -> dict[str, Any]:
    """Return what is known of one quantile of one group; of a release its answer alone, with its interval if asked."""
    found: dict[str, Any] = {"private": plain_value(outcome, answer.values[at])}
    if answer.intervals:
        found |= {name: plain_value(outcome, end) for name, end in zip(ENDS, answer.intervals[at], strict=True)}
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
        **found_as_dict(outcome),
        "domain": outcome.domain.as_dict(),
        "plan": outcome.plan.as_dict(),
        **person_as_dict(outcome),
        "groups": outcome.groups.as_dict(),
        **({} if outcome.basis is None else {"intervals": outcome.basis.as_dict(outcome.wording.many)}),
        "sizes": {answer.group: outcome.sizes.of(answer.group) for answer in outcome.answers},
        "too_small": None if outcome.too_small is None else list(outcome.too_small),
        "guarantee": outcome.guarantee.as_dict(),
        "protects": adjacency_in_words(outcome),
        "notes": list(outcome.notes),
        "warnings": list(outcome.warnings),
        "version": outcome.version,
        "answers": [_answer(outcome, answer) for answer in outcome.answers],
    }
    return json_text(content)


def _answer(outcome: GroupsOutcome, answer: Answers) -> dict[str, Any]:
    levels = enumerate(outcome.plan.quantiles)
    found: dict[str, Any] = {
        "group": answer.group,
        "quantiles": [{"level": str(level), **_numbers(outcome, answer, at)} for at, level in levels],
    }
    return found if answer.size is None else found | {"records": answer.size}


def as_plan(outcome: GroupsOutcome) -> str:
    """Return the settings as a plan file, without any answer."""
    content = {
        "label": "Settings only: holds no data and no answer.",
        "data": data_in_words(outcome),
        **origin(outcome),
        **(found_as_dict(outcome) or {"domain": outcome.domain.as_dict()}),
        "plan": outcome.plan.as_dict(),
        **person_as_dict(outcome),
        "groups": outcome.groups.as_dict(),
    }
    return json_text(content)


def as_script(outcome: GroupsOutcome) -> str:
    """Return a Python script that does the same with dpq_core."""
    released = isinstance(outcome, GroupedReleased)
    names = None if outcome.groups.names is None else list(outcome.groups.names)
    ledger = "from dpq_core.ledger import Ledger, charged_groups, new_release_id\n" if released else ""
    bounds = "domain" if outcome.find_bounds is None else "find_bounds"
    parts = [
        f'"""{comment(privacy_label(outcome))}\n\n{comment(origin_in_words(outcome))}\n"""',
        f"import dpq_core as dpq\n{ledger}{file_check(outcome.file)}{outcome.reading}",
        outcome.groups_reading,
        f"{bounds} = dpq.{outcome.bounds!r}",
        f"plan = dpq.Plan.from_json({outcome.plan.to_json()!r})",
        f"names = {names!r}",
        _grouped(outcome) if outcome.find_bounds is None else _table(outcome),
        _call(outcome),
        "for name, row in answers.items():\n    print(name, *row)",
    ]
    if released:
        parts.append(charged_in_words(outcome.plan))
    return "\n\n".join(parts) + "\n"


def _grouped(outcome: GroupsOutcome) -> str:
    chosen = "".join(f", {name}={value!r}" for name, value in outcome.groups.settings.items())
    if outcome.groups.names is None:
        chosen += f", finding={FINDING_SHARE}"
    return (
        f"grouped = dpq.Groups.from_values(\n    values, groups, domain, names=names{chosen}{_seed(outcome)}"
        f"{missing_argument(outcome)}{people_argument(outcome)}\n)"
    )


def _table(outcome: GroupsOutcome) -> str:
    """Return Python that makes a table of one column, whose bounds are found first."""
    column, group = outcome.wording.name, outcome.groups.column
    settings = outcome.groups.settings_of_table(outcome.person)
    by = settings.pop("by")[group]
    frame, asked = (
        f"{column!r}: values, {group!r}: groups",
        "".join(f", {name}={value!r}" for name, value in settings.items()),
    )
    if outcome.person is not None:
        frame += f", {IDS!r}: people"
        asked += f", person={IDS!r}" + "".join(f", {name}={value!r}" for name, value in outcome.person.settings.items())
    listed = "names" if isinstance(by, list) else f"dpq.{by!r}"
    return (
        f"table = dpq.Table.from_frame(\n    {{{frame}}}, {{{column!r}: find_bounds}}, by={{{group!r}: {listed}}}"
        f"{asked}{_seed(outcome)}{missing_argument(outcome)}\n)\ngrouped = table[{column!r}]"
    )


def _seed(outcome: GroupsOutcome) -> str:
    return f", seed={outcome.sample_seed}" if isinstance(outcome, GroupedSimulation) else ""


def _call(outcome: GroupsOutcome) -> str:
    if isinstance(outcome, GroupedReleased):
        account = f"account = Ledger.from_environment(make_key=True).account({outcome.account!r})"
        call = "released = charged_groups(grouped, plan, account, release_id=release_id)"
        return f"{AGAIN}\n{account}\nrelease_id = new_release_id()\n{call}\nanswers = released.values"
    found = outcome.find_bounds is not None
    of_column = f".studies[{outcome.wording.name!r}]" if found else ""
    asked = f"dpq.simulate({'table' if found else 'grouped'}, plan, trials={outcome.draws}, seed={outcome.seed})"
    call = f"study = {asked}{of_column}  # no release"
    if outcome.groups.names is None:
        rows = "zip(study.names, study.values[0].tolist(), strict=True)"
        return f"{call}\nanswers = {{name: row for name, row in {rows} if row[0] == row[0]}}  # NaN where not found"
    return f"{call}\nanswers = dict(zip(study.names, study.values[0].tolist(), strict=True))"


def middle_of(levels: tuple[Fraction, ...]) -> int:
    """Return the place of the level that is nearest to the median."""
    return min(range(len(levels)), key=lambda at: abs(levels[at] - Fraction(1, 2)))
