"""A ledger in a folder that does not exist yet: it is made, with all that lie above it."""

import os
import stat

import pytest

from dpq_core import Adjacency, PureDP
from dpq_core.ledger import Ledger
from dpq_core.ledger.fingerprints import stored_key
from dpq_core.ledger.store import Heads, make_private, open_database


def test_a_ledger_makes_the_folders_above_its_file(tmp_path):
    file = tmp_path / "office" / "ledgers" / "ledger.sqlite"
    ledger = Ledger.at(file, key="a key for the tests")
    ledger.open_account("ages", budget=PureDP(1.0), adjacency=Adjacency.ADD_REMOVE, one_row_is="person")
    assert file.exists()
    assert Ledger.at(file, key="a key for the tests").account("ages").budget == PureDP(1.0)
    ledger.engine.dispose()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_folders_of_a_ledger_its_key_and_its_heads_are_their_owners_whatever_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        for number, make in enumerate((opened_in, stored_in, heads_in)):
            make(tmp_path / str(number))
            assert stat.S_IMODE((tmp_path / str(number)).stat().st_mode) == 0o700
    finally:
        os.umask(before)


def opened_in(folder):
    open_database(folder / "ledger.sqlite", lambda connection: None).dispose()


def stored_in(folder):
    stored_key(folder / "key")


def heads_in(folder):
    Heads(folder).keep("here", "ledger", {})


def test_the_usual_folder_is_closed_and_another_one_stays_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, mode in ((".dpq", 0o700), ("shared", 0o755)):
        folder = tmp_path / name
        folder.mkdir(mode=0o755)
        folder.chmod(0o755)
        make_private(folder)
        assert stat.S_IMODE(folder.stat().st_mode) == mode
