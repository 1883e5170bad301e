"""The table of changes is about the code as it stands; whether each is caught, `make mutants` finds out."""

from pathlib import Path

import pytest

from tests.mutants.table import MUTANTS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.what)
def test_a_change_is_one_to_a_line_that_stands_there_once(mutant):
    assert (ROOT / mutant.file).read_text().count(mutant.old) == 1
    assert mutant.old != mutant.new
    compile((ROOT / mutant.file).read_text().replace(mutant.old, mutant.new), mutant.file, "exec")


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.what)
def test_a_change_names_tests_that_exist(mutant):
    file, _, name = mutant.caught_by.partition(" ")[0].partition("::")
    assert f"def {name.partition('[')[0]}" in (ROOT / file).read_text()


def test_no_change_stands_twice_under_one_test():
    assert len({mutant.what for mutant in MUTANTS}) == len(MUTANTS)
