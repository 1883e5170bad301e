"""Rate, scale, threshold and window stand in frozen parameters: `run` hands them on, and changes none.

What is drawn is then what law, claim and audits read. Distributions are made where budgets are divided, and changed
where audits break a mechanism on purpose; both places are named here. Sampling by weights multiplies rates, of
necessity: `tests/audit/test_enumerated_draws.py` follows it, and `test_recorded_draws` compares what it was given.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import pytest

from dpq_core import calibrate
from dpq_core.mechanisms import MECHANISMS
from tests.test_contract import plan_for

CORE = Path(__file__).parents[2] / "dpq_core"
ROOM = CORE / "mechanisms"
MAKERS = {
    "Noise", "Size", "Rate", "RankNoise", "RangeRule", "TargetLevel", "TargetLevels", "Drawn",
    "guarded", "laplace_for_epsilon", "laplace_for_rho", "gaussian_for_rho", "rate_for", "for_epsilon", "times",
    "map_rates", "with_root",
}  # fmt: skip
"""Calls that make a distribution, or another one of it."""
CONSTANTS = {
    "rate", "rate_as_float", "size", "noise", "node", "scale", "threshold", "window", "factor", "target_level",
    "rank_epsilon", "draw_epsilon", "node_epsilon", "range_rule",
}  # fmt: skip
MAKING = {
    "aq/bound.py": {"proved"},  # as the samplers read the rate
    "aq/mechanism.py": {"_calibrated"},
    "aq/recursion.py": {"_scaled", "map_rates"},
    "aq/rounds.py": {"_alike"},
    "bins/mechanism.py": {"_worst_case"},
    "counts/budget.py": {"_pure"},
    "counts/intervals.py": {"interval_leaves"},  # the same noise, in units of a person
    "counts/noise.py": {"Noise.draw", "gaussian_for_rho", "laplace_for_epsilon", "laplace_for_rho"},
    "exponential/distribution.py": {"guarded", "per_unit"},
    "freetotal/nodes.py": {"TargetLevels.of_bits"},  # the same rate again
    "gk/mechanism.py": {"_spread", "calibrate"},
    "indexp/mechanism.py": {"calibrate"},
    "joint/mechanism.py": {"budget_of"},
    "joint/steps.py": {"_factors"},  # powers of numbers of any size
    "normal/mechanism.py": {"calibrate"},
    "normal/range.py": {"rule_for"},
    "slices/draws.py": {"slice_target_level"},
    "slices/ranks.py": {"RankNoise.for_epsilon"},
    "slices/refusal.py": {"_ways"},  # budgets that would do instead
    "slices/setup.py": {"SliceParameters.drawn_by"},
    "slices/trace.py": {"steps_of"},  # a law that is shown
}
"""The functions in which distributions are made, by file, besides methods that change them for audits."""
FOR_AUDITS = ("times", "with_rates_times")


def functions(file: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    """All functions and methods of a module by their names; what is nested belongs to what it is nested in."""
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{each.name}", each) for each in node.body if isinstance(each, ast.FunctionDef))


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def calls(function: ast.FunctionDef) -> Iterator[tuple[str, list[str]]]:
    """What it calls, with the names of the keywords."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            yield name_of(node.func), [keyword.arg or "" for keyword in node.keywords]


def makes(function: ast.FunctionDef) -> bool:
    return any(
        called in MAKERS or (called == "replace" and not CONSTANTS.isdisjoint(keywords))
        for called, keywords in calls(function)
    )


def test_distributions_are_made_nowhere_else():
    found: defaultdict[str, set[str]] = defaultdict(set)
    for file in ROOM.rglob("*.py"):
        for name, function in functions(file):
            if makes(function) and name.split(".")[-1] not in FOR_AUDITS:
                found[file.relative_to(ROOM).as_posix()].add(name)
    assert found == MAKING


def arithmetic(function: ast.FunctionDef) -> list[str]:
    """The constants that a function calculates with: operands, down to what is called."""
    operands: list[ast.expr] = []
    for node in ast.walk(function):
        if isinstance(node, ast.BinOp):
            operands += [node.left, node.right]
        elif isinstance(node, ast.AugAssign):
            operands += [node.target, node.value]
        elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            operands.append(node.operand)
    return [name for operand in operands if (name := name_of(operand)) in CONSTANTS]


def reached(file: Path, start: str) -> dict[str, ast.FunctionDef]:
    """The functions of a module that one of them leads to."""
    known, found, waiting = dict(functions(file)), {}, [start]
    while waiting:
        name = waiting.pop()
        if name in known and name not in found:
            found[name] = known[name]
            waiting += [called for called, _ in calls(known[name])]
    return found


@pytest.mark.parametrize("key", MECHANISMS)
def test_no_run_calculates_with_a_constant(key):
    file = Path(MECHANISMS[key].__file__)  # type: ignore[attr-defined]
    found = {name: arithmetic(each) for name, each in reached(file, "run").items()}
    assert "run" in found
    assert not any(found.values()), found


def parts(value: object) -> Iterator[Any]:
    """The dataclasses that something is made of."""
    if isinstance(value, tuple):
        for each in value:
            yield from parts(each)
    elif is_dataclass(value):
        yield value
        yield from parts(tuple(vars(value).values()))


@pytest.mark.parametrize("key", MECHANISMS)
def test_parameters_are_frozen_through_and_through(key):
    found = list(parts(calibrate(plan_for(key), 5000)))
    assert len(found) > 1, "the guarantee at least"
    assert all(type(each).__dataclass_params__.frozen for each in found)


def test_integer_noise_is_drawn_through_noise_alone():
    """Whose size law and claim read."""
    found = {
        f"{file.relative_to(CORE).as_posix()}:{name}"
        for file in CORE.rglob("*.py")
        for name, function in functions(file)
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and node.attr in {"discrete_laplace", "discrete_gaussian"}
    }
    inside = {f"noise/exact.py:ExactEntropy.discrete_{kind}" for kind in ("laplace", "gaussian")}
    steps = {"finding/walk.py:Walk._steps", "intervals/counted.py:NoisyCount.draw"}
    assert found == {"mechanisms/counts/noise.py:Noise.draw", *steps, *inside}
