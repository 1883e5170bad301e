"""What every test shares: when benchmarks run, how hypothesis searches, a loud word for what could not be tested."""

import gc
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from tests.programs import NO_CHROMIUM, NO_NGINX, NO_POSTGRESQL

BENCHMARKS = Path(__file__).parent / "benchmarks"
IN_TURNS = {"browser": 8, "deploy": 8} | dict.fromkeys(["attacks", "jobs", "mechanisms", "pages", "sources"], 4)
"""In how many days a slow test of a folder comes once, elsewhere in three: those of a day take ten minutes."""
LONGEST_ID = 110
LONGEST_SECONDS = 2
"""Of a test that is not marked slow: those over 1 s are marked, and what runs beside a test can double its time."""
LOOP_SECONDS = 0.04
"""Of a million squares, where tests were timed."""
KEPT_BUT_NOT_THERE = pytest.StashKey[list[str]]()
LEFT_OUT = pytest.StashKey[dict[str, int]]()
"""How many tests were not asked for, by why: slow, quick, or of another day."""
IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ

gc.disable()  # until all tests are collected: nothing of them is garbage
hypothesis.settings.register_profile("quick", deadline=None, max_examples=25)
hypothesis.settings.register_profile("all", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
for _profile, _examples, _steps in (("few", 3, 20), ("many", 25, 40)):
    hypothesis.settings.register_profile(
        f"machine, {_profile}", deadline=None, max_examples=_examples, stateful_step_count=_steps,
        derandomize=_profile == "few", suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slow",
        choices=["without", "only", "with"],
        default="without",
        help="tests marked slow: without them (make test), only them, or with them (make test-all)",
    )
    parser.addoption(
        "--day",
        type=date.fromisoformat,
        help="of tests marked slow(days=N) only those of this day, such as 2026-11-23; without a day all",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Let releases warn: on small data it is chance where answers lie. tests/test_release.py looks at warnings.

    Hypothesis searches a quarter as long in `make test`, by chance from run to run.
    """
    config.addinivalue_line("filterwarnings", "ignore::dpq_core.errors.PrivacyWarning")
    usual = "quick" if config.getoption("slow") == "without" else "all"
    hypothesis.settings.load_profile("ci" if os.environ.get("CI") else usual)
    if (
        hypothesis.settings.get_current_profile_name() == "quick"
    ):  # in a fresh clone each worker would read all code for 3 s
        providers._get_local_constants = Constants


@pytest.fixture(autouse=True, scope="session")
def ledger_for_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whatever a test does, also in a server that it starts, the ledger of whoever runs the tests stays alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DPQ_LEDGER_URL", str(tmp_path_factory.mktemp("ledger") / "ledger.sqlite"))
        patch.setenv("DPQ_LEDGER_KEY", "a key for the tests")
        patch.setenv("DPQ_LEDGER_HEADS", str(tmp_path_factory.mktemp("heads")))
        yield


@pytest.fixture(autouse=True)
def main_script_of_its_own() -> Iterator[None]:
    """AppTest leaves its page as the main script, and `multiprocessing` runs that once more in every child."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture
def read_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files without a child, which takes a second to start: tests/jobs and the commands of README start some."""
    without_children(monkeypatch)


def without_children(patch: pytest.MonkeyPatch) -> None:
    from dpq_core.jobs.queue import POOL
    from tests.jobs.in_place import InPlace

    patch.setattr(POOL, "_new_child", InPlace)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name files and long texts by their argument and a number: a workbook's bytes hold the second it was made in.

    Workers that collect in different seconds would not find the same tests, and refuse to run any.
    """
    return argname if isinstance(val, bytes | str) and len(val) > LONGEST_ID else None


@pytest.hookimpl(tryfirst=True)  # before what is not asked for is left out, by its marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[KEPT_BUT_NOT_THERE] = unknown_cases(items)
    wanted, day, turns = config.getoption("slow"), config.getoption("day"), Counter[int]()
    kept, left_out, counts, cases = list[pytest.Item](), list[pytest.Item](), Counter[str](), Counter[str]()
    for item in items:
        name = item.nodeid.partition("[")[0]
        slow = is_slow(item, cases[name])
        cases[name] += 1
        why = "" if wanted == "with" or slow == (wanted == "only") else "slow" if slow else "quick"
        folder = IN_TURNS.get(item.path.parent.name, 3) if slow else 1
        days = max([folder, *(mark.kwargs.get("days", 1) for mark in item.iter_markers("slow"))])
        turns[days] += 1
        if not why and day and (turns[days] + day.toordinal()) % days:
            why = "of another day"
        (left_out if why else kept).append(item)
        counts[why] += bool(why)
    config.stash[LEFT_OUT] = {why: count for why, count in counts.items() if count}
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


def pytest_sessionfinish(session: pytest.Session) -> None:
    if IS_WORKER:
        vars(session.config)["workeroutput"]["left out"] = session.config.stash[LEFT_OUT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take from a worker what it has left out: the process that reports has collected nothing."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left out", {})


@pytest.fixture(scope="session")
def day(request: pytest.FixtureRequest) -> int:
    """Seed what is by chance and may differ from day to day: of the day that was said, else always the same."""
    said = request.config.getoption("day")
    return said.toordinal() if said else 0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a test of `make test` that takes too much processor time, its children's included, unless it is marked.

    The time of a child counts when it ends: where one stands from an earlier test, only the worker's own counts.
    Examples by chance take now more, now less: tests of hypothesis may take three times as long.
    """
    counted = 2 if has_children() else 4
    before = sum(os.times()[:counted])
    yield
    took = sum(os.times()[:counted]) - before
    most = LONGEST_SECONDS * (3 if item.get_closest_marker("hypothesis") else 1)
    if IS_WORKER and took > most and not item.get_closest_marker("slow") and (took := took / slowness()) > most:
        pytest.fail(f"It took {took:.1f} s of processor time: mark it slow, or make it smaller.", pytrace=False)


def has_children() -> bool:
    """Return whether this process has a child, which may have ended, and whose time nobody has taken.

    Where the system does not tell, it may have one.
    """
    if not hasattr(os, "waitid"):
        return True
    with suppress(ChildProcessError):
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return True
    return False


def slowness() -> float:
    """Return how many times as long as on the machine where limits were chosen this one takes now, at least 1."""
    before = time.process_time()
    sum(number * number for number in range(1_000_000))
    return max((time.process_time() - before) / LOOP_SECONDS, 1.0)


def is_slow(item: pytest.Item, number: int) -> bool:
    """Return whether only `make test-all` runs the case of that number: it is marked slow, and nothing keeps it.

    `keep` names cases; `one_in` keeps the first and each so many-th after it.
    """
    case = item.callspec.id if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ""
    return any(
        case not in kept_cases(mark) and ("one_in" not in mark.kwargs or number % mark.kwargs["one_in"] != 0)
        for mark in item.iter_markers("slow")
    )


def kept_cases(mark: pytest.Mark) -> tuple[str, ...]:
    """Return the cases of a slow test that run in `make test`, too: `slow(keep="id")` or `slow(keep=("id", "id"))`."""
    keep = mark.kwargs.get("keep", ())
    return (keep,) if isinstance(keep, str) else tuple(keep)


def unknown_cases(items: list[pytest.Item]) -> list[str]:
    """Return what marks keep and no test of that name has."""
    there, kept = set[str](), set[str]()
    for item in items:
        name, _, case = item.nodeid.partition("[")
        there.add(f"{name}[{case}")
        kept.update(f"{name}[{each}]" for mark in item.iter_markers("slow") for each in kept_cases(mark))
    return sorted(kept - there)


@pytest.fixture
def kept_but_not_there(request: pytest.FixtureRequest) -> list[str]:
    return request.config.stash[KEPT_BUT_NOT_THERE]


def pytest_collection_finish() -> None:
    """Keep what was loaded out of garbage collections, as the server does."""
    if IS_WORKER:
        import dp_accounting  # noqa: F401  # a second, which is no test's own
    gc.freeze()
    gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave benchmarks to `make bench`: timings taken beside other tests mean nothing, and their inputs are large."""
    return (collection_path == BENCHMARKS and not config.getoption("benchmark_only", False)) or None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say aloud, in one line each, what was left out, and what was not tested for want of a program."""
    for why, count in terminalreporter.config.stash.get(LEFT_OUT, {}).items():
        terminalreporter.write_line(f"Left out: {count:,} tests that are {why}")
    for reason in (NO_CHROMIUM, NO_NGINX, NO_POSTGRESQL):
        skipped = [each for each in terminalreporter.stats.get("skipped", []) if reason in str(each.longrepr)]
        if skipped:
            terminalreporter.write_line(f"{len(skipped)} tests were skipped: {reason}", red=True, bold=True)
