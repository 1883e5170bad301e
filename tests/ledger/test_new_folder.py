"""A ledger in a folder that does not exist yet: it is made, with all that lie above it."""

from dpq_core import Adjacency, PureDP
from dpq_core.ledger import Ledger


def test_a_ledger_makes_the_folders_above_its_file(tmp_path):
    file = tmp_path / "office" / "ledgers" / "ledger.sqlite"
    ledger = Ledger.at(file, key="a key for the tests")
    ledger.open_account("ages", budget=PureDP(1.0), adjacency=Adjacency.ADD_REMOVE, one_row_is="person")
    assert file.exists()
    assert Ledger.at(file, key="a key for the tests").account("ages").budget == PureDP(1.0)
    ledger.engine.dispose()
