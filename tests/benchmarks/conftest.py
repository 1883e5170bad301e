"""`make bench` ends with a table: what was measured beside what was promised."""

from tests.benchmarks.table import LEGEND, ROWS, SORTS, TITLE, summary


def pytest_configure(config):
    config.stash[ROWS], config.stash[SORTS] = [], []


def pytest_terminal_summary(terminalreporter, config):
    rows = sorted(config.stash[ROWS], key=lambda row: row.place)
    if rows:
        terminalreporter.section("the targets")
        terminalreporter.line(TITLE)
        for row in rows:
            terminalreporter.line(str(row), yellow=row.verdict == "missed")
        for line in ("", *LEGEND, summary(rows, config.stash[SORTS])):
            terminalreporter.line(line)
