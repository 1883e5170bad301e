"""What the tests start ends with them, however they end: a small process waits for their end and clears up.

A fixture clears up when its test ends; where the run is killed no fixture gets to that. A program that a test starts
itself ends with the test's process (`leashed`); for a server that goes into the background, a small process waits for
that end and runs commands then (`on_a_leash`).
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

DONE = b"done"


def leashed(command: Sequence[str]) -> list[str]:
    """Return a command that does the same and ends with the process that starts it, where the system knows how."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "TERM", *command] if setpriv else list(command)


@contextmanager
def on_a_leash(*commands: Sequence[str]) -> Iterator[None]:
    """Run these commands if this process ends inside the block; nothing where the block is left."""
    words = [word for command in commands for word in (*command, ";")]
    with subprocess.Popen([sys.executable, str(Path(__file__)), *words], stdin=subprocess.PIPE) as waiting:
        try:
            yield
        finally:
            waiting.communicate(DONE)


def main(words: list[str]) -> None:
    if sys.stdin.buffer.read() == DONE:
        return
    command: list[str] = []
    for word in words:
        if word == ";":
            subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            command = []
        else:
            command.append(word)


if __name__ == "__main__":
    main(sys.argv[1:])
