"""What draws a finished result cannot see a setting: it gets a frozen record, and nothing that it calls knows more.

Read with ast: from every function that draws, all that it names, and all that those name in turn, within `pages`
and `dpq_core.results`; a name that a folder's door hands out is the one of the module behind it.
A new module or function that draws results gets a line in DRAW.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

import pytest

from tests.documents import modules

READ = ("pages.", "dpq_core.report.", "dpq_core.results.")
"""Where names are followed; what lies below is given a record's parts and nothing else."""
WHOLE = (
    "pages.quantiles.results",
    "dpq_core.results.exports",
    "dpq_core.results.scripts",
    "pages.inside.steps",
    "pages.inside.words",
    "pages.inside.details",
    "pages.stream.results",
    "pages.tradeoff.results",
    "pages.studies.exports",
    "dpq_core.report.html",
    "dpq_core.report.words",
    "pages.microscope.results",
    "pages.columns.results",
    "pages.columns.in_groups",
    "pages.groups.results",
    "pages.frame.cells",
    "dpq_core.results.tables.codebook",
)
"""Modules that do nothing but draw results and make their files."""
PARTS = {
    "pages.quantiles.synthetic": ("show_column",),
    "pages.compare.leaderboard": ("show", "verdict"),
    "pages.studies.job": ("result_line", "runs_failed"),
    "pages.report.view": ("show",),
    "dpq_core.report.answers": ("of_simulation", "of_stored", "wording_of_stored"),
    "pages.server.downloads": ("show", "show_main"),
    "pages.frame.pieces": ("result_line", "prices", "how_sure", "notes", "table", "offer_files", "draw"),
}
"""Of other modules these functions."""
LIVE = (
    "pages.settings.table.text",
    "pages.settings.options.chosen_options",
    "pages.settings.options.of_page",
    "pages.settings.options.option_fits",
    "pages.frame.state",
    "pages.frame.links",
    "pages.form",
    "pages.budget",
    "pages.quantiles.view",
    "pages.quantiles.drawing",
    "pages.quantiles.attempts",
    "pages.frame.presses",
    "pages.server.signin",
    "dpq_core.results.data_set",
    "dpq_core.results.sealed",
    "pages.studies.subjects.subject_of",
    "pages.studies.job.choose_options",
    "dpq_core.results.outcomes.facts",
    "dpq_core.results.outcomes.wording_of",
    "dpq_core.results.outcomes.is_current",
    "pages.stream.view._run_of",
    "pages.stream.sources",
)
"""Modules and functions that know what the page says now, or the column itself."""
VIEWS = {
    "pages.quantiles.scales": "where the axes of the picture before end, at which the next one keeps its own",
    "pages.quantiles.cloud": "which run of a cloud is marked, and which one a click opens: places in the result",
    "pages.quantiles.presenting": "which figure of a result is presented: a place in the result",
    "pages.frame.screen": "whether this tab presents, and so how large the texts of a result are",
    "pages.inside.steps": "the selected step of a run is a place in the result, and no setting of the page",
    "pages.server.downloads": "what a link leads to: the file of the result that was drawn last in its place",
    "pages.frame.waiting": "the job of a study or a stream holds what it has found",
}
"""Modules that may keep something in the session, and why."""
RECORDS = {"dpq_core.results.data_set.Report"}
"""Of these modules what a record holds."""
ASIDE = {
    "pages.inside.steps._say_in_link",
    "pages.frame.links",
    "pages.frame.links.turn_to",
    "pages.settings.table.examples",
    "pages.server.work.look",
}
"""Functions that write a link beside a result, lead to another page, check a link, or look whether a run is over."""
GIVEN_NOT = (
    "DataSet", "PublicData", "PrivateData", "SealedColumn", "Inputs", "Mode", "Setup", "Source", "PublicSource",
    "PayingAccount", "OwnColumn",
)  # fmt: skip


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


def resolve(imported: str) -> str:
    """`dpq_core.plan.Plan` is the module `dpq_core.plan`; a name from outside stays as it is."""
    known = modules()
    while imported not in known and imported.partition(".")[0] in {"dpq_core", "pages", "app"} and "." in imported:
        imported = imported.rpartition(".")[0]
    return imported


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(modules()[module].read_text())


