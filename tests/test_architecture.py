"""The shape of the house: which floor may use which, and the nevers.  Everything is read with ast, nothing is run.

A new module gets a floor in FLOORS; a new import between two parts of one floor gets a line in ALLOWED_SAME_FLOOR.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pages import FORMER, MENU, file_of
from tests.narrowing import only, present

ROOT = Path(__file__).parents[1]
CORE = ROOT / "dpq_core"

FLOORS: tuple[frozenset[str], ...] = tuple(
    frozenset(floor.split())
    for floor in (
        "arrays errors far_answers mode texts version",
        "progress",
        "combinations domain privacy noise values",
        "people",
        "counted",
        "sample sketches plan",
        "accuracy mechanisms",
        "frames group_privacy intervals",
        "answers",
        "groups",
        "calibrations",
        "release audit sources",
        "trials",
        "finding opendp",
        "columns",
        "tables",
        "studies ledger",
        "advice papers cluster",
        "api",
        "dpq_core",  # the public names: `import dpq_core as dpq`
        "jobs results",
        "figures",
        "report",
        "commands",
        "__main__",
        "pages",
        "app",
    )
)
"""Lowest first.  Each part imports from lower floors only."""

ALLOWED_SAME_FLOOR = {
    ("privacy", "noise"): "the exact power of e that composition rounds up is the one that noise is drawn by",
    ("sketches", "sample"): "a sketch reads a column as a Sample does, and can be made of one",
}
"""(importer, imported): why it is worth it."""

TOP_LEVEL = {
    "app.py", "pages", "dpq_core", "tests", "data", "docs", "requirements.txt", "pyproject.toml", "Makefile",
    "requirements.lock", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md",
    "CITATION.cff",
}  # fmt: skip
MADE_BY_TOOLS = {"build", "dist", "site", "__pycache__", "dpq_core.egg-info"}

NOT_LOADED_AT_ONCE = (
    "streamlit",
    "plotly",
    "pandas",
    "dp_accounting",
    "sqlalchemy",
    "python_calamine",
    "pyreadstat",
    "dask",
)
MAY_DRAW_RANDOMNESS = (
    "dpq_core/noise/", "dpq_core/sources/examples.py", "dpq_core/studies/shapes.py", "dpq_core/papers/data.py"
)  # fmt: skip

DISTRIBUTION_OF = {
    "PIL": "pillow",
    "dp_accounting": "dp-accounting",
    "pydp": "python-dp",
    "python_calamine": "python-calamine",
}
"""Where the name on PyPI is not the name of the import."""


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@cache
def modules() -> dict[str, Path]:
    """Every module of the application by its dotted name: `dpq_core.plan`, `pages.quantiles.page`, `app`."""
    files = [*CORE.rglob("*.py"), *(ROOT / "pages").rglob("*.py"), *ROOT.glob("app.py")]
    return {dotted(file): file for file in sorted(files)}


def dotted(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(source: str, module: str = "m", *, is_package: bool = False) -> Iterator[str]:
    """Every dotted name that the source imports, wherever in the file, relative ones resolved.

    `from a import b` gives `a.b`, which may be a module or a name in one; `resolve` decides.
    """
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: -(node.level - 1) or None] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


@cache
def imports_in(name: str) -> frozenset[str]:
    file = modules()[name]
    return frozenset(imports(file.read_text(), name, is_package=file.name == "__init__.py"))


def imports_of(name: str) -> set[str]:
    return set(map(resolve, imports_in(name)))


def resolve(imported: str) -> str:
    """`dpq_core.plan.Plan` is the module `dpq_core.plan`; a name from outside stays as it is."""
    known = modules()
    while imported not in known and imported.partition(".")[0] in {"dpq_core", "pages", "app"} and "." in imported:
        imported = imported.rpartition(".")[0]
    return imported


def part(module: str) -> str:
    """The part of the house a module belongs to: `mechanisms` for `dpq_core.mechanisms.base`."""
    top, *rest = module.split(".")
    return rest[0] if top == "dpq_core" and rest else top


def floor(name: str) -> int:
    levels = [level for level, names in enumerate(FLOORS) if name in names]
    assert levels, f"`{name}` has no floor: give it one in FLOORS"
    return levels[0]


def inside(*parts: str) -> list[str]:
    return [module for module in modules() if part(module) in parts]


def outside(*parts: str) -> list[str]:
    return [module for module in modules() if part(module) not in parts]


def users_of(forbidden: str, among: list[str]) -> list[str]:
    """The modules that import the forbidden package or anything in it."""
    return [
        module
        for module in among
        if any(found == forbidden or found.startswith(f"{forbidden}.") for found in imports_of(module))
    ]


# ── floors ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_import_leads_downwards():
    upwards = []
    for module in modules():
        for imported in imports_of(module) & modules().keys():
            here, there = part(module), part(imported)
            allowed = floor(there) < floor(here) or here == there or (here, there) in ALLOWED_SAME_FLOOR
            if not allowed:
                upwards.append(f"{module} imports {imported}")
    assert not upwards


def test_imports_run_in_no_circle():
    graph = {module: imports_of(module) & modules().keys() - {module} for module in modules()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        pytest.fail(" <- ".join(circle.args[1]))


def test_exceptions_from_the_floors_are_used_and_on_one_floor():
    for importer, imported in ALLOWED_SAME_FLOOR:
        assert floor(importer) == floor(imported)
        assert any(imported in map(part, imports_of(module)) for module in inside(importer))


# ── rooms ────────────────────────────────────────────────────────────────────────────────────────────────────────────

ROOMS = (
    "advice", "audit", "cluster", "columns", "commands", "figures", "frames", "groups", "intervals", "jobs", "ledger",
    "mechanisms", "noise", "papers", "people", "privacy", "report", "results", "sketches", "sources", "studies",
    "pages",
)  # fmt: skip
"""The folders that are rooms already, with all folders in them: what others may use stands in their `__init__`."""
MOST_MODULES = 14
"""In a folder, its `__init__` and the page that it is for not counted."""


@cache
def rooms() -> frozenset[str]:
    """Every folder of the rooms, by its dotted name."""
    return frozenset(name for name, file in modules().items() if file.name == "__init__.py" and part(name) in ROOMS)


def test_nobody_reaches_past_the_door_of_a_room():
    """Neither to a module nor to a name that the door does not offer."""
    reaching = []
    for module in modules():
        for found in imports_in(module):
            imported = resolve(found)
            room, name = (imported, found.removeprefix(f"{imported}.")) if imported in rooms() else parted(imported)
            comes_in = room in rooms() and not f"{module}.".startswith(f"{room}.")
            if comes_in and found not in rooms() and name not in offered_by(room):
                reaching.append(f"{module} imports {found}")
    assert not reaching


def parted(name: str) -> tuple[str, str]:
    folder, _, last = name.rpartition(".")
    return folder, last


def test_a_room_offers_only_what_somebody_uses():
    """Names in `__all__` that neither the package nor a test asks for would be doors to nowhere."""
    files = [*modules().values(), *(ROOT / "tests").rglob("*.py")]
    words = {file: set(re.findall(r"\w+", file.read_text())) for file in files}
    for room in rooms():
        own = modules()[room].parent
        others = set().union(
            *(found for file, found in words.items() if own not in file.parents or file.name == "page.py")
        )
        assert set(offered_by(room)) - others == set(), room


@cache
def offered_by(room: str) -> list[str]:
    """The names in `__all__` of a room."""
    for node in ast.parse(modules()[room].read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def test_a_file_name_does_not_repeat_its_room():
    for room in rooms():
        last = room.rpartition(".")[2]
        files = [file.stem for file in modules()[room].parent.glob("*.py")]
        assert [name for name in files if name.startswith(f"{last}_") or name == last] == [], room
        assert len({*files} - {"__init__", "page"}) <= MOST_MODULES, room
        prefixes = [name.partition("_")[0] for name in files if "_" in name.strip("_")]
        assert len(prefixes) == len(set(prefixes)), room


# ── nevers ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_library_never_imports_streamlit_nor_the_dashboard():
    library = outside("pages", "app")
    assert len(library) > 300
    assert users_of("streamlit", library) == users_of("pages", library) == []


def test_only_figures_import_plotly():
    assert users_of("plotly", outside("figures")) == []


@pytest.mark.parametrize("forbidden", ["figures", "studies", "ledger"])
def test_mechanisms_know_nothing_of(forbidden):
    assert users_of(f"dpq_core.{forbidden}", inside("mechanisms")) == []


def scripts() -> list[str]:
    """What Streamlit runs for each page."""
    found = [module for module in inside("pages") if module.endswith(".page")]
    assert len(found) > 5
    return found


def test_nobody_imports_what_streamlit_runs():
    assert [module for module in modules() if imports_of(module) & set(scripts())] == []


def test_pages_compute_nothing():
    pages = [*scripts(), "app"]
    assert users_of("numpy", pages) == []
    assert [page for page in pages for found in imports_of(page) if found.startswith("dpq_core.mechanisms.")] == []


def random_calls(source: str) -> list[str]:
    """Imports and uses of anything that draws randomness."""
    sources = ("random", "secrets", "numpy.random", "os.urandom")
    found = [name for name in imports(source) if name.startswith(tuple(f"{s}." for s in sources)) or name in sources]
    chains = [ast.unparse(node) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)]
    return found + [chain for chain in chains if chain in {"np.random", "numpy.random", "os.urandom"}]


ADDS_LOSSES = ("dpq_core.privacy", "dpq_core.mechanisms")
"""A mechanism adds up its own draws."""
STATES_WHAT_IS_STORED = "dpq_core.ledger"


def test_losses_are_added_in_one_place():
    """Others neither round a loss nor put a guarantee together from numbers: they ask `privacy` for it."""
    adding = []
    for module, file in modules().items():
        if not module.startswith(ADDS_LOSSES):
            found = {f"dpq_core.privacy.{name}" for name in ("round_up", "round_down")} & imports_in(module)
            built = "Guarantee(" in re.sub(r"\bclass \w+|\w+Guarantee\(", "", file.read_text())
            if found or (built and not module.startswith(STATES_WHAT_IS_STORED)):
                adding.append(module)
    assert not adding


def test_randomness_comes_from_one_place():
    drawing = {
        module: random_calls(file.read_text())
        for module, file in modules().items()
        if not file.relative_to(ROOT).as_posix().startswith(MAY_DRAW_RANDOMNESS)
    }
    assert {module: found for module, found in drawing.items() if found} == {}


def swallowed(source: str) -> list[int]:
    """Lines of handlers that name no error, or catch every error and say nothing."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ExceptHandler)
        and (
            node.type is None
            or (ast.unparse(node.type) in {"Exception", "BaseException"} and all(map(is_silent, node.body)))
        )
    ]


