"""Small changes that nobody thought of: comparisons, arithmetic, constants and conditions by mutmut's operators.

An argument that is left out is ours, as mutmut leaves out also those without which no call succeeds.
Out of scope is what no guarantee hangs on: annotations, decorators, imports, assertions, texts and errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, WhitespaceInclusivePositionProvider
from mutmut.mutation import mutators

CHOSEN = ("number", "name", "remove_unary_ops", "keywords", "swap_op", "if_exp")
OPERATORS = [each for each in mutators.mutation_operators if each[1].__name__.removeprefix("operator_") in CHOSEN]
"""Kinds of nodes with what makes others of them; `name` turns True and False over."""
OF_ANY_NUMBER = ("max", "min")
"""Functions that work with an argument less; elsewhere only one with a name is left out, which may have a default."""
OUT_OF_SCOPE = (cst.Annotation, cst.Assert, cst.Decorator, cst.FormattedString, cst.Import, cst.ImportFrom, cst.Raise)
FOR_PEOPLE = ("__repr__", "__str__", "__rich__")
"""Functions whose results only people read."""
NO_ARGUMENTS_OF = ("TypeVar", "cast", "warn")
MORE_ERRORS = ("Error", "Infeasible", "Refused")


class Change(NamedTuple):
    """One change of a file; `before` and `after` are the lines that differ, on one line, as `where` has them."""

    file: str
    where: str
    """The function, with its classes; with a number where the same change can be made there once more."""
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.file} {self.where}: {self.before}  ->  {self.after}"


def changes_of(root: Path, file: str) -> dict[Change, str]:
    """Return what each change makes of a file, in the order of the file."""
    source = (root / file).read_text(encoding="utf-8")
    found, seen = dict[Change, str](), Counter[Change]()
    for where, span, text in _Places.of(source):
        changed = _replaced(source, span, text)
        change = Change(file, where, *_lines_that_differ(source, changed))
        seen[change] += 1
        again = change._replace(where=f"{where} {seen[change]}") if seen[change] > 1 else change
        if change.before != change.after:
            found[again] = changed
    return found


class _Places(cst.CSTVisitor):
    """Visits a file and collects, for each change, the function, what it replaces, and the text that replaces it."""

    METADATA_DEPENDENCIES = (WhitespaceInclusivePositionProvider,)

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, CodeRange, str]] = []
        self.around: list[str] = []

    @classmethod
    def of(cls, source: str) -> list[tuple[str, CodeRange, str]]:
        places = cls()
        MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True).visit(places)
        return places.found

    def on_visit(self, node: cst.CSTNode) -> bool:
        if is_out_of_scope(node):
            return False
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            self.around.append(node.name.value)
        for changed in _changed(node):
            span = self.get_metadata(WhitespaceInclusivePositionProvider, node)
            self.found.append((".".join(self.around) or "module", span, cst.Module([]).code_for_node(changed)))
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, (cst.FunctionDef, cst.ClassDef)) and not is_out_of_scope(original_node):
            self.around.pop()


def is_out_of_scope(node: cst.CSTNode) -> bool:
    """Return whether neither a node nor what is in it is changed."""
    match node:
        case cst.FunctionDef(name=cst.Name(name)):
            return name in FOR_PEOPLE
        case cst.AnnAssign(annotation=cst.Annotation(cst.Name("TypeAlias"))):
            return True
        case cst.Call(func=cst.Name(name)) | cst.Call(func=cst.Attribute(attr=cst.Name(name))):
            return name in NO_ARGUMENTS_OF or name.endswith(MORE_ERRORS)
    return isinstance(node, OUT_OF_SCOPE)


def _changed(node: Any) -> Iterator[cst.CSTNode]:
    for kind, operator in OPERATORS:
        if isinstance(node, kind):
            yield from operator(node)
    if isinstance(node, cst.Call):
        for argument in node.args:
            if argument.keyword or (isinstance(node.func, cst.Name) and node.func.value in OF_ANY_NUMBER):
                yield node.with_changes(args=[each for each in node.args if each is not argument])


def _replaced(source: str, span: CodeRange, text: str) -> str:
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    start, end = (starts[at.line - 1] + at.column for at in (span.start, span.end))
    return source[:start] + text + source[end:]


def _lines_that_differ(source: str, changed: str) -> tuple[str, str]:
    before, after = source.splitlines(), changed.splitlines()
    first = _alike(before, after)
    last = _alike(before[first:][::-1], after[first:][::-1])
    parts = (lines[first : len(lines) - last] for lines in (before, after))
    one, other = (" ".join(" ".join(part).split()) for part in parts)
    return one, other


def _alike(one: list[str], other: list[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
