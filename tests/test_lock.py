"""The lock file of servers: one version of everything, with its hashes, within what the lists of dependencies ask."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PIN = re.compile(r"([a-z0-9-]+)==([\w.]+)(?: ; [^#\\]+?)?((?:\s+--hash=sha256:[0-9a-f]{64})+)")
EXTRAS = ("app", "postgres", "signin")


def lines() -> list[str]:
    """Whole lines, continuations joined, without comments."""
    joined = re.sub(r"\\\n", "", LOCK).splitlines()
    return [line for line in joined if line.strip() and not line.lstrip().startswith("#")]


def wanted() -> list[Requirement]:
    listed = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    asked = [line for line in listed if line and not line.startswith("#")]
    return [Requirement(line) for line in (*asked, *(line for extra in EXTRAS for line in extras[extra]))]


def test_every_line_is_one_version_with_its_hashes():
    assert [line[:80] for line in lines() if not PIN.fullmatch(line)] == []
    names = [line.partition("==")[0] for line in lines()]
    assert sorted(set(names)) == names


def test_all_that_a_server_asks_for_is_there_and_within_its_bounds():
    versions = {found[1]: found[2] for line in lines() if (found := PIN.fullmatch(line))}
    outside = [str(r) for r in wanted() if not r.specifier.contains(versions.get(canonicalize_name(r.name), "0"))]
    assert outside == []
    assert {"authlib", "psycopg-binary"} <= versions.keys()  # what [auth] and [binary] bring


def test_the_page_about_servers_has_the_command_that_made_it():
    (command,) = re.findall(r"^#\s+(uv pip compile .*)$", LOCK, re.MULTILINE)
    assert command in re.sub(r" \\\n\s+", " ", (ROOT / "docs/server.md").read_text(encoding="utf-8"))
