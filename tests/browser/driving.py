"""Start the dashboard, open pages in it, and wait until they are still."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Page

ROOT = Path(__file__).parents[2]
START_SECONDS = 90
PAINT_MILLISECONDS = 45_000
"""The first plotly chart of a cold browser has taken 10 seconds on two busy cores."""

STREAMLITS_OWN_404 = ("/_stcore/health", "/_stcore/host-config")
"""A link straight to a page makes Streamlit look for itself below that page first: two 404 lines, and no more."""

CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass(frozen=True)
class Server:
    """A running dashboard; `url` has no slash at its end."""

    url: str
    log: Path


@contextmanager
def serve(log: Path, **environment: str) -> Iterator[Server]:
    """Run app.py on a free port, with additional environment variables, until the block ends."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += ["--server.address", "127.0.0.1", "--server.port", str(port)]
    command += ["--server.fileWatcherType", "none", "--browser.gatherUsageStats", "false"]
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | environment, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink
        )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_healthy(url, process, log)
        yield Server(url, log)
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until_healthy(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the dashboard did not start; its log:\n{log.read_text(errors='replace')}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Watch:
    """Everything a page did that it should not: errors in the console or in scripts, requests to other machines."""

    complaints: list[str] = field(default_factory=list)

    def attach(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.complaints.append(f"script error: {error}"))
        page.on("console", self.hear)
        page.on("request", lambda request: self.follow(request.url))

    def hear(self, message: ConsoleMessage) -> None:
        where = message.location.get("url", "")
        own = "404" in message.text and urlsplit(where).path.endswith(STREAMLITS_OWN_404)
        if message.type == "error" and not own:
            self.complaints.append(f"console: {message.text} ({where})")

    def follow(self, url: str) -> None:
        address = urlsplit(url)
        if address.scheme in {"http", "https", "ws", "wss"} and address.hostname != "127.0.0.1":
            self.complaints.append(f"request to another machine: {url}")


def idle(page: Page, milliseconds: int = 60_000) -> None:
    """Wait until the script run that the last action began has ended."""
    page.wait_for_timeout(400)
    page.wait_for_function(
        """() => {
            const app = document.querySelector('[data-testid=stApp]')
            return app?.dataset.testScriptState === 'notRunning' && app.dataset.testConnectionState === 'CONNECTED'
        }""",
        timeout=milliseconds,
    )
