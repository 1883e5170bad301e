"""Start the dashboard, open pages in it, and wait until they are still."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, TimeoutError, ViewportSize

from dpq_core import Column, Domain, Plan, PureDP
from dpq_core.ledger.accounts import Ledger
from dpq_core.ledger.charging import charged_release
from dpq_core.release import ColumnWords, Description
from tests.leash import leashed

ROOT = Path(__file__).parents[2]
START_SECONDS = 120
PAINT_MILLISECONDS = 90_000
"""The first plotly chart has taken 40 seconds on two very busy cores. Long waits cost only those who fail."""

DESKTOP: ViewportSize = {"width": 1280, "height": 1600}
WIDE: ViewportSize = {"width": 1440, "height": 900}
PROJECTOR: ViewportSize = {"width": 1280, "height": 720}
ZOOMED: ViewportSize = {"width": 720, "height": 450}
"""What WIDE shows at 200 % zoom."""
PHONE: ViewportSize = {"width": 390, "height": 844}

STREAMLITS_OWN_404 = ("/_stcore/health", "/_stcore/host-config")
"""A link straight to a page makes Streamlit look for itself below that page first: two 404 lines, and no more."""
PLOTLYS_OWN_ERRORS = {"undefined", "Cannot set properties of undefined (setting '_currentFrame')"}
"""Without a consequence: an animation that is stopped lets plotly throw an error without a name, and one whose figure
has left the page asks it for each frame that was still to come.
"""

CHROMIUM_FLAGS = (
    "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip

WATCH_RUNS = """
(() => {
    const RERUN = 11, NEW_SESSION = 4, FINISHED = 6, EARLY_FOR_RERUN = 2
    const runs = window.runs = {asked: false, running: true, changed: 0}
    const note = change => { Object.assign(runs, change); runs.changed = performance.now() }
    const fields = data => {
        const bytes = new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength), found = new Map()
        let at = 0
        const number = () => {
            for (let value = 0, scale = 1; ; scale *= 128) {
                const byte = bytes[at++]
                value += (byte & 127) * scale
                if (byte < 128) return value
            }
        }
        while (at < bytes.length) {
            const tag = number(), kind = tag & 7
            found.set(Math.floor(tag / 8), kind === 0 ? number() : null)
            if (kind === 2) { const length = number(); at += length } else if (kind) at += kind === 1 ? 8 : 4
        }
        return found
    }
    const hear = event => {
        const heard = fields(event.data)
        if (heard.has(NEW_SESSION)) note({asked: false, running: true})
        if (heard.has(FINISHED) && heard.get(FINISHED) !== EARLY_FOR_RERUN) note({running: false})
    }
    const send = WebSocket.prototype.send, known = new WeakSet()
    WebSocket.prototype.send = function (data) {
        if (!known.has(this)) known.add(this) && this.addEventListener('message', hear)
        if (typeof data !== 'string' && fields(data).has(RERUN)) note({asked: true})
        return send.call(this, data)
    }
})()
"""
"""Keeps in `window.runs` whether a run was asked for that has not begun, and whether one has begun and not ended.

It reads the top-level fields of Streamlit's messages BackMsg and ForwardMsg. What the page says of itself is not
enough: on a busy machine a run begins long after the click, and until then the page is still.
"""

AT_REST = """
call => {
    const now = performance.now(), app = document.querySelector('[data-testid=stApp]')
    if (window.resting?.call !== call) window.resting = {call, since: now}
    const {asked, running, changed} = window.runs
    const still = !asked && !running && now - changed > 50 || now - changed > 10000
    return now - window.resting.since > 250 && still && app?.dataset.testScriptState === 'notRunning'
        && app.dataset.testConnectionState === 'CONNECTED'
        && (now - changed > 10000 || !document.querySelector('[data-testid=stSkeleton]'))
}
"""
"""A quarter of a second is longer than the 200 ms that Streamlit lets a slider rest before it asks for a run.

