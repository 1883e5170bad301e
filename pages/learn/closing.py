"""The closing page of the course: of each lesson one question and its answer, on the screen and to print."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape

import streamlit as st

from ..server import downloads
from .course import COURSE, Lesson

TITLE = "Private quantiles: what the course has shown"
STYLE = """@page { size: A4; margin: 12mm 16mm; }
body { font: 10.5pt/1.35 system-ui, "Source Sans 3", "DejaVu Sans", sans-serif; color: #0e1828; background: #fff;
  max-width: 48rem; margin: 1.5rem auto; padding: 0 1rem; }
h1 { font-size: 1.4em; margin: 0 0 .5em; } ol { margin: 0; padding-left: 1.6em; } li { margin: 0 0 .42em; }
@media screen and (prefers-color-scheme: dark) { body { color: #e7ebf2; background: #12161d; } }
@media print { body { margin: 0; padding: 0; max-width: none; font-size: 9pt; } li { break-inside: avoid; } }"""


def show(lesson: Lesson) -> None:
    """Show the closing page under the last lesson; nothing under the others."""
    if not lesson.is_last:
        return
    lessons = list(COURSE.values())
    with st.expander("What the course has shown, on one page", icon=":material/school:"):
        st.markdown("\n".join(f"{each.number}. **{each.text.title}.** {' '.join(_answered(each))}" for each in lessons))
        downloads.show({"To print": partial(document, lessons)}, "course")


def document(lessons: Sequence[Lesson]) -> str:
    """Return the closing page as a file that needs nothing else and is printed on one sheet."""
    items = "".join(
        f"<li><b>{escape(each.text.title)}.</b> {escape(question)} <i>{escape(answer)}</i> {escape(because)}</li>"
        for each in lessons
        for question, answer, because in [_answered(each)]
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{TITLE}</title><style>{STYLE}</style></head><body><h1>{TITLE}</h1><ol>{items}</ol></body></html>\n"
    )


def _answered(lesson: Lesson) -> tuple[str, str, str]:
    """Return the question at the end of a lesson, its right answer as a sentence, and why it is right."""
    question = lesson.text.check
    right = next(choice for choice in question.choices if choice.right)
    return question.text, right.text.rstrip(".") + ".", right.because
