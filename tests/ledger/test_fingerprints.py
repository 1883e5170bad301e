"""The key that a ledger makes for itself, and the fingerprints under it."""

import os
import stat
from hashlib import sha256

from dpq_core.ledger.fingerprints import KEY_BITS, checked_key, digest_of, digest_of_file, stored_key
from tests.narrowing import present


def test_a_key_is_made_once_and_for_its_owner_alone(tmp_path):
    file = tmp_path / "below" / "key"
    key = stored_key(file)
    assert int(key, 16) < 2**KEY_BITS
    assert len(present(checked_key(key))) == KEY_BITS // 4
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stored_key(file) == file.read_text() == key
    assert stored_key(tmp_path / "another") != key
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "another", tmp_path / "below", file]  # no draft stays


def test_of_two_that_make_a_key_at_once_both_use_the_first(tmp_path, monkeypatch):
    file, link = tmp_path / "key", os.link

    def another_was_first(draft, target):
        target.write_text("the first one's key")
        link(draft, target)

    monkeypatch.setattr(os, "link", another_was_first)
    assert stored_key(file) == "the first one's key"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_on_disk_has_the_digest_of_its_bytes(tmp_path):
    content = b"age\n" + b"31\n" * 100_000
    (tmp_path / "ages.csv").write_bytes(content)
    assert digest_of_file(tmp_path / "ages.csv") == digest_of(memoryview(content)) == sha256(content).digest()
