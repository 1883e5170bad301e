"""A table as a Python script with dpq_core: a simulation is repeated exactly, a release is drawn anew."""

from __future__ import annotations

from ..exports import NOT_PRIVATE, price
from ..scripts import AGAIN, charged_in_words, comment, file_check
from .asked import unused
from .kinds import ColumnsOutcome, ColumnsReleased, ColumnsSimulation
from .outcomes import TRIALS


def table_script(outcome: ColumnsOutcome) -> str:
    """Return a Python script that does the same with dpq_core."""
    released = isinstance(outcome, ColumnsReleased)
    label = f"Release: {price(outcome)}, {outcome.plan.adjacency.of(outcome.protected)}." if released else NOT_PRIVATE
    imports = ["import dpq_core as dpq", "from dpq_core.columns import ColumnsPlan", *outcome.reading.imports]
    if released:
        imports.append("from dpq_core.ledger import Ledger, charged_columns, new_release_id")
    bounds = "".join(f"    {name!r}: dpq.{each!r},\n" for name, each in outcome.request.bounds.items())
    parts = [
        f'"""{comment(label)}\n\n{comment(outcome.about)}\n"""',
        "\n".join(imports) + f"\n\n{file_check(outcome.reading.file)}frame = {{\n{_frame(outcome)}}}",
        f"bounds = {{\n{bounds}}}",
        f"plan = ColumnsPlan.from_json({outcome.plan.to_json()!r})",
        f"table = dpq.Table.from_frame(frame, bounds{_settings(outcome)})",
        _call(outcome),
    ]
    if released:
        parts.append(charged_in_words(outcome.plan.plans[0]))
    return "\n\n".join(parts) + "\n"


def _frame(outcome: ColumnsOutcome) -> str:
    groups = outcome.request.groups
    asked = {*outcome.request.bounds, *(groups.columns if groups else ())}
    rows = [(name, read) for name, read in outcome.reading.columns if name in asked]
    if outcome.request.person is not None:
        rows.append((unused(asked), outcome.reading.people))
    return "".join(f"    {name!r}: {read},\n" for name, read in rows)


def _settings(outcome: ColumnsOutcome) -> str:
    request = outcome.request
    given: dict[str, str] = {}
    if request.groups is not None:
        settings = request.groups.settings_of_table(request.person)
        by = settings.pop("by")
        lists = (
            f"{name!r}: {each!r}" if isinstance(each, list) else f"{name!r}: dpq.{each!r}" for name, each in by.items()
        )
        given = {"by": f"{{{', '.join(lists)}}}"} | {name: repr(value) for name, value in settings.items()}
    if request.person is not None:
        ids = unused({*request.bounds, *(request.groups.columns if request.groups else ())})
        given |= {"person": repr(ids)} | {name: repr(value) for name, value in request.person.settings.items()}
    missing = {name: str(value) for name, value in request.missing.items() if value is not None}
    given |= {"missing": repr(missing)} if missing else {}
    if isinstance(outcome, ColumnsSimulation):
        given["seed"] = "0"
    return "".join(f",\n    {name}={value}" for name, value in given.items()) + (",\n" if given else "")


def _call(outcome: ColumnsOutcome) -> str:
    if isinstance(outcome, ColumnsReleased):
        account = f"account = Ledger.from_environment(make_key=True).account({outcome.account!r})"
        call = "released = charged_columns(table.columns, plan, account, release_id=release_id)"
        return f"{AGAIN}\n{account}\nrelease_id = new_release_id()\n{call}\nprint(released.to_csv())"
    assert isinstance(outcome, ColumnsSimulation), "drawn"
    call = f"study = dpq.simulate(table, plan, trials={TRIALS}, seed={outcome.seed})  # no release"
    return f"{call}\nfor name, values in study.values.items():\n    print(name, *values[0].ravel())"
