"""How `make docs` makes a site of these pages: Sphinx, MyST for Markdown, and Furo, which asks nothing of the web."""

import re
from importlib.util import find_spec
from inspect import getmodule
from pathlib import Path
from types import ModuleType
from typing import Any

from dpq_core import MECHANISMS, __version__

project = "Private quantiles"
author = copyright = "the dpq contributors"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"{project} {version}"
html_static_path, html_css_files = ["static"], ["tables.css"]
html_copy_source = False
html_use_index = html_domain_indices = False  # no page leads there; the search finds names
html_show_sphinx = False
html_show_copyright = False

suppress_warnings = ["toc.not_included"]  # the pages for developers

highlight_language = "none"  # of formulas; code of a language says which
default_role = "code"  # docstrings write code as Markdown does
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # signatures stay readable; docstrings say units and shapes
autodoc_preserve_defaults = True

AUDITS = dict(
    re.findall(r"^\| `(\w+)` \| .+? \| (.+?) \|$", (Path(__file__).parent / "how-we-know.md").read_text("utf-8"), re.M)
)
"""Of each mechanism, by its key, the two cells of the page How we know that name its tests."""
PART = re.compile(r"^(Idea|Source|Claim|Cost|Error|Errors|Theorem|Proof|Lemma)\. ")
"""What a paragraph of a docstring begins with."""
PLACE = "<!-- mechanisms -->"
"""In a page, where what every mechanism says of itself is filled in."""
MEANINGS = "<!-- glossary -->"
"""In a page, where the glossary of the dashboard is filled in."""
OUTSIDE = "For developers"
"""The part of the first page that is not in the menu."""
GLOSSARY = Path(__file__).parents[1] / "pages/texts/glossary.md"


def fill_in(app: Any, name: str, source: list[str]) -> None:
    """Put the texts of all mechanisms, the glossary and the menu into the pages that have a place for them."""
    if name == "index":
        source[0] += menu(source[0])
    source[0] = re.sub(r"\[([^]]+)\]\(\.\./[\w/-]+\.md\)", r"\1", source[0])  # what only GitHub shows
    source[0] = source[0].replace(PLACE, "\n".join(map(text_of, MECHANISMS.values())))
    source[0] = source[0].replace(MEANINGS, GLOSSARY.read_text("utf-8").partition("\n\n")[2].partition("\n\n")[2])


def menu(text: str) -> str:
    """Return the trees that make the menu of the site: the pages to which each part of the first page leads."""
    parts = (part.partition("\n") for part in text.split("\n## ")[1:] if not part.startswith(OUTSIDE))
    pages = {part: re.findall(r"\]\(([\w-]+)\.md\)", links) for part, _, links in parts}
    options = ":maxdepth: 1\n:hidden:\n\n"
    trees = (f"```{{toctree}}\n:caption: {part}\n{options}" + "\n".join(found) for part, found in pages.items())
    return "\n" + "\n```\n\n".join(trees) + "\n```\n"


def text_of(mechanism: Any) -> str:
    """Return what a mechanism says of itself: idea, claim and proof, where it leaves its paper, and its error."""
    module = present(getmodule(mechanism.calibrate)).__name__
    proof = f"{module.rpartition('.')[0]}.bound"
    rows = [f"| {' | '.join(note)} |" for note in mechanism.NOTES]
    notes = ["| The paper says | Here | Why |", "| --- | --- | --- |", *rows] if rows else []
    bound = ["**Bound on its errors.**", "", *docstring(proof)] if find_spec(proof) else []
    formula, _, program = AUDITS[mechanism.KEY].partition(" | ")
    said = [f"## {mechanism.LABEL}", "", mechanism.SUMMARY, "", mechanism.CLAIM, "", *docstring(module), *notes]
    return "\n".join([*said, "", f"**Audit.** The formula: {formula}. The program: {program}.", "", *bound])


def docstring(module: str) -> list[str]:
    """Return the lines that show the docstring of a module."""
    return ["```{eval-rst}", f".. automodule:: {module}", "   :no-index:", "```", ""]


def readable(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Make a docstring what Sphinx takes it for: absolute values are no substitutions, indented lines are formulas."""
    found: list[str] = []
    for line in lines:
        if line.startswith("Paper says / we do / why"):
            continue  # the table that follows
        formula = what == "module" and line.startswith("    ")
        if formula and not (found and found[-1].startswith(("    ", "::"))):
            found += ["", "::", ""]
        elif not formula and found and found[-1].startswith("    ") and line:
            found.append("")
        found.append(line if formula else PART.sub(r"**\1.** ", line.replace("|", r"\|")))
    lines[:] = found


def present(module: ModuleType | None) -> ModuleType:
    """Return a module that is there."""
    assert module is not None
    return module


def setup(app: Any) -> None:
    """Tell Sphinx."""
    app.connect("source-read", fill_in)
    app.connect("autodoc-process-docstring", readable)
