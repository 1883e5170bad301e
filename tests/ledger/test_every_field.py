"""Every field of a request, changed alone, is refused with the same release id; words, data and places are not.

The fields are those of the code: a new argument or option without a row here fails.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
import pytest

import dpq_core as dpq
from dpq_core import BinCounts, Column, Domain, FindBounds, FindGroups, GKSketch, Intervals, People, Plan, PureDP, Table
from dpq_core.ledger.accounts import Account
from tests.ledger.alone import Row, Settings, changed, names_of, opened, tried

COUNT = 60
FRAME: dict[str, list[Any]] = {
    "pay": [*range(COUNT)], "age": [30 + row % 40 for row in range(COUNT)], "region": ["n", "s"] * (COUNT // 2),
    "other region": ["s", "n"] * (COUNT // 2), "id": [row // 2 for row in range(COUNT)],
    "other id": [row // 3 for row in range(COUNT)],
}  # fmt: skip


# ── Python: one call for a table ─────────────────────────────────────────────────────────────────────────────────────

PERSONS: dict[str, Any] = {"person": "id", "per_person": "random"}
LISTED: dict[str, Any] = {"by": {"region": ["n", "s"]}}
BOTH = {"region": ["n", "s"], "other region": ["n", "s"]}
QUANTILES = dict(
    [
        changed("frame", FRAME, {**FRAME, "pay": [*range(1, COUNT + 1)]}),
        changed("columns", {"pay": (0, 100, 1)}, {"pay": (0, 100, 2)}),
        changed("levels", "median", "quartiles"),
        changed("mechanism", "best", "aq"),
        changed("by", {"region": ["n", "s"]}, {"other region": ["n", "s"]}),
        changed("groups", [("n", "s")], [("s", "n")], by=["region", "other region"]),
        changed("epsilon", 0.5, 0.25),
        changed("delta", 1e-6, 1e-7),
        changed("rho", 0.1, 0.05, epsilon=None),
        changed("options", {"bins": 4}, {"bins": 5}, mechanism="binhist"),
        changed("intervals", 0.9, 0.8, about_n=50, mechanism="binhist"),
        changed("about_n", 50, 60, intervals=0.9, mechanism="binhist"),
        changed("weights", {"pay": 1, "age": 1}, {"pay": 1, "age": 2}, columns={"pay": (0, 9, 1), "age": (0, 9, 1)}),
        changed("person", "id", "other id", per_person="random"),
        changed("per_person", "min", "max", person="id"),
        changed("max_rows_per_person", 1, 2, person="id"),
        changed("max_groups_per_person", 1, 2, **PERSONS, **LISTED),
        changed("other", "rest", None, **LISTED),
        changed("missing", 0, 1),
        changed("missing_is_person", False, True, **PERSONS),
        changed("progress", False, lambda _: None, refused=False),
        ("adjacency", Row({}, {"adjacency": "replaced", "missing": 0}, {"missing": 0})),
        ("account", Row({}, {}, refused=False)),
        ("release_id", Row({}, {}, refused=False)),
    ]
)
FURTHER = [
    Row({}, {"frame": pd.DataFrame(FRAME)}, refused=False),
    Row({}, {"frame": {**FRAME, "age": FRAME["pay"]}}, refused=False),
    Row({}, {"frame": {**FRAME, "id": FRAME["other id"]}}, PERSONS),
    Row({"by": BOTH}, {"by": dict(reversed(BOTH.items()))}),
    Row({"by": {"region": ["n", "s"]}}, {"by": {"region": ["s", "n"]}}), Row({"by": {"region": ["n", "s"]}}, {}),
    Row({}, PERSONS), Row({"by": {"region": ["n", "s"]}}, {"by": {"region": FindGroups()}}, {"delta": 1e-6}),
    Row({"by": {"region": FindGroups()}}, {"by": {"other region": FindGroups()}}, {"delta": 1e-6}),
    Row({"columns": {"pay": FindBounds(step=1)}}, {"columns": {"pay": (0, 100, 1)}}),
    *(
        Row({"person": "id"}, {"person": "other id"}, {"per_person": "weight", "columns": {"pay": pay}} | by)
        for pay in ((0, 100, 1), FindBounds(step=1))
        for by in ({}, LISTED, {"by": {"region": FindGroups()}, "delta": 1e-6})
    ),
    *(
        Row({"by": {"region": ["n", "s"]}}, {"by": {"other region": ["n", "s"]}}, {"columns": columns})
        for columns in ({"pay": FindBounds(step=1)}, {"pay": (0, 100, 1), "age": FindBounds(step=1)})
    ),
]  # fmt: skip
"""What no argument alone distinguishes: rows of columns that count, an order, and columns of groups and persons."""


def test_every_argument_of_quantiles_has_a_row() -> None:
    assert set(QUANTILES) == names_of(dpq.quantiles)


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("row", [*QUANTILES.values(), *FURTHER], ids=[*QUANTILES, *range(len(FURTHER))])
def test_an_argument_that_changes_alone_makes_another_request(tmp_path: Path, row: Row) -> None:
    account = opened(tmp_path)
    usual = {
        "frame": FRAME, "columns": {"pay": (0, 100, 1)}, "levels": "median", "epsilon": 0.5, "account": account,
        "release_id": "one",
    }  # fmt: skip

    def ask(own: Settings) -> object:
        asked = {name: value for name, value in {**usual, **row.also, **own}.items() if value is not None}
        return dpq.quantiles(**asked)

    tried(lambda: ask(row.first), lambda: ask(row.second), account, refused=row.refused)


# ── Python: what a request is made of ────────────────────────────────────────────────────────────────────────────────

DOMAIN, PLAN = Domain(0, 100, 1), Plan("median", "indexp", epsilon=0.25)
IDS, REGIONS = FRAME["id"], FRAME["region"]
BY_REGION = {"groups": REGIONS, "names": ["n", "s"]}


def release_of(data: Any, account: Account, plan: Plan = PLAN) -> object:
    return dpq.release(data, plan, account=account, release_id="one")


def sample(**own: Any) -> Column:
    return Column.from_values(**{"values": FRAME["pay"], "domain": DOMAIN, **own})


def raw(**own: Any) -> Column:
    return sample(**{"domain": FindBounds(), **own})


def groups(**own: Any) -> Column:
    return Column.from_values(**{"values": FRAME["pay"], "domain": DOMAIN, **BY_REGION, **own})


def table(**own: Any) -> Table:
    return Table.from_frame(FRAME, **{"columns": {"pay": (0, 100, 1)}, **own})


def sketch(kind: Callable[..., Any], **own: Any) -> Any:
    made = kind(**{"domain": DOMAIN, **own})
    made.update(FRAME["pay"])
    return made


GKEXP, BINHIST = Plan("median", "gkexp", epsilon=0.25), Plan("median", "binhist", epsilon=0.25)
Ask: TypeAlias = Callable[[Settings, Account], object]
SAMPLE_ROWS = [
    changed("values", FRAME["pay"], FRAME["age"], refused=False), changed("missing", 1, 2),
    ("people", Row({"people": People.of(IDS), "per_person": "random"}, {})),
    changed("per_person", "min", "max", people=People.of(IDS)),
    changed("max_rows_per_person", 1, 2, people=People.of(IDS)),
    changed("tie_bits", None, 3, refused=False),
]  # fmt: skip
OF_GROUPS = ("groups", "names", "other", "finding", "max_groups_per_person")
PARTS: dict[str, tuple[Callable[..., Any], tuple[str, ...], Ask, list[tuple[str, Row]]]] = {
    "Column": (Column.from_values, ("seed", *OF_GROUPS), lambda own, account: release_of(sample(**own), account),
     [*SAMPLE_ROWS, changed("domain", DOMAIN, Domain(0, 50, 1))]),
    "Column without bounds": (Column.from_values, ("seed", "tie_bits", *OF_GROUPS),
     lambda own, account: release_of(raw(**own), account),
     [*(row for row in SAMPLE_ROWS if row[0] != "tie_bits"),
      changed("domain", FindBounds(), FindBounds(step=1))]),
    "Column in groups": (Column.from_values, ("seed",),
     lambda own, account: release_of(groups(**own), account, Plan("median", "indexp", epsilon=0.25, delta=1e-6)),
     [*SAMPLE_ROWS, changed("domain", DOMAIN, Domain(0, 50, 1)),
      changed("groups", REGIONS, FRAME["other region"], refused=False),
      ("names", Row({"names": ["n", "s"]}, {"names": ["n"]})),
      ("finding", Row({"finding": 0.1}, {"finding": 0.2}, {"names": None})),
      changed("people", People.of(IDS), People.of(IDS, missing_is_person=True), per_person="random"),
      changed("max_groups_per_person", 1, 2, people=People.of(IDS)), changed("other", "rest", None)]),
    "Domain": (Domain, (),
     lambda own, account: release_of(sample(domain=Domain(**{"lower": 0, "upper": 100, "step": 1, **own})), account),
     [changed("lower", 0, 1), changed("upper", 100, 200), changed("step", 1, 2),
      changed("measure", "uniform", "round")]),
    "Domain.significant": (Domain.significant, (),
     lambda own, account: release_of(sample(domain=Domain.significant(**own)), account),
     [changed("digits", 2, 3), changed("smallest", 1, 10), changed("largest", 10**6, 10**7),
      changed("negative", True, False)]),
    "FindBounds": (FindBounds, (), lambda own, account: release_of(raw(domain=FindBounds(**own)), account),
     [changed("share", 0.1, 0.2), changed("smallest", 1, 10), changed("largest", 10**6, 10**7),
      changed("negative", True, False), changed("step", 1, 2)]),
    "FindGroups": (FindGroups, (),
     lambda own, account: release_of(table(by={"region": FindGroups(**own)}), account,
         Plan("median", "indexp", epsilon=0.25, delta=1e-6)), [changed("share", 0.1, 0.2)]),
    "People": (People.of, (),
     lambda own, account: release_of(sample(people=People.of(**{"ids": IDS, **own}), per_person="random"), account),
     [changed("ids", IDS, FRAME["other id"], refused=False), changed("missing_is_person", False, True)]),
    "Plan": (Plan, ("weights",),
     lambda own, account: release_of(sample(), account,
         Plan(**{"quantiles": "median", "mechanism": "indexp", "epsilon": 0.25, **own})),
     [changed("quantiles", "median", "quartiles"), changed("mechanism", "indexp", "aq"),
      ("privacy", Row({"privacy": PureDP(0.2)}, {"privacy": PureDP(0.1)}, {"epsilon": None})),
      ("adjacency", Row({}, {"adjacency": "replaced"})),
      changed("options", {"bins": 4}, {"bins": 5}, mechanism="binhist"),
      changed("intervals", 0.9, 0.8, about_n=50, mechanism="binhist"),
      changed("about_n", 50, 60, intervals=0.9, mechanism="binhist"), changed("epsilon", 0.25, 0.2),
      changed("delta", 1e-6, 1e-7), ("rho", Row({"rho": 0.1}, {"rho": 0.2}, {"epsilon": None}))]),
    "Intervals": (Intervals, (),
     lambda own, account: release_of(sample(), account,
         Plan("median", "binhist", epsilon=0.25, intervals=Intervals(**{"chance": 0.9, **own}), about_n=50)),
     [changed("chance", 0.9, 0.8), changed("of", "data", "population"), changed("together", False, True),
      changed("proved", False, True)]),
    "GKSketch": (GKSketch, (),
     lambda own, account: release_of(sketch(GKSketch, **{"alpha": 0.05, "n_max": 1000, **own}), account, GKEXP),
     [changed("alpha", 0.05, 0.1), changed("domain", DOMAIN, Domain(0, 50, 1)), changed("n_max", 1000, 2000),
      changed("missing", 1, 2), changed("own_max", 100, 200, refused=False)]),
    "BinCounts": (BinCounts, (),
     lambda own, account: release_of(sketch(BinCounts, **{"bins": 20, **own}), account, BINHIST),
     [changed("domain", DOMAIN, Domain(0, 50, 1)), changed("bins", 20, 10), changed("missing", 1, 2)]),
}  # fmt: skip
"""What a request is made of: how it is made, arguments that it has no row for, how it is asked, and a row for each."""
ROWS = [(part, name, row) for part, (*_, rows) in PARTS.items() for name, row in rows]


@pytest.mark.parametrize("part", PARTS)
def test_every_argument_of_each_part_has_a_row(part: str) -> None:
    made, besides, _, rows = PARTS[part]
    assert {name for name, _ in rows} == names_of(made, *besides)


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize(("part", "name", "row"), ROWS, ids=[f"{part} {name}" for part, name, _ in ROWS])
def test_an_argument_of_a_part_makes_another_request(tmp_path: Path, part: str, name: str, row: Row) -> None:
    account, ask = opened(tmp_path), PARTS[part][2]
    first, second = ({**row.also, **own} for own in (row.first, row.second))
    tried(lambda: ask(first, account), lambda: ask(second, account), account, refused=row.refused)


@pytest.mark.parametrize(("one", "other"), [
    (LISTED, {"by": {"other region": ["n", "s"]}}), ({"person": "id"}, {"person": "other id"}),
], ids=["groups", "persons"])  # fmt: skip
def test_a_column_of_a_table_keeps_the_columns_of_its_groups(tmp_path: Path, one: Settings, other: Settings) -> None:
    account, rule = opened(tmp_path), {"per_person": "random"} if "person" in one else {}

    def ask(own: Settings) -> object:
        return release_of(table(**own, **rule)["pay"], account)

    tried(lambda: ask(one), lambda: ask(other), account, refused=True)
