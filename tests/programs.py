"""The programs that tests drive and pip does not bring: where each is found, and how `make deps` installs it.

`python -m tests.programs` installs Debian's packages where root may, and Playwright's own Chromium elsewhere. It never
fails: tests that lack a program are skipped, and say so in one line.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

NO_CHROMIUM = "no Chromium: `make deps` installs one"
NO_NGINX = "no nginx: `make deps` installs it"
NO_POSTGRESQL = "no PostgreSQL server: `make deps` installs one"

APT = ("apt-get", "-q", "-o", "DPkg::Lock::Timeout=300")
POLICY = Path("/usr/sbin/policy-rc.d")


@cache
def chromium() -> str | None:
    """Return the path of a browser that starts; `DPQ_CHROMIUM` decides if it is set."""
    if asked := os.environ.get("DPQ_CHROMIUM"):
        return asked if starts(asked) else None
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for path in [*map(shutil.which, names), playwrights_own()] if path and starts(path)), None)


def starts(path: str) -> bool:
    """Return whether the program runs at all; Ubuntu's `chromium-browser` is a note about snap, for example."""
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def nginx() -> str | None:
    """Return the path of nginx, which stands where only root's own PATH leads."""
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def postgresql() -> Path | None:
    """Return the folder of initdb and pg_ctl, the newest version of several."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda file: int(file.parts[-3]))
    there = found[-1] if found else shutil.which("initdb")
    return Path(there).parent if there else None


DEBIAN: dict[Callable[[], object], tuple[str, ...]] = {
    chromium: ("chromium", "fonts-dejavu-core"), nginx: ("nginx-light", "openssl"), postgresql: ("postgresql",),
}  # fmt: skip


def install() -> None:
    """Install what is missing, and have no package start a server."""
    missing = [package for find, packages in DEBIAN.items() if find() is None for package in packages]
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        with starting_nothing():
            attempt(*APT, "update")
            attempt(*APT, "install", "-y", "--no-install-recommends", *missing)
        chromium.cache_clear()
    if chromium() is None and not os.environ.get("DPQ_CHROMIUM"):
        attempt(sys.executable, "-m", "playwright", "install", "chromium")
        chromium.cache_clear()


@contextmanager
def starting_nothing() -> Iterator[None]:
    """Forbid packages to start what they install, by the file that Debian asks; one that is there stays."""
    if POLICY.exists():
        yield
        return
    POLICY.write_text("#!/bin/sh\nexit 101\n")
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink()


def attempt(*command: str) -> None:
    print("+", *command, flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, timeout=900, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        print(f"  {problem}", flush=True)


if __name__ == "__main__":
    install()
    for find in DEBIAN:
        print(f"{find.__name__}: {find() or 'none found, none could be installed'}")
