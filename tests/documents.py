"""The written pages and the modules of the application, for tests: their texts and the code in them."""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *DOCS]


@cache
def modules() -> dict[str, Path]:
    """Return every module of the application by its dotted name: `dpq_core.plan`, `pages.explore.page`, `app`."""
    files = [*(ROOT / "dpq_core").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]
    parts = {file: file.relative_to(ROOT).with_suffix("").parts for file in sorted(files)}
    return {".".join(each[:-1] if each[-1] == "__init__" else each): file for file, each in parts.items()}


def text_of(page: str) -> str:
    """The text of a page, by its path from the root."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, language: str = "python") -> list[str]:
    """The blocks of code of a page."""
    return re.findall(rf"^```{language}\n(.*?)^```", text_of(page), re.MULTILINE | re.DOTALL)


def commands(page: str, first: str = "make|dpq") -> list[str]:
    """The lines of a page that are typed into a shell, wherever they are; a backslash at the end continues a line."""
    return re.findall(rf"^(?:{first}) .*", text_of(page).replace("\\\n", " "), re.MULTILINE)
