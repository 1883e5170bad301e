"""Make small changes everywhere on the paths that calibrate, draw and charge, and name those that no test notices.

`make mutants-all`; words choose changes by what `--list` prints: `python -m tests.mutants.everywhere finding/walk`.
`--sample 100 --seed 7` takes a hundred of them. What was caught stands in a record, by the text of the file, and is not
run again; what survived is, until a test notices it or `judged.py` says why none can.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import cache, partial
from hashlib import sha256
from pathlib import Path

from dpq_core.results import count_in_words
from tests.mutants.generated import Change, changes_of
from tests.mutants.judged import JUDGED
from tests.mutants.judging import AT_ONCE, ROOT, copies_of_tree, failed_with, passes_unchanged
from tests.mutants.paths import files, judges_of

RECORD = ROOT / ".mutants-all.jsonl"
SEED, MOST_SECONDS = "1", 900.0


def main(
    words: Sequence[str], sample: int | None, seed: str, at_once: int, most_seconds: float, only_list: bool
) -> int:
    """Return how many survived, or could not be judged."""
    made = [change for file in files(ROOT) for change in _changes(file)]
    judged = {entry.change for entry in JUDGED}
    chosen = [each for each in made if all(word in str(each) for word in words)]
    if sample is not None:
        chosen = sampled(chosen, sample, seed)
    known = caught_before()
    left = [each for each in chosen if each not in judged and key_of(each) not in known]
    print(
        f"{count_in_words(len(made), 'change')} made, {len(judged)} judged; {len(chosen)} chosen, {len(left)} to run",
        flush=True,
    )
    if only_list:
        print(*left, sep="\n")
        return 0
    outcomes, noticed = list[str](), dict[str, str]()
    with copies_of_tree(at_once) as on_copies:
        for change, (outcome, failed, seconds) in on_copies(partial(outcome_of, most_seconds), left):
            print(f"{outcome:8} {seconds:6.1f} s  {change}", flush=True)
            with RECORD.open("a", encoding="utf-8") as record:
                record.write(json.dumps({"key": key_of(change), "outcome": outcome, "change": str(change)}) + "\n")
            outcomes.append(outcome)
            judges = judges_of(change.file)  # the first of them, where none could run: it has to without the change
            noticed |= dict.fromkeys(failed or judges[: outcome == "caught"], " ".join(judges))
        unjudged = [half for half, passed in on_copies(passes_unchanged, [noticed] if noticed else []) if not passed]
    for half in unjudged:
        print("unjudged: these do not all pass as the code stands:", *half, sep="\n  ")
    print(*(f"{outcomes.count(each)} {each.lower()}" for each in ("caught", "SURVIVED", "TOO LONG")), sep=", ")
    return len(outcomes) - outcomes.count("caught") + len(unjudged)


def sampled(changes: Sequence[Change], count: int, seed: str) -> list[Change]:
    """Return some changes, by a digest of each: others keep their places when code changes, and a part is a sample."""
    return sorted(changes, key=lambda change: sha256(f"{seed} {change}".encode()).digest())[:count]


def outcome_of(most_seconds: float, copy: Path, change: Change) -> tuple[str, list[str], float]:
    """Return whether a change is noticed, by which test, and the seconds; not to run at all is to be noticed too."""
    tests = [*judges_of(change.file), "-m", "not very_slow"]
    passed, failed, seconds = failed_with(copy, change.file, _changes(change.file)[change], tests, most_seconds)
    return {True: "SURVIVED", False: "caught", None: "TOO LONG"}[passed], failed, seconds


def caught_before() -> set[str]:
    """Return the keys of changes that were caught."""
    lines = RECORD.read_text(encoding="utf-8").splitlines() if RECORD.exists() else []
    return {entry["key"] for entry in map(json.loads, lines) if entry["outcome"] == "caught"}


def key_of(change: Change) -> str:
    """Return what a record calls a change: it is another one when its file has changed."""
    return sha256(f"{_text(change.file)}\0{change}".encode()).hexdigest()


@cache
def _changes(file: str) -> dict[Change, str]:
    return changes_of(ROOT, file)


@cache
def _text(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants.everywhere", description="Judge the tests everywhere."
    )
    parser.add_argument("words", nargs="*", help="all of them stand in what a change is called")
    parser.add_argument("--sample", type=int, metavar="N", help="take N changes, chosen by the seed")
    parser.add_argument("--seed", default=SEED, help=f"what chooses the sample; {SEED} otherwise")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, metavar="N", help="copies of the tree side by side")
    parser.add_argument("--seconds", type=float, default=MOST_SECONDS, metavar="S", help="for the tests of a change")
    parser.add_argument("--list", action="store_true", help="print the changes that are left, and run none")
    said = parser.parse_args()
    sys.exit(min(main(said.words, said.sample, said.seed, said.at_once, said.seconds, said.list), 1))
