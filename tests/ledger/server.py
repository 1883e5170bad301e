"""A PostgreSQL server for the tests: Debian's package, as the user postgres where the tests run as root."""

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.leash import on_a_leash
from tests.programs import NO_POSTGRESQL, postgresql


@dataclass(frozen=True)
class Server:
    """A server that is running."""

    url: str
    start: Callable[[], None]
    stop: Callable[[], None]
    """End all its processes at once, as a power cut would."""

    def crash(self) -> None:
        """Stop, and start again."""
        self.stop()
        self.start()


def skip_without_postgres() -> None:
    """Say why where no server can be had."""
    if postgresql() is None or find_spec("psycopg") is None:
        pytest.skip(NO_POSTGRESQL)


@contextmanager
def server(folder: Path, **settings: str) -> Iterator[Server]:
    """An empty database on loopback while the block runs. Without fsync (-F): the machine stays on."""
    as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    data = Path(mkdtemp(prefix="dpq-postgres-"))
    if as_postgres:
        shutil.chown(data, "postgres", "postgres")

    folder_of_programs = postgresql()
    assert folder_of_programs is not None, NO_POSTGRESQL

    def run(program: str, *arguments: str) -> None:
        with (folder / "postgres.txt").open("a") as log:  # a pipe would stay open as long as the server
            command = [*as_postgres, str(folder_of_programs / program), "-D", str(data / "db"), *arguments]
            subprocess.run(command, check=True, stdout=log, stderr=log, timeout=60, cwd="/")

    def start() -> None:
        chosen = "".join(f" -c {name}={value}" for name, value in settings.items())
        run("pg_ctl", "-w", "-o", f"-p {port} -k {data} -h 127.0.0.1 -F{chosen}", "start")

    def stop() -> None:
        run("pg_ctl", "-m", "immediate", "stop")

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    try:
        run("initdb", "--no-sync", "--auth=trust", "--username=dpq", "--encoding=UTF8", "--locale=C")
        start()
        stopping = [*as_postgres, str(folder_of_programs / "pg_ctl"), "-D", str(data / "db"), "-m", "immediate", "stop"]
        try:
            with on_a_leash(stopping, ["rm", "-rf", str(data)]):
                yield Server(f"postgresql://dpq@127.0.0.1:{port}/postgres", start, stop)
        finally:
            stop()
    finally:
        shutil.rmtree(data)
