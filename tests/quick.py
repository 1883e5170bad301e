"""Which tests `make quick` runs: contract and architecture, and those of the folders that changed.

Changed is what differs from the last common commit with the main branch, or from SINCE, committed or not. Pages, the
browser, the audit, deployment and load stay with `make test`, and so do tests that take seconds each.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
ALWAYS = ("tests/test_contract.py", "tests/test_architecture.py")
NEVER = ("audit", "browser", "deploy", "load", "pages", "mutants", "attacks", "benchmarks", "jobs", "ui")
"""Folders of tests that take longer than a developer waits."""
BASES = ("origin/HEAD", "origin/main", "main", "HEAD~1")
"""Where a change begins: with the first of these that is known and is not the change itself."""


def changed(since: str | None = None) -> list[str]:
    """Return the files that differ from where the change began, new ones among them."""
    base = since or next((each for each in BASES if _common(each)), "HEAD")
    listed = _git("diff", "--name-only", _common(base) or base) + _git("ls-files", "--others", "--exclude-standard")
    return sorted(set(listed))


def chosen(files: Iterable[str], root: Path = ROOT) -> list[str]:
    """Return the tests of these files, as arguments of pytest: of a folder its own folder, of a file its own file."""
    found = dict.fromkeys(ALWAYS)
    for file in files:
        place, *rest = Path(file).parts
        if place not in ("dpq_core", "tests") or not rest or not file.endswith(".py"):
            continue
        room = rest[0].removesuffix(".py")
        own = [f"tests/{room}", f"tests/test_{room}.py"] if place == "dpq_core" else [f"tests/{rest[0]}"]
        found |= dict.fromkeys(each for each in own if _is_quick(each) and (root / each).exists())
    return list(found)


def _is_quick(test: str) -> bool:
    name = test.removeprefix("tests/")
    return name not in NEVER and (name.startswith("test_") or not name.endswith(".py"))


def _common(base: str) -> str:
    """Return the last commit that a base and this one have in common; empty where there is none before this one."""
    found, here = _git("merge-base", base, "HEAD"), _git("rev-parse", "HEAD")
    return found[0] if found and found != here else ""


def _git(*arguments: str) -> list[str]:
    found = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.split("\n")[:-1] if found.returncode == 0 else []


if __name__ == "__main__":
    print(*chosen(changed(sys.argv[1] if len(sys.argv) > 1 else None)))
