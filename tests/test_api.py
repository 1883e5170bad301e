"""Whatever is given to a public function: an answer, or a ParameterError or DataError with a sentence."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import dpq_core as dpq

DOMAIN = dpq.Domain(0, 120, 1)
VALUES = [1.0, 2.0, 3.0]
LETTERS = ["a", "b", "a"]
PLAN = dpq.Plan(["1/4", "1/2"], "aq", dpq.PureDP(1.0))
SAMPLE = dpq.Sample.from_values(VALUES, DOMAIN)
PEOPLE = dpq.People.of([1, 1, 2])
GROUPS = dpq.Groups.from_values(VALUES, LETTERS, DOMAIN, names=["a", "b"])

FRAME: dict[str, Any] = {
    "frame": {"a": VALUES, "b": LETTERS, "id": [1, 1, 2]}, "columns": {"a": DOMAIN}, "by": ["b"], "groups": ["a", "b"],
    "person": "id", "take": "mean", "groups_per_person": 1,
}  # fmt: skip


def groups(**chosen: Any) -> dpq.Groups:
    given: dict[str, Any] = {
        "values": VALUES,
        "groups": LETTERS,
        "domain": DOMAIN,
        "names": ["a", "b"],
        "people": PEOPLE,
    } | chosen
    return dpq.Groups.from_values(**given)


DOORS: dict[str, Callable[[Any], object]] = {
    "People.of": lambda x: dpq.People.of(x),
    "People.of_batches": lambda x: dpq.People.of_batches(x),
    "values": lambda x: dpq.Sample.from_values(x, DOMAIN),
    "domain": lambda x: dpq.Sample.from_values(VALUES, x),
    "people": lambda x: dpq.Sample.from_values(VALUES, DOMAIN, people=x),
    "take": lambda x: dpq.Sample.from_values(VALUES, DOMAIN, people=PEOPLE, take=x),
    "most_rows": lambda x: dpq.Sample.from_values(VALUES, DOMAIN, people=PEOPLE, most_rows=x),
    "batches": lambda x: dpq.Sample.from_batches(x, DOMAIN),
    **{
        f"groups, {name}": partial(lambda name, x: groups(**{name: x}), name)
        for name in ("values", "groups", "domain", "names", "people", "groups_per_person", "other", "finding")
    },
    "quantiles": lambda x: dpq.Plan(x, "aq", dpq.PureDP(1.0)),
    "mechanism": lambda x: dpq.Plan(["1/2"], x, dpq.PureDP(1.0)),
    "privacy": lambda x: dpq.Plan(["1/2"], "aq", x),
    "adjacency": lambda x: dpq.Plan(["1/2"], "aq", dpq.PureDP(1.0), x),
    "options": lambda x: dpq.Plan(["1/2"], "aq", dpq.PureDP(1.0), options=x),
    "intervals": lambda x: dpq.Plan(["1/2"], "aq", dpq.PureDP(1.0), intervals=x, about_n=1000),
    "about_n": lambda x: dpq.Plan(["1/2"], "aq", dpq.PureDP(1.0), intervals=0.95, about_n=x),
    "epsilon": lambda x: dpq.PureDP(x),
    "delta": lambda x: dpq.ApproxDP(1.0, x),
    "rho": lambda x: dpq.ZCDP(x),
    "release, sample": lambda x: dpq.release(x, PLAN),
    "release, plan": lambda x: dpq.release(SAMPLE, x),
    "release, column": lambda x: dpq.release({"a": SAMPLE, "b": x}, PLAN),
    "release, weights": lambda x: dpq.release({"a": SAMPLE, "b": SAMPLE}, PLAN, weights=x),
    "release, weight": lambda x: dpq.release({"a": SAMPLE, "b": SAMPLE}, PLAN, weights={"a": 1, "b": x}),
    "release of groups, plan": lambda x: dpq.release(GROUPS, x),
    "release, account": lambda x: dpq.release(SAMPLE, PLAN, account=x) if x is not None else None,
    **{
        f"Table, {name}": partial(lambda name, x: dpq.Table.from_frame(**FRAME | {name: x}), name)
        for name in ("frame", "columns", "by", "groups", "person", "take", "groups_per_person", "missing")
    },
    "Table, possible values": lambda x: dpq.Table.from_frame({"a": VALUES}, {"a": x}),
    "Table, names of groups": lambda x: dpq.Table.from_frame(**FRAME | {"by": {"b": x}, "groups": None}),
    "FindGroups": lambda x: dpq.FindGroups(x),
    "quantiles, levels": lambda x: dpq.quantiles({"a": VALUES}, {"a": DOMAIN}, x, "aq", epsilon=1),
    "simulate, trials": lambda x: dpq.simulate(SAMPLE, PLAN, trials=x, seed=0),
    "simulate, seed": lambda x: dpq.simulate(SAMPLE, PLAN, trials=2, seed=x),
    "simulate groups, trials": lambda x: dpq.simulate(GROUPS, PLAN, trials=x, seed=0),
    "simulate groups, seed": lambda x: dpq.simulate(GROUPS, PLAN, trials=2, seed=x),
    "digits": lambda x: dpq.Domain.significant(digits=x),
    "smallest": lambda x: dpq.Domain.significant(smallest=x),
    "largest": lambda x: dpq.Domain.significant(largest=x),
    "lower": lambda x: dpq.Domain(x, 120, 1),
    "step": lambda x: dpq.Domain(0, 120, x),
    "Domain.from_dict": lambda x: dpq.Domain.from_dict(x),
    "share": lambda x: dpq.FindBounds(share=x),
    "RawSample, values": lambda x: dpq.RawSample.from_values(x, dpq.FindBounds()),
    "RawSample, find_bounds": lambda x: dpq.RawSample.from_values(VALUES, x),
    "explain, seed": lambda x: dpq.explain(SAMPLE, PLAN, seed=x),
    "rank_errors": lambda x: dpq.rank_errors(SAMPLE, ["1/2"], x),
    "true_quantiles": lambda x: dpq.true_quantiles(SAMPLE, x),
    "synthesize": lambda x: dpq.synthesize(SAMPLE, x, PLAN),
    "privacy_loss": lambda x: dpq.privacy_loss(PLAN, [1, 2], x, dpq.Domain(0, 3, 1)),
}

GIVEN: tuple[object, ...] = (
    *(None, True, 0, 1, -1, 2, 1.5, float("nan"), float("inf"), 10**30, 2**63, 1j, Fraction(1, 3), np.float64(3)),
    *("", "a", "0.5", b"x", (), [], [None], ["a", "b"], [[1], [2]], [[1, 2], [3, 4]], {}, {"a": 1}, set(), object()),
    *(np.array(3), np.array([]), np.array([1.0, np.nan]), np.array([[1, 2], [3, 4]]), np.array(["a", "b", "c"])),
    *(np.array([None, "a", 1], dtype=object), np.array([2**63] * 3, dtype=np.uint64), np.array([1j])),
    *(
        np.array(["2020-01-01"], "datetime64[D]"),
        np.array([1, 2], "timedelta64[s]"),
        np.ma.array([1, 2], mask=[False, True]),
    ),
    *(datetime.date(2020, 1, 1), range(3), len),
)


@pytest.mark.parametrize("name", DOORS)
def test_whatever_is_given_is_answered_or_refused_with_a_sentence(name: str) -> None:
    unclear = []
    for given in GIVEN:
        too_long = isinstance(given, int) and given > 10**6 and ("trials" in name or name == "synthesize")
        try:
            too_long or DOORS[name](given)
        except (dpq.ParameterError, dpq.DataError) as error:
            if not str(error).endswith(".") or len(str(error)) > 300:
                unclear.append((given, str(error)))
        except Exception as error:
            unclear.append((given, f"{type(error).__name__}: {error}"))
    assert not unclear
