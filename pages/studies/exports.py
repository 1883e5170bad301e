"""Files of a study: its table, its figure, and what repeats it. Each says what may be done with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpq_core.frames.offered import table_as_csv
from dpq_core.frames.rows import level_text
from dpq_core.results.scripts import comment, file_check
from dpq_core.studies import tables

from ..server import downloads
from .job import StudyRequest
from .subjects import SHAPE

if TYPE_CHECKING:
    pass

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
    frame = tables.as_frame(rows)
    facts = {"data_set": request.subject.about, "date": request.made, "seed": request.grid.seed}
    texts = ["; ".join(level_text(Fraction(level)) for level in levels.split()) for levels in frame["quantiles"]]
    whole = frame.assign(quantiles=texts, **facts, privacy_label=label(request))
    return table_as_csv(list(whole), whole.itertuples(index=False))


def rows_as_json(request: StudyRequest, rows: Sequence[Any]) -> str:
    """Return the table and the grid that it comes from."""
    table = json.loads(tables.as_frame(rows).to_json(orient="records"))
    about = {"label": label(request), "kind": "study", "data": request.subject.about, "date": request.made}
    content = about | {"grid": request.grid.as_dict(), "rows": table}
    return json.dumps(_without_nan(content), indent=2, ensure_ascii=False) + "\n"


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
    return "\n".join(
        [
            f'"""{comment(label(request))}',
            "",
            comment(f"{subject.about} · {request.made} · seed {request.grid.seed}"),
            '"""',
            "",
            file_check(subject.file).rstrip("\n"),
            "from dpq_core.studies import engine, tables",
            "from dpq_core.studies.grid import Grid",
            *(["from dpq_core.studies.shapes import Table"] if subject.person else []),
            request.subject.reading,
            f"grid = Grid.from_json({request.grid.to_json()!r})",
            f"given = {{{request.subject.data!r}: {_given(request)}}}",
            "print(tables.as_frame(row for _, row in engine.steps(grid, given)))",
            "",
        ]
    )


def _given(request: StudyRequest) -> str:
    """Return the column as a script gives it, with the people that `reading` reads."""
    return "Table(values, people)" if request.subject.person else "values"


def of_rows(name: str, request: StudyRequest, rows: Sequence[Any], title: str, figure: Any) -> None:
    """Offer the files of a study: table, figure, and a grid file that repeats it without the dashboard."""
    files = {
        "CSV": lambda: rows_as_csv(request, rows),
        "JSON": lambda: rows_as_json(request, rows),
        "Figure": lambda: figure_as_html(request, title, figure()),
    }
    if request.subject.public:
        files["Grid"] = lambda: grid_as_json(request)
        st.caption("To repeat it without the dashboard, download the grid and say:")
        st.code(f"dpq study {GRID_FILE} --out table.csv", language=None, wrap_lines=True)
    else:
        files["Python"] = lambda: script(request)
    kind = "public-shape" if request.subject.identity == SHAPE else "not-private"
    downloads.show(files, f"{name}-{kind}", GRID_FILE, of=request.subject.about, day=request.made)


def _without_nan(value: Any) -> Any:
    """Return the value with None for NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {name: _without_nan(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_nan(each) for each in value]
    return None if isinstance(value, float) and value != value else value
