"""Files of a study: its table, its figure, and what repeats it. Each says what may be done with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import streamlit as st

from dpq_core.frame import level_text
from dpq_core.results.scripts import comment, file_check
from dpq_core.studies import engine
from dpq_core.tabular import table_as_csv

from ..server import downloads
from .study import StudyRequest
from .subject import SHAPE

NOT_PRIVATE = "Study, not private: simulated beside the true values, for public or synthetic data only."
OF_A_SHAPE = "Study of a public shape: it holds nothing of any private data. Not a release."
SETTINGS_ONLY = "Settings only: holds no data and no answer."
GRID_FILE = "grid-settings-only.json"


def label(request: StudyRequest) -> str:
    """Return one sentence about what may be done with the numbers."""
    return OF_A_SHAPE if request.subject.identity == SHAPE else NOT_PRIVATE


def rows_as_csv(request: StudyRequest, rows: Sequence[Any]) -> str:
    """Return the table, one line for each configuration; the privacy label is its last column.

    Levels are texts that no spreadsheet takes for dates: `25 %; 33.33 % (1/3)`.
    """
    frame = engine.as_frame(rows)
    facts = {"data_set": request.subject.about, "date": request.made, "seed": request.grid.seed}
    texts = ["; ".join(level_text(Fraction(level)) for level in levels.split()) for levels in frame["quantiles"]]
    whole = frame.assign(quantiles=texts, **facts, privacy_label=label(request))
    return table_as_csv(list(whole), whole.itertuples(index=False))


def rows_as_json(request: StudyRequest, rows: Sequence[Any]) -> str:
    """Return the table and the grid that it comes from."""
    table = json.loads(engine.as_frame(rows).to_json(orient="records"))
    about = {"label": label(request), "kind": "study", "data": request.subject.about, "date": request.made}
    content = about | {"grid": request.grid.as_dict(), "rows": table}
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def grid_as_json(request: StudyRequest) -> str:
    """Return the settings of the study, for `dpq study`."""
    return json.dumps({"label": SETTINGS_ONLY} | request.grid.as_dict(), indent=2, ensure_ascii=False) + "\n"


def figure_as_html(request: StudyRequest, title: str, figure: Any) -> str:
    """Return the figure as one self-contained page with what it is."""
    from dpq_core.figures.frame import as_html, shown

    grid, mechanisms = request.grid, ", ".join(dict.fromkeys(method.label for method in request.grid.mechanisms))
    runs = f"{grid.trials} simulated runs for each number, seed {grid.seed}"
    facts = f"{request.subject.about} · {mechanisms} · {request.made} · {runs}"
    return as_html([shown(figure)], title=title, paragraphs=[label(request), facts])


def script(request: StudyRequest) -> str:
    """Return a Python script that does the study of a column of one's own again."""
    subject = request.subject
    table = "from dpq_core.studies.shapes import Table\n" if subject.person else ""
    return f'''"""{comment(label(request))}

{comment(f"{subject.about} · {request.made} · seed {request.grid.seed}")}
"""

{file_check(subject.file).rstrip()}
from dpq_core.studies import engine
from dpq_core.studies.design import StudyDesign
{table}{subject.reading}
grid = StudyDesign.from_json({request.grid.to_json()!r})
given = {{{subject.data!r}: {"Table(values, people)" if subject.person else "values"}}}
print(engine.as_frame(row for _, row in engine.steps(grid, given)))
'''


def offer(name: str, request: StudyRequest, rows: Sequence[Any], title: str, figure: Any) -> None:
    """Offer the files of a study: table, figure, and a grid file that repeats it without the dashboard."""
    files = {
        "CSV": lambda: rows_as_csv(request, rows),
        "JSON": lambda: rows_as_json(request, rows),
        "Figure": lambda: figure_as_html(request, title, figure()),
    }
    if request.subject.public:
        files["Grid"] = lambda: grid_as_json(request)
        st.caption("To repeat this study without the dashboard, download *Grid* and run:")
        st.code(f"dpq study {GRID_FILE} --out table.csv", language=None, wrap_lines=True)
    else:
        files["Python"] = lambda: script(request)
    kind = "public-shape" if request.subject.identity == SHAPE else "not-private"
    downloads.show(files, f"{name}-{kind}", GRID_FILE, of=request.subject.about, day=request.made)
