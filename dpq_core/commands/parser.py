"""What can be typed in a shell: lines.toml holds every command, with its help, its examples and its arguments."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..people.takes import USUAL_ROW, WAYS_PER_PERSON
from ..plan import BEST, NAMED_LEVELS
from ..sources.formats.known import listed
from ..sources.reading import CHOICES as OF_CELLS
from ..sources.reading import UNITS
from ..version import VERSION
from . import data, ledger, release, study, words

RUN: Mapping[str, Callable[[argparse.Namespace], None]] = {
    "release": release.run, "forecast": release.forecast, "report": ledger.report, "study": study.run,
    "papers": study.make_figures, "papers make": study.make_figures, "ledger": ledger.show, "ledger show": ledger.show,
    "ledger export": ledger.export, "ledger verify": ledger.verify, "ledger heads": ledger.heads,
    "ledger accept": ledger.accept, "ledger rekey": ledger.rekey, "app": study.serve,
}  # fmt: skip
SETTINGS = {"release": words.FLAGS, "forecast": words.FLAGS, "report": ledger.CALLED, "ledger": ledger.CALLED}
"""How errors call the settings of Python, in each command where they are called otherwise."""
TYPES: Mapping[str, Callable[[str], Any]] = {
    "int": int, "float": float, "sizes": words.guess_of,
}  # fmt: skip
CHOICES = OF_CELLS | {
    "dates": [order.replace(" ", "-") for order in OF_CELLS["dates"]],
    "unit": UNITS,
    "per_person": WAYS_PER_PERSON,
}
ACTIONS = {"yes or no": argparse.BooleanOptionalAction}
WORDS = {
    "levels": ", ".join(NAMED_LEVELS), "best": BEST, "row": USUAL_ROW, "formats": listed(), "url": data.URL,
}  # fmt: skip


class Parser(argparse.ArgumentParser):
    """Takes options as they are written, and no beginnings of them: `--max` is no `--max-rows-per-person`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings)


def parser_of_lines() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    said = tomllib.loads(Path(__file__).with_name("lines.toml").read_text(encoding="utf-8"))
    parser = Parser(prog="dpq", description="Differentially private quantiles.", epilog=said["examples"])
    parser.add_argument("--version", action="version", version=VERSION)
    parser.set_defaults(show_where=False, settings={})
    parts: dict[str, Any] = {}
    parsers = {"": parser}
    for name, command in said["commands"].items():
        within, _, own = name.rpartition(" ")
        if within not in parts:
            names = [each.rpartition(" ")[2] for each in said["commands"] if each.rpartition(" ")[0] == within]
            parts[within] = parsers[within].add_subparsers(required=True, metavar=" | ".join(names))
        parsers[name] = parts[within].add_parser(
            own, help=command["help"], usage=command.get("usage"), description=command.get("description"),
            epilog=command.get("examples"),
        )  # fmt: skip
        _fill(parsers[name], name, command, said["arguments"])
    return parser


def _fill(parser: argparse.ArgumentParser, name: str, command: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Add what a command runs, and its arguments."""
    parser.set_defaults(run=RUN[name], stopped=command.get("stopped", "Stopped."))
    if name in SETTINGS:
        parser.set_defaults(parser=parser, settings=SETTINGS[name], forecast=name == "forecast")
    if " " not in name:
        parser.add_argument("--quiet", action="store_true", help="say nothing on standard error, except errors")
    own: Any = parser.add_mutually_exclusive_group(required=True) if command.get("exclusive") else parser
    _add(own, arguments.get(command.get("arguments", ""), {}))
    for title in command.get("groups", ()):
        more = dict(arguments[title])
        _add(parser.add_argument_group(title, more.pop("note", None)), more)


def _add(options: Any, arguments: Mapping[str, Mapping[str, Any]]) -> None:
    for names, said in arguments.items():
        known = {"type": TYPES, "choices": CHOICES, "action": ACTIONS}
        found = {name: known.get(name, {}).get(value, value) for name, value in said.items() if name != "help"}
        options.add_argument(*names.split(), help=said["help"].format(**WORDS), **found)
