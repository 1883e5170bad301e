"""The codebook of a release of several columns: what each number is of, to hand on with them as CSV, JSON or HTML.

It is made of answers and public facts alone: post-processing, which costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from ...columns.release import ColumnsRelease
from ...domain.at_bounds import at_bound
from ...domain.domain import Domain
from ...frames.cells import level_text
from ...frames.offered import table_as_csv
from ...mechanisms.registry import MECHANISMS
from ...privacy.budgets import Guarantee
from ...release import warnings_of_budget
from ..answers import Answers
from ..exports import ENDS, data_set_of, ends_as_dict, found_as_dict, json_text, plain_value, price, privacy_label
from ..kinds import Explored, Paid
from ..wording import count_in_words
from .kinds import ColumnsOutcome
from .outcomes import answers_of

STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}th,td{border:1px solid #ccc;padding:.25rem .6rem;"
    "text-align:left}td.number{text-align:right;font-variant-numeric:tabular-nums}.quiet{color:#555}"
)


class Codebook:
    """The codebook of answers; `Codebook.of` takes what `dpq_core.release` gives of several columns."""

    def __init__(
        self,
        columns: tuple[Answers, ...],
        guarantee: Guarantee,
        one: str,
        facts: Mapping[str, str],
        label: str,
        warnings: tuple[str, ...] = (),
    ) -> None:
        """`facts`: where the answers come from, by name; `one`: what one row is; `warnings`: of the whole budget."""
        self.columns = columns
        self.guarantee = guarantee
        self.warnings = warnings
        self.one = one
        self.facts = dict(facts)
        self.label = label

    @classmethod
    def of(cls, release: ColumnsRelease[Any] | ColumnsOutcome) -> Codebook:
        """Return the codebook of a release, or of what a page shows."""
        warnings = warnings_of_budget(release.plan.privacy, release.guarantee)
        if isinstance(release, ColumnsRelease):
            one = release.guarantee.protects
            label = f"Release: {price(release)}, {release.guarantee.adjacency.of(one)}."
            return cls(
                tuple(answers_of(release)), release.guarantee, one, {"version": release.version}, label, warnings
            )
        facts = {"data_set": data_set_of(release), "date": release.made, "version": release.version}
        facts |= {"counts": release.rule} if release.rule else {}
        facts |= {"release_id": release.release_id} if isinstance(release, Paid) else {}
        facts |= {"seed": str(release.seed)} if isinstance(release, Explored) else {}
        return cls(release.answers, release.guarantee, release.protected, facts, privacy_label(release), warnings)

    @property
    def protects(self) -> str:
        """Return what is protected, in words: all columns together hide this change."""
        return f"{self.guarantee.adjacency.of(self.one)}, in all columns at once"

    def as_csv(self) -> str:
        """Return a row for each quantile of each column; the label is the last field."""
        rows = [self._row(column, at) for column in self.columns for at in range(len(column.values))]
        names = rows[0] if rows else {"column": "", "label": ""}
        return table_as_csv(names, (row.values() for row in rows))

    def _row(self, column: Answers, at: int) -> dict[str, Any]:
        level = column.plan.quantiles[at]
        group = {"group": column.group} if any(each.group for each in self.columns) else {}
        asked = any(each.intervals for each in self.columns)
        return {
            "column": column.wording.name,
            **group,
            "level": float(level),
            "quantile": level_text(level),
            "value": plain_value(column.wording, column.values[at]),
            **({**dict.fromkeys(ENDS, ""), **ends_as_dict(column, at)} if asked else {}),
            "unit": column.wording.unit,
            "at_bound": at_bound(column.values[at], column.domain),
            "remark": column.remarks[at],
            "mechanism": MECHANISMS[column.plan.mechanism].LABEL,
            "values_from": domain_in_words(column.domain, column),
            "protects": self.protects,
            **self.facts,
            "label": self.label,
        }

    def as_json(self) -> str:
        """Return everything that is known of the answers."""
        columns = [
            {
                "name": column.wording.name,
                **({"group": column.group} if column.group else {}),
                "kind": column.wording.kind,
                "unit": column.wording.unit,
                "mechanism": column.plan.mechanism,
                "domain": column.domain.as_dict(),
                **found_as_dict(column),
                "plan": column.plan.as_dict(),
                "quantiles": [
                    {
                        "level": str(level),
                        "value": plain_value(column.wording, column.values[at]),
                        **ends_as_dict(column, at),
                        "remark": column.remarks[at],
                    }
                    for at, level in enumerate(column.plan.quantiles)
                ],
                **({} if column.basis is None else {"intervals": column.basis.as_dict(column.wording.many)}),
                "notes": list(column.notes),
                "warnings": list(column.warnings),
            }
            for column in self.columns
        ]
        content = {
            "label": self.label,
            **self.facts,
            "protects": self.protects,
            "guarantee": self.guarantee.as_dict(),
            "warnings": list(self.warnings),
            "columns": columns,
        }
        return json_text(content)

    def as_html(self) -> str:
        """Return a page for people that needs nothing else: no script, no font, no other machine."""
        facts = " · ".join(f"{name.replace('_', ' ')}: {value}" for name, value in self.facts.items())
        warned = "".join(f"<p>{escape(warning)}</p>" for warning in self.warnings)
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>Codebook</title><style>{STYLE}</style></head><body><h1>Codebook</h1>"
            f"<p>{escape(self.label)}</p><p>Protects: {escape(self.protects)}.</p>"
            f'<p class="quiet">{escape(facts)}</p>{warned}{"".join(map(_section, self.columns))}</body></html>\n'
        )


def _section(column: Answers) -> str:
    words = column.wording
    cells = "".join(
        f'<tr><td>{escape(level_text(level))}</td><td class="number">{escape(words.value(column.values[at]))}</td>'
        f"{_interval(column, at)}<td>{escape(column.remarks[at])}</td></tr>"
        for at, level in enumerate(column.plan.quantiles)
    )
    asked = column.plan.intervals
    interval = f"<th>{escape(asked.percent)} interval</th>" if asked is not None and column.intervals else ""
    about = f"{MECHANISMS[column.plan.mechanism].LABEL} · {domain_in_words(column.domain, column)}"
    warned = "".join(f"<p>{escape(warning)}</p>" for warning in column.warnings)
    return (
        f'<h2>{escape(column.label)}</h2><p class="quiet">{escape(about)}</p>{warned}'
        f"<table><thead><tr><th>Share at or below</th><th>Private value</th>{interval}<th>Remark</th></tr></thead>"
        f"<tbody>{cells}</tbody></table>"
    )


def _interval(column: Answers, at: int) -> str:
    if not column.intervals:
        return ""
    low, high = map(column.wording.value, column.intervals[at])
    return f'<td class="number">{escape(low)} to {escape(high)}</td>'


def domain_in_words(domain: Domain, column: Answers) -> str:
    """Return which values a column can have: public knowledge."""
    if domain.has_even_steps:
        low, high = (column.wording.number(float(end)) for end in (domain.lower, domain.upper))
        return f"{low} to {high} in even steps"
    sign = "of either sign" if domain.lower < 0 else "0 or more"
    return f"numbers of {count_in_words(int(domain.as_dict()['digits']), 'significant digit')}, {sign}"
