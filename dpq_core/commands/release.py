"""The command `python -m dpq_core release`: one column of a file, charged to an account of the ledger, as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..advice import BEST, PublicFacts, best_plan
from ..calibrations import calibrate
from ..domain import Domain
from ..doors import release
from ..errors import BudgetError, LedgerError, Name, ParameterError
from ..groups import GroupedRelease, Groups
from ..mode import SERVER_MODE, releases_only
from ..plan import Intervals, Plan, read_json
from ..privacy import Adjacency, ApproxDP, Guarantee, Privacy, PureDP
from ..release import QuantileRelease
from ..sample import Sample
from . import groups as groups_rule
from . import people as people_rule

if TYPE_CHECKING:  # it needs SQLAlchemy, which a release without an account does without
    from ..ledger import Account

Released: TypeAlias = QuantileRelease | GroupedRelease
USUAL_ROW = "person"
UNCHARGED = (
    "Not charged to any ledger: nothing adds this up with other releases about the same people. --account charges it."
)
EXAMPLE = """\
Example, the first release of a data set and a later one:
  python -m dpq_core release plan.json patients.csv --column age --lower 0 --upper 120 --step 1 \\
      --account patients --total-epsilon 3 --total-delta 1e-5 --one-row-is patient > answer.json
  python -m dpq_core release plan.json patients.csv --column age --lower 0 --upper 120 --step 1 \\
      --account patients > answer.json
The same for every city of a list, as a table:
  python -m dpq_core release plan.json patients.csv --column age --lower 0 --upper 120 --step 1 \\
      --groups city --names Bath,York --account patients --csv > answers.csv

