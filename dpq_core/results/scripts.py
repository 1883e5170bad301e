"""Outcomes as Python scripts with dpq_core: a simulation is repeated exactly, a release gives its stored answer again.

A script holds the whole question, as plan files, links and the ledger do. A release is one call with its account and
its id. Where the ledger is, it gives the same table whenever it is run, and charges nothing more.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pprint import pformat
from typing import Any

from ..question import Question
from .chosen import TableReading, for_intervals, unused
from .data_set import EXPLORE_SEED
from .exports import as_json, as_plan, origin_in_words, privacy_label
from .kinds import Answered, Released, Simulated
from .simulated import DRAWS, WALKS

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
        about: dict[str, Any] = {name: for_intervals(each.about_n) for name, each in asked.columns.items()}
        columns = {name: replace(each, about_n=about[name]) for name, each in asked.columns.items()}
        asked = replace(asked, columns=columns)
    if asked.persons is not None:  # the frame calls their ids otherwise where another column has that name
        taken, column = {*asked.columns, *(asked.groups.by if asked.groups else ())}, asked.persons.column
        asked = replace(asked, persons=replace(asked.persons, column=column if column not in taken else unused(taken)))
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
    imports = "from dpq_core.steps import steps_of\nfrom dpq_core.trials import simulate_column"
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