A run that was asked for on a connection that broke never comes: after 10 seconds the page's own word is taken.
Until the browser has loaded what draws an element, a grey skeleton stands in its place: links are not yet there.
"""

LAST_SEEN = """
() => {
    const {testScriptState, testConnectionState} = document.querySelector('[data-testid=stApp]')?.dataset ?? {}
    return {testScriptState, testConnectionState, ...window.runs, now: performance.now()}
}
"""


@dataclass(frozen=True)
class Server:
    """A running dashboard; `url` has no slash at its end."""

    url: str
    log: Path
    process: int = 0
    """Its number, to look at what it holds."""


@contextmanager
def running(command: list[str], log: Path, health: str, **environment: str) -> Iterator[int]:
    """Run a module of Python until the block ends, from when the address `health` answers; return its number."""
    with log.open("wb") as sink:
        process = subprocess.Popen(
            leashed([sys.executable, "-m", *command]),
            cwd=ROOT, env=os.environ | environment, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink,
        )  # fmt: skip
    try:
        wait_until_healthy(health, process, log)
        yield process.pid
    finally:
        end(process)


@contextmanager
def serve(log: Path, port: int = 0, /, *more: str, **environment: str) -> Iterator[Server]:
    """Run app.py on a port, or a free one, with more options and environment variables, until the block ends."""
    port = port or free_port()
    command = ["streamlit", "run", "app.py", "--server.headless", "true", "--server.address", "127.0.0.1"]
    command += ["--server.port", str(port), "--server.fileWatcherType", "none", "--browser.gatherUsageStats", "false"]
    url = f"http://127.0.0.1:{port}"
    with running([*command, *more], log, f"{url}/_stcore/health", **environment) as process:
        yield Server(url, log, process)


def release_ages(file: Path) -> str:
    """Release the deciles of some ages into a ledger of the tests; return the link to the report."""
    ledger = Ledger.at(file, key=os.environ["DPQ_LEDGER_KEY"], heads=os.environ["DPQ_LEDGER_HEADS"])
    account = ledger.open_account("staff", budget=PureDP(3.0), adjacency="joins", one_row_is="person")
    words = Description(columns={"age": ColumnWords(unit="years")}, one="person", many="people")
    ages = Column.from_values([20 + k % 50 for k in range(5000)], Domain(0, 120, 1))
    deciles = Plan([f"{k}/10" for k in range(1, 10)], "aq", PureDP(1.0))
    charged_release(ages, deciles, account, release_id="june", words=words)
    ledger.engine.dispose()
    return "/releases?answer=june"


def end(process: subprocess.Popen[bytes]) -> None:
    """End a server, at once where it does not go by itself."""
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
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"{url} does not answer; the log:\n{log.read_text(errors='replace')}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Watch:
    """Everything a page did that it should not: errors in the console or in scripts, requests to other machines."""

    host: str = "127.0.0.1"
    complaints: list[str] = field(default_factory=list)

    def attach(self, page: Page) -> None:
        page.on("pageerror", self.stumble)
        page.on("console", self.hear)
        page.on("request", lambda request: self.follow(request.url))

    def stumble(self, error: Error) -> None:
        if str(error) not in PLOTLYS_OWN_ERRORS:
            self.complaints.append(f"script error: {error}")

    def hear(self, message: ConsoleMessage) -> None:
        where = message.location.get("url", "")
        own = "404" in message.text and urlsplit(where).path.endswith(STREAMLITS_OWN_404)
        if message.type == "error" and not own:
            self.complaints.append(f"console: {message.text} ({where})")

    def follow(self, url: str) -> None:
        address = urlsplit(url)
        if address.scheme in {"http", "https", "ws", "wss"} and address.hostname != self.host:
            self.complaints.append(f"request to another machine: {url}")


def new_visitor(browser: Browser, **options: Any) -> BrowserContext:
    """Somebody with a store of cookies of their own, on a desktop, with the waits of this folder."""
    context = browser.new_context(**{"viewport": DESKTOP} | options)
    context.set_default_timeout(PAINT_MILLISECONDS)
    context.add_init_script(WATCH_RUNS)
    return context


_calls = count()


def idle(page: Page, milliseconds: int = PAINT_MILLISECONDS) -> None:
    """Wait until the script run that the last action began has ended."""
    try:
        page.wait_for_function(AT_REST, arg=next(_calls), polling=50, timeout=milliseconds)
    except TimeoutError as error:
        raise AssertionError(f"the page came not to rest: {page.evaluate(LAST_SEEN)}") from error


def arrive(page: Page, address: str) -> Page:
    """Open an address of the dashboard, and wait until the page is at rest."""
    page.goto(address)
    page.get_by_role("heading").first.wait_for()
    idle(page)
    return page


def sign_in(page: Page, email: str) -> None:
    here = page.url.rpartition("/")[0]
    page.get_by_role("button", name="Sign in").click()
    page.locator("input[name=sub]").fill(email)
    page.get_by_role("button", name="Authorize").click()
    page.wait_for_url(f"{here}/**")
    idle(page)
