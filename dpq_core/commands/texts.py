"""What the commands share: a file read as text, and a time as a terminal shows it."""

from __future__ import annotations

from pathlib import Path


def time_in_words(seconds: float) -> str:
    """Return a time as a terminal shows it while one waits."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def text_of(path: str) -> str:
    """Return the text of a file. Raises OSError, and ValueError for a file that is no text."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"the file {path} is not UTF-8 text.") from None
