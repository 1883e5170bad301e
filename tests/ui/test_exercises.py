"""The exercises: each has a question and a solution that runs, and the notebook holds all of it in its order."""

from __future__ import annotations

import json

import pytest

from pages.learn.course import COURSE
from pages.learn.exercises import CODE, FILE, exercises, notebook
from tests.pages.driving import open_page, run, words


def test_every_exercise_has_a_question_and_a_solution_with_code() -> None:
    shared, each = exercises()
    assert CODE.search(shared), "what all of them need"
    assert [exercise.title.split(".")[0] for exercise in each] == [str(number) for number in range(1, len(each) + 1)]
    for exercise in each:
        assert "?" in exercise.question
        assert not CODE.search(exercise.question)
        assert CODE.search(exercise.solution)


def test_the_notebook_runs_from_its_first_cell_to_its_last(capsys: pytest.CaptureFixture[str]) -> None:
    made = json.loads(notebook())
    names: dict[str, object] = {}
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert capsys.readouterr().out.count("off by") >= 10
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in made["cells"]}) == len(made["cells"])
    code = ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code"]
    assert code == [found.strip() for found in CODE.findall(FILE.read_text("utf-8"))]


def test_the_last_lesson_has_exercises_whose_solutions_wait() -> None:
    course = list(COURSE)
    assert "Exercises" not in {each.value for each in open_page("learn", lesson=course[-2]).subheader}
    visit = open_page("learn", lesson=course[-1])
    assert "Exercises" in {each.value for each in visit.subheader}
    _, each = exercises()
    first = each[0].solution.splitlines()[0]
    assert first not in words(visit)
    run(visit.toggle(key="dpq_solution_1").set_value(True))
    assert first in words(visit)
    assert each[1].solution.splitlines()[0] not in words(visit)
