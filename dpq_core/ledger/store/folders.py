"""Folders for a ledger, its key and its heads: only their owner can enter them, with any umask."""

from __future__ import annotations

from pathlib import Path

OWN = Path("~/.dpq")
"""The usual folder, which nothing else is kept in."""
OWNER_ONLY = 0o700


def make_private(folder: Path) -> None:
    """Make a folder that its owner alone can enter, with all above it; one that exists stays as it is, but for OWN.

    Raises OSError.
    """
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(exist_ok=True)
    elif folder != OWN.expanduser() or not folder.stat().st_mode & ~OWNER_ONLY & 0o777:
        return
    folder.chmod(OWNER_ONLY)
