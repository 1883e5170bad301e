"""Make each change of the table in a copy of the tree, run the tests that must fail, and name those that did not.

`python -m tests.mutants`, or `make mutants`; words choose changes: `python -m tests.mutants noise threshold`.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.mutants.table import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]


def main(words: list[str]) -> int:
    """Return how many survived, or failed to be judged."""
    chosen = [mutant for mutant in MUTANTS if all(word in mutant.what for word in words)]
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        copy_of_tree(copy)
        for caught_by in sorted({mutant.caught_by for mutant in chosen}):
            if tests_pass(copy, caught_by) is not True:
                print(f"unjudged: {caught_by} does not pass as the code stands")
                return 1
        for mutant in chosen:
            started = time.monotonic()
            caught = is_caught(copy, mutant)
            print(
                f"{'caught  ' if caught else 'SURVIVED'} {time.monotonic() - started:5.1f} s  {mutant.what}", flush=True
            )
            survivors += [] if caught else [mutant]
    print(f"{len(chosen)} changes, {len(survivors)} survived")
    return len(survivors)


def copy_of_tree(copy: Path) -> None:
    """What git knows, and what is new, as it stands."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)


def is_caught(copy: Path, mutant: Mutant) -> bool:
    """Whether the tests fail with the change; tests that cannot run do not count as failed."""
    file = copy / mutant.file
    before = file.read_text()
    assert before.count(mutant.old) == 1, f"{mutant.what}: {mutant.old!r} does not stand once in {mutant.file}"
    file.write_text(before.replace(mutant.old, mutant.new))
    try:
        return tests_pass(copy, mutant.caught_by) is False
    finally:
        file.write_text(before)


def tests_pass(copy: Path, caught_by: str) -> bool | None:
    """Whether the tests pass; None where they could not run."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", ""]
    ended = subprocess.run([*command, *caught_by.split(" ")], cwd=copy, capture_output=True, check=False)
    return {0: True, 1: False}.get(ended.returncode)


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
