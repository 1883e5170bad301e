"""What a server holds: while people are there, and once all have gone and their sessions are over."""

from __future__ import annotations

import time

import psutil

from tests.load.visitor import visiting

MEGABYTE = 1_000_000
KEPT_SECONDS = 2 * 60 + 5
"""For two minutes Streamlit keeps the session of somebody who has left."""
COLLECTION_SECONDS = 2
"""So often the server looks for garbage."""


def server_of(url: str) -> psutil.Process:
    """The process of a server that this process has started."""
    port = url.rsplit(":", 1)[1]
    return next(child for child in psutil.Process().children() if port in child.cmdline())


def megabytes(server: psutil.Process) -> float:
    """The resident memory of the server and of the processes that it has started."""
    processes = [server, *server.children(recursive=True)]
    return sum(int(process.memory_info().rss) for process in processes) / MEGABYTE


def megabytes_when_forgotten(server: psutil.Process, url: str, page: str = "quantiles") -> float:
    """Once the sessions of all who left are over. Streamlit looks for such sessions only when somebody leaves."""
    time.sleep(KEPT_SECONDS)
    with visiting(url, page, ""):
        time.sleep(COLLECTION_SECONDS)
    return megabytes(server)
