"""The table of changes is about the code as it stands; whether each is caught, `make mutants` finds out."""

from functools import cache
from pathlib import Path

import pytest

from tests.mutants.table import MUTANTS

ROOT = Path(__file__).parents[2]


@cache
def text_of(file: str) -> str:
    return (ROOT / file).read_text()


@pytest.mark.parametrize("file", sorted({mutant.file for mutant in MUTANTS}))
def test_a_change_is_one_to_a_line_that_stands_there_once(file):
    changes = [mutant for mutant in MUTANTS if mutant.file == file]
    found = {each.what: text_of(file).count(each.old) for each in changes}
    assert found == dict.fromkeys(found, 1)
    assert [each.what for each in changes if each.old == each.new] == []
    for each in changes:
        compile(text_of(file).replace(each.old, each.new), each.what, "exec")


def test_a_change_names_tests_that_exist():
    missing = []
    for mutant in MUTANTS:
        file, _, name = mutant.caught_by.partition(" ")[0].partition("::")
        if f"def {name.partition('[')[0]}{'(' * bool(name)}" not in text_of(file):
            missing.append((mutant.what, mutant.caught_by))
    assert missing == []


def test_no_change_stands_twice_under_one_test():
    assert len({mutant.what for mutant in MUTANTS}) == len(MUTANTS)
