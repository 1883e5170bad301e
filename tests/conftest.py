"""What every test shares: when benchmarks run, how hypothesis searches, and a loud word if no browser was found."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

from tests.browser.chromium import NO_BROWSER

BENCHMARKS = Path(__file__).parent / "benchmarks"

hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave benchmarks to `make bench`: timings taken beside other tests mean nothing, and their inputs are large."""
    return (collection_path == BENCHMARKS and not config.getoption("benchmark_only", False)) or None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if NO_BROWSER in str(report.longrepr)]
    if skipped:
        terminalreporter.section("THE BROWSER TESTS DID NOT RUN", sep="!", red=True, bold=True)
        terminalreporter.line(f"{len(skipped)} tests skipped: {NO_BROWSER}.")
        terminalreporter.line(
            "Install chromium or google-chrome, or point DPQ_CHROMIUM at one. With CI=true this fails."
        )
