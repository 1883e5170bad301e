"""The key that a ledger makes for itself, and the fingerprints under it."""

import os
import stat
from hashlib import sha256

from dpq_core.ledger.fingerprints import KEY_BITS, checked_key, digest_of, fingerprint, stored_key
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


def test_a_fingerprint_is_of_the_digest_and_the_key():
    digest = digest_of(memoryview(b"age\n31\n"))
    assert digest == sha256(b"age\n31\n").digest()
    marks = {fingerprint(of, key) for of in (digest, digest_of(b"")) for key in (b"one key", b"another")}
    assert len(marks) == 4
    assert {len(mark) for mark in marks} == {64}
