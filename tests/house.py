"""How large the house is: house.json has the most lines that each room may have, and these counts only fall.

tests/test_architecture.py fails where a room grew, and where it is more than 20 lines and 1 % below its count: then
`python -m tests.house` lowers that. It raises none.
"""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILE = Path(__file__).with_suffix(".json")
NEW_ROOM = 600
"""The most lines of a room that is not written yet."""
SHORT = 60
"""A module of fewer lines is a short one."""


def counted() -> dict[str, int]:
    """Return the lines of each room, and of all of the product its lines, modules, short modules and lines of imports.

    A room is a folder of dpq_core or pages, what lies directly in one of them, app.py, or all tests. Only files that
    git knows count.
    """
    names = subprocess.check_output(["git", "ls-files", "*.py"], cwd=ROOT, text=True).split()
    found: Counter[str] = Counter()
    for file in (ROOT / name for name in names):
        if file.exists():
            text, (top, *inner) = file.read_text(encoding="utf-8"), file.relative_to(ROOT).parts
            lines = text.count("\n")
            found[f"{top}/{inner[0]}" if top in ("dpq_core", "pages") and len(inner) > 1 else top] += lines
            if top in ("dpq_core", "pages", "app.py"):
                found["product: lines"] += lines
                found["product: modules"] += 1
                found[f"product: modules under {SHORT} lines"] += lines < SHORT and file.name != "__init__.py"
                imports = IMPORTS.findall(text)
                found["product: lines of imports and __all__"] += sum(each.count("\n") + 1 for each in imports)
                found["product: lines that ask what kind of column it is"] += len(KINDS.findall(text))
    return dict(sorted(found.items()))


KINDS = re.compile(r"^.*isinstance\(.*\b(?:Column|Sketch|Calibrated|BoundsFirst|CountFirst)\b.*", re.MULTILINE)
IMPORTS = re.compile(
    r"^[ \t]*(?:from [\w.]+ import (?:\([^)]*\)|.*)|import [a-z].*|__all__ = (?:\[[^\]]*\]|\([^)]*\)))", re.MULTILINE
)


def grew(name: str, today: Mapping[str, int], written: Mapping[str, int]) -> bool:
    """Return whether a room is larger than it may be."""
    return today.get(name, 0) > written.get(name, NEW_ROOM)


def shrank(name: str, today: Mapping[str, int], written: Mapping[str, int]) -> bool:
    """Return whether a room is more than 20 and more than 1 % below its written count."""
    most = written.get(name, 0)
    return today.get(name, 0) < most - max(20, most // 100)


def complaints(today: Mapping[str, int], written: Mapping[str, int]) -> list[str]:
    """Return which rooms grew, and which counts are to be lowered."""
    found = []
    for name in sorted({*today, *written}):
        both = f"{today.get(name, 0):,} now, {written.get(name, NEW_ROOM):,} at most"
        if grew(name, today, written):
            found.append(f"{name} grew: {both}. Delete or merge something in it.")
        elif shrank(name, today, written):
            found.append(f"{name} shrank: {both}. Lower that in the same commit: python -m tests.house")
    return found


def lowered(today: Mapping[str, int], written: Mapping[str, int]) -> dict[str, int]:
    """Return the written counts with those lowered that shrank, without rooms that are gone, and with new ones."""
    kept = {name: count for name, count in written.items() if not shrank(name, today, written) and name in today}
    return {name: kept.get(name, min(count, written.get(name, NEW_ROOM))) for name, count in today.items()}


if __name__ == "__main__":
    found, held = counted(), json.loads(FILE.read_text())
    FILE.write_text(json.dumps(lowered(found, held), indent=4) + "\n")
    print(*complaints(found, lowered(found, held)), sep="\n")
