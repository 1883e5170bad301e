"""The pages in docs name files, and these exist; every mechanism has its row."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dpq_core import MECHANISMS

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:dpq_core|tests|docs)/[\w/.]+)`", text))
    linked = {str(Path("docs") / link) for link in re.findall(r"\]\(([\w./-]+)\)", text)}
    assert named, "it names some"
    assert [file for file in sorted(named | linked) if not (ROOT / file).exists()] == []


def test_every_mechanism_says_how_we_know() -> None:
    text = (ROOT / "docs" / "how-we-know.md").read_text(encoding="utf-8")
    rows = {row[0]: row for row in re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)}
    assert set(rows) == set(MECHANISMS)
    for _, proof, formula, program in rows.values():
        assert "dpq_core/mechanisms/" in proof
        assert "tests/audit/" in formula
        assert "tests/audit/test_enumerated_" in program


CODE = [
    (page.name, code)
    for page in PAGES
    for code in re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    if "import dpq_core" in code  # others are fragments
]
OPTIONAL = ("duckdb", "opendp", "polars")
"""What code in a page may need that is not installed everywhere."""


@pytest.mark.parametrize(("page", "code"), CODE, ids=lambda each: each if each.endswith(".md") else "")
def test_code_in_a_page_runs_as_it_stands(
    page: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in OPTIONAL:
        if f"import {name}" in code:
            pytest.importorskip(name, reason=f"{name} comes with the extra [dev]")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, page, "exec"), {"__name__": page})