def is_silent(line: ast.stmt) -> bool:
    return isinstance(line, ast.Pass | ast.Continue) or (
        isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)
    )


def test_no_error_is_swallowed():
    assert {module: lines for module, file in modules().items() if (lines := swallowed(file.read_text()))} == {}


def test_the_package_starts_light():
    code = f"import dpq_core, sys; print(*[name for name in {NOT_LOADED_AT_ONCE} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.stdout.strip(), run.stderr) == ("", "")


def test_one_module_reads_files_of_statistics_programs():
    """Its library can be ended by a file, so it is loaded where a file is opened, and nowhere else."""
    assert users_of("pyreadstat", list(modules())) == ["dpq_core.sources.survey.variables"]


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_top_level_holds_nothing_else():
    names = {file.name for file in ROOT.iterdir() if not file.name.startswith(".")}
    assert names - TOP_LEVEL - MADE_BY_TOOLS == set()


def test_every_field_for_text_says_how_long_it_may_be():
    """Else one message of some megabytes keeps everybody waiting."""
    fields = [
        (path.name, node)
        for path in [*(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"text_input", "text_area", "chat_input"}
        and ast.unparse(node.func) != "fields.text_input"  # which says it for those that call it
    ]
    assert len(fields) > 4
    assert [
        f"{name}:{node.lineno}" for name, node in fields if "max_chars" not in {each.arg for each in node.keywords}
    ] == []


def test_one_module_makes_all_keys():
    """Of widgets and of what a session keeps: two that are put together in two places can be the same by accident."""
    files = [*(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]
    made = {path.relative_to(ROOT).as_posix(): keys_made_by_hand(path.read_text()) for path in files}
    assert made.pop("pages/keys.py")
    assert {path: lines for path, lines in made.items() if lines} == {}


def keys_made_by_hand(source: str) -> list[int]:
    """Lines that write the beginning of keys, or give Streamlit a key that is a text or is put together there."""
    given: list[ast.expr] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2].islower():
            given += [each.value for each in node.keywords if each.arg == "key"]
            given += node.args[:1] if ast.unparse(node.func).rpartition(".")[0] == "st.session_state" else []
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "st.session_state":
            given.append(node.slice)
        elif isinstance(node, ast.Compare) and ast.unparse(node.comparators[0]) == "st.session_state":
            given.append(node.left)
    written = re.compile(r"\bdpq[_:](?!core)|\bPREFIX\b")
    lines = [number for number, line in enumerate(source.splitlines(), start=1) if written.search(line)]
    return lines + [each.lineno for each in given if isinstance(each, ast.Constant | ast.JoinedStr | ast.BinOp)]


def test_percent_is_written_with_a_blank_before_it():
    """Only plotly's own templates, `%{y:.1%}`, know no other way."""
    close = re.compile(r"(?<!%)(?<!%\{)\{[^{}]*:[.\d]+%\}")
    files = [*CORE.rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    assert not [path.name for path in files if close.search(path.read_text(encoding="utf-8"))]
    assert close.search('f"{share:.0%}"')


def test_every_page_is_in_the_menu_or_leads_to_one_that_is():
    pages = sorted(file.relative_to(ROOT).as_posix() for file in (ROOT / "pages").rglob("page.py"))
    assert len(pages) > 5
    assert sorted(map(file_of, [*(page for page, _, _ in MENU), *FORMER])) == pages


def test_every_dependency_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [line for name, lines in project["optional-dependencies"].items() if name != "dev" for line in lines]
    declared = {present(re.match(r"[\w-]+", line))[0].lower() for line in [*requirements(), *extras]}
    used = {found.partition(".")[0] for module in modules() for found in imports_of(module)}
    foreign = used - sys.stdlib_module_names - {"dpq_core", "pages", "app", "__future__"}
    assert {DISTRIBUTION_OF.get(name, name) for name in foreign} <= declared


def test_every_dependency_has_both_bounds():
    assert [line for line in requirements() if not re.search(r">=.*,<", line)] == []


def test_the_dashboard_is_asked_for_by_one_list():
    """requirements.txt is what the package asks for and what its extra [app] adds."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert sorted(requirements()) == sorted([*project["dependencies"], *project["optional-dependencies"]["app"]])


def requirements() -> list[str]:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_one_version():
    import dpq_core

    written = {
        "pyproject.toml": tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"],
        "CITATION.cff": re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[0],
        "CHANGELOG.md": re.findall(r"^## (\d\S+) \(\d{4}-", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0],
    }
    assert written == dict.fromkeys(written, dpq_core.__version__)


def test_a_commit_is_checked_as_make_test_checks():
    hooks = re.findall(r"entry: \.venv-test/bin/python (.+)$", (ROOT / ".pre-commit-config.yaml").read_text(), re.M)
    makefile = (ROOT / "Makefile").read_text()
    assert [each for each in hooks[-1].split()[4:] if not (ROOT / each).exists()] == []
    assert hooks[:-1] == re.findall(r"^\$\(TEST\) (-m (?:ruff|mypy).*?) (?:\|\||&)", makefile, re.M)


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


# ── the readers themselves ───────────────────────────────────────────────────────────────────────────────────────────


def test_reader_finds_nested_and_relative_imports():
    source = "def f():\n    import a.b\n    from . import c\n    from ..d import e\nif T:\n    from g import h as i\n"
    assert {*imports(source, "top.sub.m")} == {"a.b", "top.sub.c", "top.d.e", "g.h"}
    assert {*imports("from .x import y\nfrom .. import z", "top.sub", is_package=True)} == {"top.sub.x.y", "top.z"}


def test_reader_finds_randomness_and_silence():
    drawing = [
        "import random",
        "from os import urandom",
        "from numpy import random as r",
        "np.random.rand()",
        "import secrets",
    ]
    assert all(random_calls(source) for source in drawing)
    assert not random_calls("import randomly, os\nos.path\nsample.random_seed")
    assert swallowed("try: f()\nexcept: g()") == [2]
    assert swallowed("try: f()\nexcept Exception: pass") == [2]
    assert swallowed("try: f()\nexcept Exception: g()\nexcept E: pass") == []


def test_reader_finds_keys_made_by_hand():
    kept = "st.session_state"
    made = ["key=f'a_{of}'", "key='a'", "key=A + of"]
    made = [f"st.button('Go', {each})" for each in made]
    made += [f"{kept}['a']", f"{kept}.pop(f'a{{of}}', None)", f"'a' in {kept}", "A = 'dpq_a'", "A = f'dpq:{of}'"]
    made += ["from ..keys import PREFIX", "keys.PREFIX"]
    assert all(map(keys_made_by_hand, made))
    assert not keys_made_by_hand(f"st.button('Go', key=keys.widget('a', of)); {kept}[A]; A in {kept}; import dpq_core")