@cache
def defined(module: str) -> dict[str, ast.stmt]:
    """Functions, classes and constants at the top of a module."""
    found: dict[str, ast.stmt] = {}
    for node in tree(module).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {name.id: node for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return found


@cache
def imported(module: str) -> dict[str, str]:
    """What each imported name of a module stands for, wherever in the module it is imported."""
    found = {}
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            package = modules()[module].name == "__init__.py"
            for alias, full in zip(node.names, imports(ast.unparse(node), module, is_package=package), strict=True):
                found[alias.asname or alias.name] = full
    return found


def named_in(module: str, name: str) -> Iterator[str]:
    """Everything that a function, class or constant names of the places READ, without the package's name."""
    nodes = list(ast.walk(defined(module)[name]))
    local = {node.arg for node in nodes if isinstance(node, ast.arg)}
    local |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in nodes:
        match node:
            case ast.Name(id=used) | ast.Attribute(value=ast.Name(id=used)) if used in local:
                continue
            case ast.Name(id=used) if used in defined(module):
                yield f"{module}.{used}"
            case ast.Name(id=used) if used in imported(module):
                yield behind_rooms(imported(module)[used])
            case ast.Attribute(value=ast.Name(id=used), attr=attribute) if used in imported(module):
                yield behind_rooms(f"{imported(module)[used]}.{attribute}")


def behind_rooms(full: str) -> str:
    """Return a name as the module has it that defines it: `pages.frame.table` is `pages.frame.pieces.table`."""
    module = resolve(full)
    name, *rest = full.removeprefix(module).strip(".").split(".")
    if not module.startswith(READ) and f"{module}." not in READ:
        return full
    if name in imported(module) and name not in defined(module):
        return behind_rooms(".".join((imported(module)[name], *rest)))
    return full


def split(full: str) -> tuple[str, str] | None:
    """`pages.quantiles.results.show_release` as its module and its name; None for what is not of the places READ."""
    module = resolve(full)
    name = (full).removeprefix(module).strip(".").split(".")[0]
    return (module, name) if module.startswith(READ) and name in defined(module) else None


def reached(start: str) -> dict[str, str]:
    """Everything that is named from here on, each with who names it."""
    found, open_ones = {start: "DRAW"}, [start]
    while open_ones:
        place = split(open_ones.pop())
        if place is None:
            continue
        for name in named_in(*place):
            if name not in found and name not in ASIDE:
                found[name] = ".".join(place)
                open_ones.append(name)
    return found


def drawing() -> list[str]:
    """Every function that draws a result, as `pages.quantiles.results.show_release`."""
    own = {module: defined(module).items() for module in WHOLE}
    whole = {
        module: [name for name, node in found if isinstance(node, ast.FunctionDef)] for module, found in own.items()
    }
    return [f"{module}.{name}" for module, names in (whole | PARTS).items() for name in names
            if f"{module}.{name}" not in ASIDE]  # fmt: skip


def live(name: str) -> bool:
    return name not in RECORDS and any(name == each or name.startswith(f"{each}.") for each in LIVE)


@pytest.mark.parametrize("start", drawing())
def test_what_draws_a_result_reaches_no_setting(start: str) -> None:
    assert split(start), "it exists"
    found = reached(start)
    assert {name: by for name, by in found.items() if live(name)} == {}
    for name in found:
        place = split(name)
        if place and place[0] not in VIEWS:
            nodes = ast.walk(defined(place[0])[place[1]])
            assert not {"session_state", "query_params"} & {n.attr for n in nodes if isinstance(n, ast.Attribute)}, name


@pytest.mark.parametrize("start", drawing())
def test_no_function_that_draws_is_given_more_than_a_record(start: str) -> None:
    place = split(start)
    assert place
    function = defined(place[0])[place[1]]
    assert isinstance(function, ast.FunctionDef)
    given = ast.unparse(function.args)
    assert [name for name in GIVEN_NOT if name in given.replace("|", " ").replace(":", " ").split()] == []


@pytest.mark.parametrize(
    "module",
    [
        "pages.quantiles.view",
        "pages.quantiles.synthetic",
        "pages.inside.view",
        "pages.studies.job",
        "pages.stream.view",
    ],
)
def test_whoever_shows_a_record_hands_it_on_as_it_was_kept(module: str) -> None:
    used = {node.id for node in ast.walk(defined(module)["show"]) if isinstance(node, ast.Name)}
    assert not {"replace", "vars", "setattr"} & used


@pytest.mark.parametrize("module", VIEWS)
def test_what_is_kept_of_a_view_is_no_setting(module: str) -> None:
    """No key of a setting's widget: those are made by `key`."""
    kept = []
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Subscript) and "session_state" in ast.unparse(node.value):
            kept.append(ast.unparse(node.slice))
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("st.session_state."):
            kept += map(ast.unparse, node.args[:1])
    assert kept
    assert [key for key in kept if "key(" in key.replace("_key(", "")] == []


def test_the_reader_sees_through_constants_classes_and_other_modules() -> None:
    assert "dpq_core.results.exports.origin" in reached("pages.quantiles.results.show_release")
    assert "pages.inside.words._draws" in reached("pages.inside.words.table_of"), "named in a table of functions"
    assert "pages.settings.table.text" in reached("pages.stream.view.choose_settings")
    assert {"pages.settings.table.text", "dpq_core.report.stored.left_in_words"} <= set(
        reached("pages.frame.links.show_link")
    ) | set(reached("pages.report.subject.facts"))
    assert "pages.frame.pieces.table" in reached("pages.quantiles.results.show_release"), "behind a door"
