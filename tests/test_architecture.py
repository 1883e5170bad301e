"""The shape of the house: imports, files, versions, dependencies, colours.

Layers and other rules of imports are contracts of import-linter in pyproject.toml: a new module of the package gets a
layer there. What no module may have is in tests/test_lint.py; randomness and swallowed errors are rules of ruff.
"""

import ast
import json
import re
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import grimp
import pytest

import dpq_core
from pages.menu import MENU, file_of
from tests import house
from tests.documents import ROOT
from tests.narrowing import only, present

TOP_LEVEL = {
    "app.py", "pages", "dpq_core", "tests", "data", "docs", "requirements.txt", "pyproject.toml", "Makefile",
    "requirements.lock", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md",
    "CITATION.cff",
}  # fmt: skip
MADE_BY_TOOLS = {"build", "dist", "site", "__pycache__", "dpq_core.egg-info"}
NOT_LOADED_AT_ONCE = (
    "streamlit", "plotly", "pandas", "dp_accounting", "sqlalchemy", "python_calamine", "pyreadstat", "dask"
)  # fmt: skip
IMPORTED_AS = {"python-dp": "pydp"}
"""Where the name on PyPI is not the name of the import."""
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = SETTINGS["project"]
REQUIREMENTS = re.findall(r"^[^#\n].*", (ROOT / "requirements.txt").read_text(), re.MULTILINE)


# ── imports ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_imports_keep_the_contracts():
    """In a process of its own: the linter keeps hold of the output that it finds."""
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True, no_logo=True))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_imports_run_in_no_circle():
    graph = grimp.build_graph("dpq_core", "pages", cache_dir=None)
    TopologicalSorter({each: graph.find_modules_directly_imported_by(each) for each in graph.modules}).prepare()


def test_a_module_that_a_text_names_is_there():
    """Child processes import by name: one that was moved ended every simulation of groups on a server, and no test."""
    named = {
        name
        for top in ("dpq_core", "pages")
        for file in (ROOT / top).rglob("*.py")
        for name in re.findall(r'"((?:dpq_core|pages)(?:\.\w+)+)"', file.read_text())
    }
    assert {name for name in named if find_spec(name) is None} == set()


def test_the_package_starts_light():
    code = f"import dpq_core, sys; print(*[name for name in {NOT_LOADED_AT_ONCE} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.stdout.strip(), run.stderr) == ("", "")


def test_every_dependency_is_declared():
    extras = PROJECT["optional-dependencies"]
    lines = [
        *PROJECT["dependencies"],
        *(line for name, more in extras.items() if not name.startswith("dev") for line in more),
    ]
    names = [present(re.match(r"[\w-]+", line))[0].lower() for line in lines]
    declared = {IMPORTED_AS.get(name, name.replace("-", "_")) for name in names}
    graph = grimp.build_graph("dpq_core", "pages", include_external_packages=True, cache_dir=None)
    foreign = {each for each in graph.modules if graph.is_module_squashed(each)} - {"__future__"}
    assert {each.lower() for each in foreign - sys.stdlib_module_names} <= declared
    assert len(foreign) > 10


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_top_level_holds_nothing_else():
    names = {file.name for file in ROOT.iterdir() if not file.name.startswith(".")}
    assert names - TOP_LEVEL - MADE_BY_TOOLS == set()


def test_no_room_grows_and_what_shrank_is_written_down():
    """What is written in house.json only falls: `python -m tests.house`."""
    complaints = house.complaints(house.counted(), json.loads(house.FILE.read_text()))
    assert not complaints, "\n".join(complaints)


def test_every_page_is_in_the_menu():
    pages = sorted(file.relative_to(ROOT).as_posix() for file in (ROOT / "pages").rglob("page.py"))
    assert len(pages) > 5
    assert sorted(file_of(page) for page, _, _ in MENU) == pages


def test_every_dependency_has_both_bounds():
    extras = PROJECT["optional-dependencies"].values()
    lines = [*REQUIREMENTS, *PROJECT["dependencies"], *(line for extra in extras for line in extra)]
    assert [line for line in lines if not re.search(r">=.*,<", line)] == []


def test_the_dashboard_is_asked_for_by_one_list():
    """requirements.txt is what the package asks for and what its extra [app] adds."""
    assert sorted(REQUIREMENTS) == sorted([*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["app"]])


