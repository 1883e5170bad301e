"""Outcomes as files: CSV, JSON, a plan, a script. Each says what kind of answer it is, of what, by what, and when.

A release is written from itself alone; a simulation has the truth beside its answers, and says so in every row.

Scripts in Python with dpq_core: a simulation is repeated exactly, a release gives its stored answer again. A script
holds the whole question, as plan files, links and the ledger do. A release is one call with its account and
its id. Where the ledger is, it gives the same table whenever it is run, and charges nothing more.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf
from pprint import pformat
from typing import Any, TypeAlias

from ..frame import different
from ..mechanisms.registry import MECHANISMS
from ..question import Question
from .chosen import TableReading
from .data_set import EXPLORE_SEED
from .kinds import NOT_PRIVATE, Answered, Released, Simulated
from .simulated import DRAWS, WALKS
from .trace import InsideRun

Labelled: TypeAlias = Answered | InsideRun


def privacy_label(outcome: Labelled) -> str:
    """Return one sentence about what may be done with the answers."""
    return (
        f"Release: {price(outcome)}, {adjacency_in_words(outcome)}." if isinstance(outcome, Released) else NOT_PRIVATE
    )


def adjacency_in_words(outcome: Labelled) -> str:
    """Return the adjacency in the words for one row: `one person joins or leaves`."""
    return outcome.plan.adjacency.of(outcome.wording.protected)


def price(outcome: Labelled) -> str:
    """Return the spent budget in the terms of the plan: `ε = 1`, `ε = 1, δ = 0.000001`, `ρ = 0.5`."""
    return outcome.guarantee.in_terms_of(outcome.plan.privacy)


def kind_in_words(outcome: Labelled) -> str:
    """Return whether answers were released or simulated, and from which seed."""
    return (
        f"Simulation with seed {outcome.seed}, not a release"
        if isinstance(outcome, Simulated | InsideRun)
        else "Release"
    )


def kind_of_file(outcome: Labelled) -> str:
    """Return the part of a file's name that says what may be shown."""
    return "release" if isinstance(outcome, Released) else "simulation-not-private"


def data_set_of(outcome: Labelled) -> str:
    """Return the name of the data set: of the account that paid, or of the column or the table."""
    if isinstance(outcome, Released):
        return outcome.release.account
    return outcome.about if isinstance(outcome, Answered) and outcome.question.several else outcome.wording.name


def mechanism_in_words(outcome: Labelled) -> str:
    """Return the names of the mechanisms in words."""
    plans = outcome.chosen.plan.plans.values() if isinstance(outcome, Answered) else [outcome.plan]
    return ", ".join(dict.fromkeys(MECHANISMS[plan.mechanism].LABEL for plan in plans))


def data_in_words(outcome: Labelled) -> str:
    """Return the name of the column, and its source where that is known."""
    return f"{outcome.about} · {outcome.source}" if outcome.source else outcome.about


def origin(outcome: Labelled) -> dict[str, Any]:
    """Return what every file says about the origin of its answers: the id of a release, or the seed of a simulation."""
    facts: dict[str, Any] = {"mechanism": mechanism_in_words(outcome)}
    if isinstance(outcome, Released):
        made = outcome.release
        return facts | {"account": made.account, "date": made.made, "release_id": made.id}
    assert isinstance(outcome, Simulated | InsideRun), "simulated or released"
    run = f", run {outcome.run + 1}" if isinstance(outcome, InsideRun) and outcome.run else ""
    return facts | {"data_set": outcome.about, "date": outcome.made, "seed": f"{outcome.seed}{run}"}


def origin_in_words(outcome: Labelled) -> str:
    """Return the same as a line for people: `Splitting in halves (AQ) · patients · 2026-01-31T… · release id …`."""
    *facts, last = origin(outcome).items()
    name = "release id" if last[0] == "release_id" else last[0]
    return " · ".join([*(str(value) for _, value in facts), f"{name} {last[1]}"])


def as_json(outcome: Answered) -> str:
    """Return everything about the outcome as JSON; a release as it is stored."""
    if isinstance(outcome, Released):
        return outcome.release.to_json(indent=2) + "\n"
    content = {
        "label": privacy_label(outcome),
        "kind": "simulation",
        "data": data_in_words(outcome),
        **origin(outcome),
        "guarantee": outcome.guarantee.as_dict(),
        "warnings": list(outcome.release.warnings),
        "notes": list(outcome.notes),
        "version": outcome.release.version,
    }
    columns = {name: plan.as_dict() for name, plan in outcome.chosen.plan.plans.items()}
    rows = outcome.release.for_files().drop(columns=[*origin(outcome), "label"]).to_dict("records")
    known = [
        {name: None if cell in {inf, -inf} else cell for name, cell in row.items() if cell == cell and cell != ""}
        for row in rows
    ]
    return json.dumps(content | {"plans": columns, "answers": known}, indent=2, ensure_ascii=False) + "\n"


