"""The generator makes what it should of a file, and what is said of its changes is about the code as it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.mutants import everywhere
from tests.mutants.generated import changes_of
from tests.mutants.judged import JUDGED
from tests.mutants.judging import failed_with
from tests.mutants.paths import ELSEWHERE, PACKAGE, TESTS, files, judges_of

ROOT = Path(__file__).parents[2]
SOURCE = '''
@lru_cache(maxsize=3)
def cost(a: Literal[1], twos, /) -> Literal[2]:
    """Of 3 things."""
    assert a > 1, "more than 1"
    if a < 5 and twos:
        raise ValueError(f"{a + 1} is above 7")
    return Guarantee(delta=rest if a else 0.0) if max(*twos, a) is None else wrong(a)


class Sum:
    size: TypeAlias = int | Literal[4]

    def __repr__(self):
        return 1 + 1

    def add(self):
        self.total = self.total - 1
        return refused(ParameterError("a", 3), f"{1 + 1}")
'''


def test_changes_are_of_comparisons_arithmetic_constants_conditions_and_arguments(tmp_path):
    (tmp_path / "code.py").write_text(SOURCE)
    found = changes_of(tmp_path, "code.py")
    whole = "return Guarantee(delta=rest if a else 0.0) if max(*twos, a) is None else wrong(a)"
    assert {(each.where, each.before, each.after) for each in found} == {
        ("cost", "if a < 5 and twos:", "if a <= 5 and twos:"),
        ("cost", "if a < 5 and twos:", "if a < 6 and twos:"),
        ("cost", "if a < 5 and twos:", "if a < 5 or twos:"),
        *(("cost", whole, whole.replace(*way)) for way in (
            ("rest if a else", "rest if (a) and False else"),
            ("rest if a else", "rest if (a) or True else"),
            ("0.0", "1.0"),
            ("delta=rest if a else 0.0", ""),
            ("max(*twos, a)", "max(*twos, )"),
            ("max(*twos, a)", "max(a)"),
            ("is None", "is not None"),
            ("if max(*twos, a) is None", "if (max(*twos, a) is None) and False"),
            ("if max(*twos, a) is None", "if (max(*twos, a) is None) or True"),
        )),
        ("Sum.add", "self.total = self.total - 1", "self.total = self.total + 1"),
        ("Sum.add", "self.total = self.total - 1", "self.total = self.total - 2"),
    }  # fmt: skip
    for change, text in found.items():
        compile(text, "code.py", "exec")
        assert text != SOURCE
        assert len(text.splitlines()) == len(SOURCE.splitlines())
        assert change.after in text


def test_the_same_change_twice_in_a_function_is_two_changes(tmp_path):
    (tmp_path / "code.py").write_text("def f(a):\n    a = 1\n    g()\n    a = 1\n")
    found = changes_of(tmp_path, "code.py")
    assert [each.where for each in found] == ["f", "f 2"]
    assert [text.index("2") for text in found.values()] == sorted({text.index("2") for text in found.values()})


def test_a_change_is_caught_survives_or_takes_too_long_and_is_taken_back(tmp_path):
    (tmp_path / "code.py").write_text("A, B = 1, 1\n")
    (tmp_path / "test_code.py").write_text("import code_of\n\ndef test_a():\n    assert code_of.A == 1\n")
    (tmp_path / "code.py").rename(tmp_path / "code_of.py")
    outcomes = [
        failed_with(tmp_path, "code_of.py", text, ["test_code.py"], seconds)[:2]
        for text, seconds in (("A, B = 2, 1\n", 60), ("A, B = 1, 2\n", 60), ("while True: pass\n", 2), ("A = \n", 60))
    ]
    assert outcomes == [(False, ["test_code.py::test_a"]), (True, []), (None, []), (False, [])]
    assert (tmp_path / "code_of.py").read_text() == "A, B = 1, 1\n"


def test_what_was_caught_is_not_run_again_until_its_file_changes(tmp_path, monkeypatch):
    change = next(iter(changes_of(ROOT, f"{PACKAGE}noise/jitter.py")))
    monkeypatch.setattr(everywhere, "RECORD", tmp_path / "record")
    assert everywhere.caught_before() == set()
    lines = [{"key": everywhere.key_of(change), "outcome": "caught"}, {"key": "other", "outcome": "SURVIVED"}]
    (tmp_path / "record").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert everywhere.caught_before() == {everywhere.key_of(change)}
    monkeypatch.setattr(everywhere, "_text", lambda file: "another text")
    assert everywhere.key_of(change) not in everywhere.caught_before()


def test_a_sample_is_the_same_without_changes_that_are_not_in_it():
    made = list(changes_of(ROOT, f"{PACKAGE}noise/jitter.py"))
    chosen = everywhere.sampled(made, 5, "1")
    assert len(chosen) == 5 < len(made)
    assert everywhere.sampled([change for change in reversed(made) if change in chosen], 5, "1") == chosen
    assert everywhere.sampled(made, 9, "1")[:5] == chosen != everywhere.sampled(made, 5, "2")


def test_every_module_of_the_paths_has_tests_and_every_place_is_one():
    named = files(ROOT)
    assert all((ROOT / test).exists() for file in named for test in judges_of(file))
    assert all(any(file.startswith(PACKAGE + place) for file in named) for place in TESTS)
    assert all((ROOT / PACKAGE / place).exists() for place in ELSEWHERE)
    assert judges_of(f"{PACKAGE}ledger/filters.py")[0] == "tests/ledger/test_filters.py"


@pytest.mark.parametrize("file", sorted({judged.change.file for judged in JUDGED}))
def test_a_change_that_was_judged_can_still_be_made(file):
    made = changes_of(ROOT, file)
    assert [str(judged.change) for judged in JUDGED if judged.change.file == file and judged.change not in made] == []


def test_no_change_is_judged_twice_or_without_a_reason():
    assert len({judged.change for judged in JUDGED}) == len(JUDGED)
    assert all(judged.why.endswith(".") for judged in JUDGED)
