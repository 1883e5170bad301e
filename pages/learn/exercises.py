"""Exercises after the lessons: questions, solutions that run, and a notebook of both. Read from one file of Markdown.

# Title, and what all exercises share, with its code
## 1. Title of an exercise, and its question
### Solution, with its code
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from .. import keys
from ..server import downloads
from .course import Lesson

FILE = Path(__file__).parents[1] / "texts" / "exercises.md"
CODE = re.compile(r"```python\n(.*?)```\n?", re.DOTALL)


@dataclass(frozen=True)
class Exercise:
    """A question with its solution, as Markdown."""

    title: str
    question: str
    solution: str


@lru_cache(maxsize=1)
def exercises() -> tuple[str, tuple[Exercise, ...]]:
    """Return what all exercises share, and the exercises."""
    head, *parts = FILE.read_text(encoding="utf-8").split("\n## ")
    found = []
    for part in parts:
        title, _, body = part.partition("\n")
        question, _, solution = body.partition("\n### Solution\n")
        found.append(Exercise(title, question.strip(), solution.strip()))
    return head.partition("\n")[2].strip(), tuple(found)


def show(lesson: Lesson) -> None:
    """Show the exercises under the last lesson; nothing under the others."""
    if not lesson.is_last:
        return
    shared, each = exercises()
    st.subheader("Exercises", anchor=False)
    st.markdown(CODE.sub("", shared))
    for number, exercise in enumerate(each, start=1):
        with st.expander(exercise.title, type="compact"):
            st.markdown(exercise.question)
            if st.toggle("Show the solution", key=keys.widget("solution", number)):
                st.markdown(exercise.solution)
    downloads.show({"Notebook": notebook}, "exercises")


def notebook() -> str:
    """Return the exercises as a Jupyter notebook: text and code in cells of their own, in the order of the file."""
    cells: list[dict[str, Any]] = []
    for at, piece in enumerate(CODE.split(FILE.read_text(encoding="utf-8"))):
        if piece.strip():
            cells.append(_cell("code" if at % 2 else "markdown", piece.strip(), len(cells)))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps(
        {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}, indent=1
    )


def _cell(kind: str, source: str, number: int) -> dict[str, Any]:
    """Return a cell, as version 4.5 of the format has it."""
    cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": source.splitlines(keepends=True)}
    return cell if kind == "markdown" else cell | {"execution_count": None, "outputs": []}