def as_plan(outcome: Answered) -> str:
    """Return the question as a file, whole, without any answer: the shell and `Question.from_json` read it."""
    return outcome.question.to_json(indent=2) + "\n"


NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d+)?(e[+-]?\d{1,3})?")
"""What a spreadsheet may take for a number: no code with a leading zero, and no id of more digits than it can hold."""
MOST_DIGITS = 15
WIDEST = 60
"""Characters of a column."""


def as_xlsx(table: str, name: str) -> bytes:
    """Return a workbook of one sheet with the rows of a CSV text; `name`: of the sheet. Nothing in it is a formula."""
    from xlsxwriter import Workbook  # for files only

    rows = list(csv.reader(io.StringIO(table)))
    out = io.BytesIO()
    with Workbook(out, {"in_memory": True}) as book:
        sheet = book.add_worksheet(re.sub(r"[\[\]:*?/\\\\]", " ", name).strip(" '")[:31].strip(" '") or "table")
        bold = book.add_format({"bold": True})
        for at, row in enumerate(rows):
            for column, cell in enumerate(row):
                if at and NUMBER.fullmatch(cell) and sum(map(str.isdigit, cell)) <= MOST_DIGITS:
                    sheet.write_number(at, column, float(cell))
                else:
                    sheet.write_string(at, column, cell, None if at else bold)
        sheet.freeze_panes(1, 0)
        for column in range(len(rows[0]) if rows else 0):
            longest = max(len(row[column]) for row in rows if len(row) > column)
            sheet.set_column(column, column, min(longest + 2, WIDEST))
    return out.getvalue()


WIDTH = 100
"""Characters of a line of the question."""
AGAIN = "# The ledger gives the stored answer of this id, and charges nothing more."


def files_of(outcome: Answered) -> dict[str, Callable[[], str]]:
    """Return what makes each file of an outcome that can be taken away, by its label."""
    made = outcome.release
    wide = {} if outcome.alone else {"Wide CSV": partial(made.to_csv, wide=True)}
    return {
        "CSV": made.to_csv, **wide, "JSON": partial(as_json, outcome),
        "Python": partial(as_script, outcome), "Plan": partial(as_plan, outcome),
    }  # fmt: skip


def as_script(outcome: Answered) -> str:
    """Return a Python script that does the same with dpq_core."""
    head = f'"""{comment(privacy_label(outcome))}\n\n{comment(origin_in_words(outcome))}\n"""'
    asked, seed = outcome.question, ""
    if isinstance(outcome, Simulated):
        asked, seed = outcome.chosen.drawn, f", seed={EXPLORE_SEED}"
    if asked.persons is not None:  # the frame calls their ids otherwise where another column has that name
        taken = {*asked.columns, *(asked.groups.by if asked.groups else ())}
        asked = replace(asked, persons=replace(asked.persons, column=different([asked.persons.column], taken)[0]))
    question = pformat(json.loads(asked.to_json()), width=WIDTH, sort_dicts=False)
    said = f"question = dpq.Question.from_dict(\n{question}\n)\ntable = dpq.Table.of(frame, question{seed})"
    return "\n\n".join([head, _opened(asked, outcome.reading), said, *_drawn(outcome)]) + "\n"


def _drawn(outcome: Answered) -> list[str]:
    """Return Python that draws of `table`, and prints what was drawn."""
    if isinstance(outcome, Released):
        made = outcome.release
        paid = f"account=dpq.account({made.account!r}), release_id={made.id!r}"
        return [f"{AGAIN}\nanswers = dpq.release(table, question.plan, {paid})", "print(answers.to_csv())"]
    assert isinstance(outcome, Simulated), "simulated or released"
    if outcome.question.several or outcome.groups is not None:
        drawn = f"trials={outcome.draws}, seed={outcome.seed}"
        return [f"study = dpq.simulate(table, question.plan, {drawn})  # no release", "print(study.to_frame())"]
    steps = f"column = table[{outcome.wording.name!r}]\nsteps = steps_of(column, question.plan.first)"
    runs = f"runs = simulate_column(column, steps, {DRAWS}, {outcome.seed}, firsts={WALKS}).values[:, 0]  # no release"
    imports = "from dpq_core.steps import steps_of\nfrom dpq_core.study import simulate_column"
    return [f"{imports}\n\n{steps}\n{runs}", "print(*runs[0])"]


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
        rows.append((asked.persons.column, reading.people))
    frame = "".join(f"    {name!r}: {read},\n" for name, read in rows)
    imports = "\n".join(["import dpq_core as dpq", *reading.imports])
    return f"{imports}\n\n{file_check(reading.file)}frame = {{\n{frame}}}"


def comment(text: str) -> str:
    """Return a text that is safe in a docstring, from any text that a person typed or a file contains."""
    return text.replace("\\", "").replace('"""', "'''")
