"""Find nginx, or install Debian's package where root may: `python tests/deploy/nginx.py` is what `make test` calls.

It never fails: the tests of the deployment say themselves that they cannot run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NO_NGINX = "no nginx was found or could be installed"
POLICY = Path("/usr/sbin/policy-rc.d")
APT = ("apt-get", "-q", "-o", "DPkg::Lock::Timeout=300")


def find() -> str | None:
    """The path of nginx, which stands where only root's own PATH leads."""
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def install() -> None:
    """Install Debian's package where root may, and have it start no server meanwhile."""
    if os.geteuid() or not shutil.which("apt-get"):
        return
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    with starting_nothing():
        for command in ((*APT, "update"), (*APT, "install", "-y", "--no-install-recommends", "nginx-light")):
            print("+", *command, flush=True)
            subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, timeout=900, check=False)


@contextmanager
def starting_nothing() -> Iterator[None]:
    """Forbid packages to start what they install, by the file that Debian asks; one that is there stays."""
    try:
        with POLICY.open("x") as file:
            file.write("#!/bin/sh\nexit 101\n")
    except FileExistsError:
        yield
        return
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink()


if __name__ == "__main__":
    if find() is None:
        install()
    print(f"nginx for the tests: {find() or 'none found, none could be installed'}")
