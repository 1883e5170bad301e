"""The table of changes is about the code as it stands; whether each is caught, `make mutants` finds out."""

import ast
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
    assert len({(each.old, each.new) for each in changes}) == len(changes), "none stands twice"
    assert [str(each) for each in changes if text_of(file).count(each.old) != 1 or each.old == each.new] == []
    for each in changes:
        ast.parse(text_of(file).replace(each.old, each.new), str(each))


def test_a_change_names_tests_that_exist():
    missing = []
    for mutant in MUTANTS:
        file, _, name = mutant.caught_by.partition(" ")[0].partition("::")
        if f"def {name.partition('[')[0]}{'(' * bool(name)}" not in text_of(file):
            missing.append(str(mutant))
    assert missing == []
