"""What is made once is kept by its key; tests/ui/test_classroom.py has those who wait, leave and fail."""

from __future__ import annotations

from dpq_core.jobs.once import Once


def test_what_was_asked_for_last_is_kept() -> None:
    once, made = Once(2), list[str]()

    def get(name: str) -> str:
        def make() -> str:
            made.append(name)
            return name

        return once.get(name, make)

    assert [get(name) for name in "abacab"] == list("abacab")
    assert made == ["a", "b", "c", "b"], "b was asked for before a when c came"