def test_what_a_tool_changes_is_there():
    changed = [*SETTINGS["tool"]["mutmut"]["only_mutate"], *SETTINGS["tool"]["mutmut"]["do_not_mutate"]]
    assert [each for each in changed if not any(ROOT.glob(each))] == []


def test_one_version():
    written = {
        "pyproject.toml": PROJECT["version"],
        "CITATION.cff": re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[0],
        "CHANGELOG.md": re.findall(r"^## (\d\S+) \(\d{4}-", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0],
    }
    assert written == dict.fromkeys(written, dpq_core.__version__)


def test_a_commit_is_checked_as_make_test_checks():
    hooks = re.findall(r"entry: \.venv-test/bin/python (.+)$", (ROOT / ".pre-commit-config.yaml").read_text(), re.M)
    makefile = (ROOT / "Makefile").read_text()
    assert [each for each in hooks[-1].split()[4:] if not (ROOT / each).exists()] == []
    assert [each for each in hooks[:-1] if f"$(TEST) {each}" not in makefile] == []


def test_what_slow_keeps_is_a_case(kept_but_not_there):
    assert kept_but_not_there == []


# ── colours ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def luminance(colour: str) -> float:
    """Relative luminance of "#rrggbb" as WCAG defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def theme() -> dict[str, Any]:
    return only(dict, tomllib.loads((ROOT / ".streamlit/config.toml").read_text())["theme"])


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_is_readable(mode):
    palette = theme()[mode]
    texts = ["textColor", "linkColor", "primaryColor", "blueTextColor", "orangeTextColor", "grayTextColor"]
    grounds = ["backgroundColor", "secondaryBackgroundColor"]
    pairs = [*product(texts, grounds), *((f"{c}TextColor", f"{c}BackgroundColor") for c in ("blue", "orange", "gray"))]
    assert {pair: contrast(*map(palette.get, pair)) for pair in pairs if contrast(*map(palette.get, pair)) < 4.5} == {}
    assert min(contrast(colour, palette["backgroundColor"]) for colour in palette["chartCategoricalColors"]) >= 4.5


def test_no_palette_pins_one_theme():
    assert [name for name in theme() if name.endswith(("Color", "Colors")) or name == "base"] == []


# ── tests of laws reach the product through the harness ──────────────────────────────────────────────────────────────

HELD = ("audit", "groups", "mechanisms", "test_composition.py", "test_contract.py", "test_group_privacy.py")
"""What is held to it; it grows folder by folder."""
PAST = {"conftest.py": {"calibrations"}, "test_wrappers_claims.py": {"dpq_core.opendp"}}
"""What one of these patches or tests itself."""
MODULES = {
    "arrays", "audit", "errors", "ledger", "mechanisms", "plan", "privacy", "results", "sources", "studies", "table",
}  # fmt: skip
"""What may be imported besides: exact losses, a mechanism's own formulas, budgets, where tables come from."""
NAMES = {
    "MECHANISMS", "ZCDP", "Adjacency", "ApproxDP", "BinCounts", "BudgetError", "DataError", "Domain", "FindBounds",
    "FindGroups", "GKSketch", "Infeasible", "Intervals", "ParameterError", "Plan", "PrivacyWarning", "PureDP", "Table",
    "explain", "privacy_loss", "quantiles", "rank_errors", "release", "simulate", "synthesize", "true_quantiles",
}  # fmt: skip
"""Of the public names those that stay in 2.0."""


def imported(file: Path) -> set[str]:
    """Modules of the package, and names of the package itself, that a test imports past the rule."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "dpq_core":
            found |= {each.name for each in node.names} - NAMES
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dpq_core."):
            found |= {str(node.module)} if str(node.module).split(".")[1] not in MODULES else set()
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "dpq":
            found |= {node.attr} - NAMES
    return found


@pytest.mark.parametrize("place", HELD)
def test_tests_of_laws_reach_the_product_through_the_harness(place):
    files = (
        sorted((ROOT / "tests" / place).rglob("*.py"))
        if (ROOT / "tests" / place).is_dir()
        else [ROOT / "tests" / place]
    )
    assert files
    assert {file.name: found for file in files if (found := imported(file) - PAST.get(file.name, set()))} == {}