Exit codes: 0 released; 2 a mistake or a refusal, nothing was released (what finding out has cost is said); 130 stopped.
With DPQ_MODE=release there is no release without --account. The ledger is at DPQ_LEDGER_URL, its key DPQ_LEDGER_KEY.
"""


def add(commands: Any) -> None:
    """Add the command to a parser's commands."""
    two = commands.add_parser(
        "release", help="release private quantiles of one column of a file; spends the budget", epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    two.set_defaults(run=run, stopped="Stopped; no answer was given. What was charged stays charged.")
    two.add_argument("plan", help="JSON file of a plan, as Plan.to_json or the dashboard writes it")
    two.add_argument("file", help="CSV, TSV, Parquet or Excel file")
    two.add_argument("--column", help="name of the column to read, if the file has several")
    header = "whether the first row holds the names of the columns; needed where its cells do not tell"
    two.add_argument("--header", action=argparse.BooleanOptionalAction, help=header)
    where = "name the row of what cannot be read; it tells how many rows there are at least, so for your eyes only"
    two.add_argument("--show-where", action="store_true", help=where)
    bounds = "from public knowledge, never from the data; for dates, days since 1970-01-01"
    two.add_argument("--lower", help=f"lowest value that the column could have: {bounds}")
    two.add_argument("--upper", help="highest value; without both bounds, those of a plan file of the dashboard hold")
    two.add_argument("--step", help="step between two values; without it, the width is cut into 2^40 steps")
    digits = "instead of bounds: answers are 0 and numbers of so many significant digits, from 1 to 3"
    two.add_argument("--digits", type=int, metavar="K", help=digits)
    two.add_argument("--smallest", help="the smallest of them above 0; without it, 0.000001")
    two.add_argument("--largest", help="the largest of them; without it, 10^15")
    two.add_argument("--no-negative", action="store_true", help="with --digits: no answer is below 0")
    two.add_argument(
        "--missing", help="what a missing value counts as; without it, missing values are left out. Needed where the "
        "plan says that one person is replaced by another, whether values are missing or not",
    )  # fmt: skip
    people_rule.add(two)
    groups_rule.add(two)
    about = "about how many records there are, a guess from public knowledge: for --intervals (better too few than too "
    about += f"many), and where the plan's mechanism is {BEST!r}"
    two.add_argument("--about", "--about-n", metavar="N", type=int, help=about)
    sure = "an interval around each answer that holds the true quantile with this chance, such as 0.95"
    two.add_argument("--intervals", type=float, metavar="CHANCE", help=sure)
    two.add_argument("--account", metavar="NAME", help="charge this account of the ledger, before anything is drawn")
    two.add_argument(
        "--total-epsilon", type=float, metavar="E", help="open the account if it is new, with this total; whether a "
        "person joins or is replaced is as in the plan. Fixed for good: later releases leave it out, or say the same",
    )  # fmt: skip
    two.add_argument(
        "--total-delta", type=float, metavar="D", help="the delta of this total; without it, a pure budget"
    )
    two.add_argument("--one-row-is", metavar="WORD", help=f"whom a new account protects; without it, one {USUAL_ROW}")


def run(chosen: argparse.Namespace) -> None:
    """Release private quantiles of one column of a file, with noise from the operating system, as JSON.

    What can be refused is refused before the file is read.
    """
    from ..jobs.strangers import grouped_table_of, layout_of, read_apart

    if chosen.account is None and not chosen.forecast:
        _refuse_uncharged(chosen)
    plan, domain, stored = _plan_and_domain(text_of(chosen.plan))
    rule = people_rule.rule_of(chosen, stored)
    grouped = groups_rule.rule_of(chosen, rule, text_of(chosen.plan))
    domain = _domain(chosen) or domain
    if domain is None:
        raise ParameterError(
            "--lower",
            (
                "and ",
                Name("--upper"),
                " must be given: the plan file holds no bounds. ",
                Name("--digits"),
                " needs none.",
            ),
        )
    plan = groups_rule.resolved(plan, chosen, domain, grouped) if grouped else _resolved(plan, chosen, domain, rule)
    if chosen.forecast:
        groups_rule.print_forecast(plan, chosen.about, domain, grouped)
        return
    sizes_are_public = plan.adjacency is Adjacency.SUBSTITUTE and groups_rule.missing_must_count(grouped)
    if sizes_are_public and chosen.missing is None:
        raise ParameterError(
            "--missing",
            "must be given where one person is replaced by another, whether values are missing or not: the "
            "number of people is public there, so none may be left out. Say from public knowledge what one counts as.",
        )
    account = None if chosen.account is None else _account(chosen, plan, of_people=bool(rule))
    layout = None if chosen.column is not None else read_apart(layout_of, chosen.file, chosen.header)
    names = [chosen.column] if layout is None else layout.names
    if len(names) != 1:
        raise ParameterError("--column", f"must be given: the file has {len(names)} columns.")
    column, people, codes = read_apart(
        grouped_table_of, chosen.file, names[0], rule.get("column", ""), grouped.get("column", ""), layout,
        chosen.header, grouped.get("names"),
    )  # fmt: skip
    settings = {"missing": chosen.missing, "people": people, **people_rule.settings_of(rule)}
    if codes is not None:
        sample: Sample | Groups = groups_rule.groups_of_rule(column.values, codes, domain, grouped, **settings)
    else:
        sample = Sample.from_values(column.values, domain, **settings)
    if account is None:
        print(UNCHARGED, file=sys.stderr)
        _print(release(sample, plan), chosen)
        print(f"Released; {plan.privacy} is spent at most, and once more by every further release.", file=sys.stderr)
    else:
        _release_charged(sample, plan, account(), chosen)


def _resolved(plan: Plan, chosen: argparse.Namespace, domain: Domain, rule: people_rule.Rule) -> Plan:
    """Return the plan to run, with the intervals that the arguments or the plan ask for.

    Where it asks for the best mechanism, the choice is said on the terminal.
    """
    about, intervals = chosen.about, plan.intervals if chosen.intervals is None else Intervals(chosen.intervals)
    if intervals is not None:
        plan = replace(plan, intervals=intervals, about_n=plan.about_n if about is None else about)
    if plan.mechanism != BEST:
        if about is not None and intervals is None:
            raise ParameterError(
                "--about", (f"must go with the mechanism {BEST!r} in the plan, or with ", Name("--intervals"), ".")
            )
        return plan
    about = plan.about_n if about is None else about
    best = best_plan(
        PublicFacts.of(plan, about, domain, people_rule.unit_of(rule, plan), shares=people_rule.shares(rule))
    )
    print(f"Chose {best.mechanism}. {best.reason}", file=sys.stderr)
    return best.plan


def _refuse_uncharged(chosen: argparse.Namespace) -> None:
    """Refuse what goes with an account only, and a machine on which nothing is released without one."""
    if releases_only():
        raise ParameterError("--account", f"must be given: with {SERVER_MODE}=release a ledger counts all.")
    account_only = {
        "--total-epsilon": chosen.total_epsilon,
        "--total-delta": chosen.total_delta,
        "--one-row-is": chosen.one_row_is,
    }
    for option, value in account_only.items():
        if value is not None:
            raise ParameterError(option, ("must go with ", Name("--account"), "."))


def _account(chosen: argparse.Namespace, plan: Plan, *, of_people: bool) -> Callable[[], Account]:
    """Return a function that gives the account to charge; it opens the account if that is new."""
    from ..ledger import Ledger, refusal_when_new
    from ..results import with_all_rows

    ledger = Ledger.from_environment(make_key=not releases_only())
    known = next((account for account in ledger.accounts() if account.name == chosen.account), None)
    total, one = _total(chosen), chosen.one_row_is
    if known is None:
        if total is None:
            raise ParameterError(
                "--account",
                (
                    f"must be that of an account in this ledger, got {chosen.account[:40]!r}: ",
                    Name("--total-epsilon"),
                    " opens a new one.",
                ),
            )
        _refuse_too_dear(plan, partial(refusal_when_new, total))
        return partial(
            ledger.open_account, chosen.account, budget=total, adjacency=plan.adjacency,
            one_row_is=with_all_rows(one or USUAL_ROW) if of_people else one or USUAL_ROW,
        )  # fmt: skip
    if total not in {None, known.budget}:
        raise ParameterError("--total-epsilon", f"must be left out: the total of {known.name} stays {known.budget}.")
    if of_people is not known.one_row_is.endswith(with_all_rows("")):
        raise ParameterError(
            "--person", f"must go with an account of people: {known.name} protects one {known.one_row_is}."
        )
    if one is not None and known.one_row_is not in {one, with_all_rows(one)}:
        raise ParameterError("--one-row-is", f"must be left out, or be {known.one_row_is}.")
    if plan.adjacency is not known.adjacency:
        raise ParameterError("adjacency", f"must be that of {known.name}: {known.adjacency.in_words}.")
    _refuse_too_dear(plan, known.refusal)
    return lambda: known


def _refuse_too_dear(plan: Plan, refusal: Callable[[Guarantee], BudgetError | None]) -> None:
    """Raise BudgetError before the file is read, where the price does not depend on the number of people."""
    refused = refusal(calibrate(plan).guarantee) if plan.adjacency is Adjacency.ADD_REMOVE else None
    if refused is not None:
        raise refused


def _total(chosen: argparse.Namespace) -> Privacy | None:
    """Return the total budget that the arguments say for a new account; None where they say none."""
    if chosen.total_epsilon is None:
        if chosen.total_delta is not None:
            raise ParameterError("--total-delta", ("must go with ", Name("--total-epsilon"), "."))
        return None
    return ApproxDP(chosen.total_epsilon, chosen.total_delta) if chosen.total_delta else PureDP(chosen.total_epsilon)


def _release_charged(sample: Sample | Groups, plan: Plan, account: Account, chosen: argparse.Namespace) -> None:
    """Charge an account, release, and say what is left; an answer that was given stays given, whatever comes after."""
    from ..ledger import charged_groups, charged_release, fingerprint_of_file, new_release_id

    release_id, mark = new_release_id(), fingerprint_of_file(account, chosen.file)
    if isinstance(sample, Groups):
        released: Released = charged_groups(sample, plan, account, release_id=release_id, file=mark)
    else:
        released = charged_release(sample, plan, account, release_id=release_id, file=mark)
    _print(released, chosen, account=account.name, release_id=release_id)
    try:
        for sentence in _reported_afterwards(account, mark):
            print(sentence, file=sys.stderr)
    except LedgerError:
        print(
            f"The answer was released and charged to {account.name}; the ledger can no longer be reached to say more.",
            file=sys.stderr,
        )


def _reported_afterwards(account: Account, mark: str) -> Iterator[str]:
    """Yield what is left of a budget, and what came of comparing the file: both for the terminal only."""
    from ..ledger import compare_files, shown, sums

    balance = sums(account).balance
    letter = {"epsilon": "ε", "rho": "ρ"}[balance.unit]
    yield f"Released and charged to {account.name}: {letter} = {shown(balance.left)} left of {account.budget}."
    yield from compare_files(account, mark)


def _print(released: Released, chosen: argparse.Namespace, **charged: str) -> None:
    label = _label_of(released)
    if chosen.csv and isinstance(released, GroupedRelease):
        print(groups_rule.as_csv(released, {"label": label, **charged}), end="")
        return
    print(json.dumps({"label": label} | _as_dict(released) | charged, indent=2, ensure_ascii=False))


def _label_of(released: Released) -> str:
    whom = "person with all rows" if released.guarantee.protects == "person" else "person"
    words = f"{released.plan.privacy}, {released.plan.adjacency.of(whom)}"
    return f"Release: {words}. Noise from the operating system. May be shown to anyone."


def _as_dict(released: Released) -> dict[str, Any]:
    """Return everything that may be published of a release, in plain values."""
    answers = groups_rule.answers_of(released) if isinstance(released, GroupedRelease) else _answers_of(released)
    return {
        "kind": "release",
        **answers,
        "guarantee": released.guarantee.as_dict(),
        "plan": released.plan.as_dict(),
        "domain": released.domain.as_dict(),
        "warnings": list(released.warnings),
        "notes": list(released.notes),
        "version": released.version,
    }


def _answers_of(released: QuantileRelease) -> dict[str, Any]:
    levels = map(str, released.plan.quantiles)
    quantiles: list[dict[str, Any]] = [{"level": q, "value": x} for q, x in zip(levels, released.values, strict=True)]
    for quantile, (low, high) in zip(quantiles, released.intervals, strict=False):
        quantile |= {"low": low, "high": high}
    return {"quantiles": quantiles} | ({} if released.basis is None else {"intervals": released.basis.as_dict()})


def _domain(chosen: argparse.Namespace) -> Domain | None:
    """Return the domain that the arguments say; None where they say nothing about it."""
    bounds = (chosen.lower, chosen.upper, chosen.step)
    if chosen.digits is not None:
        if bounds != (None, None, None):
            raise ParameterError("--digits", ("stands instead of ", Name("--lower"), " and ", Name("--upper"), "."))
        ends = {name: vars(chosen)[name] for name in ("smallest", "largest") if vars(chosen)[name] is not None}
        return Domain.significant(chosen.digits, negative=not chosen.no_negative, **ends)
    if chosen.smallest is not None or chosen.largest is not None or chosen.no_negative:
        raise ParameterError("--digits", "must be given with the ends of its numbers.")
    if bounds == (None, None, None):
        return None
    if chosen.lower is None or chosen.upper is None:
        raise ParameterError(
            "--lower", ("and ", Name("--upper"), " must be given together; ", Name("--step"), " goes with them.")
        )
    return Domain(chosen.lower, chosen.upper, chosen.step)


def _plan_and_domain(text: str) -> tuple[Plan, Domain | None, Any]:
    """Return the plan of a file; where the dashboard wrote it its domain, and what it says about people."""
    values = read_json(text, "plan")
    if not isinstance(values, dict) or "plan" not in values:
        return Plan.from_dict(values), None, {}
    bounds, people = values.get("domain"), values.get("person", {})
    return Plan.from_dict(values["plan"]), None if bounds is None else Domain.from_dict(bounds), people


def text_of(path: str) -> str:
    """Return the text of a file. Raises OSError, and ValueError for a file that is no text."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"the file {path} is not UTF-8 text.") from None
