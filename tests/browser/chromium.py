"""Find a Chromium that starts, or install one.

`python tests/browser/chromium.py` is what `make test` calls: an installed browser first, then Debian's package
(as root), then Playwright's own download.  It never fails: the browser tests say themselves that they cannot run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

NO_BROWSER = "no Chromium was found or could be installed"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DEBIAN_PACKAGES = ("chromium", "fonts-dejavu-core")
APT = ("apt-get", "-q", "-o", "DPkg::Lock::Timeout=300")


def find() -> str | None:
    """The path of a browser that starts; `DPQ_CHROMIUM` decides if it is set."""
    asked = os.environ.get("DPQ_CHROMIUM")
    candidates: Iterable[str | None] = [asked] if asked else map(shutil.which, NAMES)
    found = next((path for path in candidates if path and starts(path)), None)
    if found or asked:
        return found
    own = playwrights_own()
    return own if own and starts(own) else None


def install() -> None:
    """Try Debian's package, then Playwright's download; stop at the first that works."""
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if as_root and shutil.which("apt-get"):
        attempt(*APT, "update")
        attempt(*APT, "install", "-y", "--no-install-recommends", *DEBIAN_PACKAGES)
        if find():
            return
        attempt(sys.executable, "-m", "playwright", "install", "--with-deps", "chromium")
    else:
        attempt(sys.executable, "-m", "playwright", "install", "chromium")


def starts(path: str) -> bool:
    """Whether the program runs at all; Ubuntu's `chromium-browser` is a note about snap, for example."""
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def attempt(*command: str) -> None:
    print("+", *command, flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, timeout=900, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        print(f"  {problem}", flush=True)


if __name__ == "__main__":
    if find() is None:
        install()
    print(f"Browser for the tests: {find() or 'none found, none could be installed'}")
