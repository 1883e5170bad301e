"""`make quick` runs the tests of what changed, and nothing that takes long."""

from __future__ import annotations

from pathlib import Path

from tests.quick import ALWAYS, NEVER, ROOT, chosen


def test_a_change_is_tested_by_the_chosen_its_folder() -> None:
    files = [
        "dpq_core/groups/table.py",
        "dpq_core/plan.py",
        "dpq_core/privacy/budgets.py",
        "tests/people/test_takes.py",
    ]
    assert chosen(files) == [*ALWAYS, "tests/groups", "tests/test_plan.py", "tests/test_privacy.py", "tests/people"]


def test_what_takes_long_stays_out() -> None:
    files = [
        "dpq_core/audit/losses.py",
        "tests/browser/test_learn.py",
        "pages/learn/lesson.py",
        "docs/index.md",
        "app.py",
    ]
    assert chosen([*files, "dpq_core/jobs/queue.py", "tests/documents.py"]) == list(ALWAYS)
    assert all((ROOT / "tests" / name).is_dir() for name in NEVER)
    assert all((ROOT / name).is_file() for name in ALWAYS)


def test_only_tests_that_exist_are_named(tmp_path: Path) -> None:
    assert chosen(["dpq_core/groups/table.py"], tmp_path) == list(ALWAYS)
