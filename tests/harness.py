"""The one way by which tests of laws reach what the product calibrates, what it draws from, and what it answers.

In go a question (a Plan), a table (a column, columns in groups, either without bounds) and a source of random bits; out
come calibrated steps with one guarantee, answers, and the enumerated laws of answers. What the product calls these, and
in which modules they stand, is known here alone: `tests/test_architecture.py` names what tests may import besides.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from importlib import import_module
from math import log
from typing import Any, Self, cast

import numpy as np
import pytest

from dpq_core import (
    MECHANISMS,
    ZCDP,
    Adjacency,
    ApproxDP,
    Column,
    Domain,
    FindBounds,
    ParameterError,
    People,
    PureDP,
    rank_errors,
)
from dpq_core.above_threshold import LEAST_RATE, Walk, stopping_law
from dpq_core.accuracy import signed_rank_errors, true_quantiles
from dpq_core.advice.choice import with_remedy
from dpq_core.arrays import Flags, Floats, Integers
from dpq_core.audit import printed
from dpq_core.audit.losses import loss_between
from dpq_core.calibrations import Calibrated, calibrate, mechanism_of, public_count
from dpq_core.domain.measure import BaseMeasure
from dpq_core.draw import RELEASE, cells_of
from dpq_core.group_privacy import CalibratesEach
from dpq_core.groups.bounding import NAMING_UNITS, counted_for_names
from dpq_core.groups.finding import PartitionSelection
from dpq_core.groups.names import GroupColumn, codes_of, names_in
from dpq_core.intervals.counted import ColumnsOfOne, CountedOnce, NoisyCount
from dpq_core.intervals.drawn import values_and_intervals
from dpq_core.mechanisms.aq.shape import ONE, AtOnce
from dpq_core.mechanisms.base import Law, Loss, Parameters
from dpq_core.mechanisms.counts.tree import TreeShape
from dpq_core.mechanisms.exponential.distribution import Target, rounded_rate
from dpq_core.noise.entropy import Entropy
from dpq_core.noise.exact import ExactEntropy
from dpq_core.noise.fast import SeededSampler
from dpq_core.noise.integer_noise import LARGEST_SCALE, Size, exp_floor
from dpq_core.people.shares import UNIT, WeightedCells, share_rows, unit_of
from dpq_core.people.takes import WAYS_PER_PERSON
from dpq_core.plan import Plan as AnyPlan
from dpq_core.privacy.budgets import Guarantee, Privacy
from dpq_core.schedule import columns_in, columns_plan, draw, schedule_of
from dpq_core.sketches.bin_counts import BinCounts, bin_edges
from dpq_core.sketches.rank_bounds import RankBounds
from dpq_core.sources.examples import load_example
from dpq_core.steps import BoundsFirst, CountFirst, steps_of
from dpq_core.studies.design import even_levels
from tests.branching import Distribution, enumerate_fast_law, enumerate_law
from tests.narrowing import only, present

__all__ = [  # what tests take as it is
    "LARGEST_SCALE",
    "LEAST_RATE",
    "NAMING_UNITS",
    "UNIT",
    "BaseMeasure",
    "BinCounts",
    "Calibrated",
    "CalibratesEach",
    "Column",
    "Distribution",
    "Entropy",
    "ExactEntropy",
    "Guarantee",
    "Loss",
    "NoisyCount",
    "Parameters",
    "PartitionSelection",
    "Privacy",
    "RankBounds",
    "SeededSampler",
    "Size",
    "Walk",
    "WeightedCells",
    "bin_edges",
    "calibrate",
    "calibrate_grouped",
    "cells_of",
    "counted_for_names",
    "even_levels",
    "exp_floor",
    "load_example",
    "mechanism_of",
    "names_in",
    "public_count",
    "rank_errors",
    "share_rows",
    "signed_rank_errors",
    "stopping_law",
    "true_quantiles",
    "unit_of",
    "values_and_intervals",
    "with_remedy",
]  # fmt: skip

Values = Iterable[float]
Rows = Sequence[tuple[Any, ...]]
"""Of a table in groups: value, group, person."""
Answer = Callable[[], Hashable]

ROUNDING = 1e-9
ONE_RECORD = WAYS_PER_PERSON[:-1]
"""The ways to make one record of a person's rows; a share uses all of them."""
NO_CUT = Fraction(1, 2**900)
"""Rounding of weights alone leaves out far less."""
SAMPLERS: dict[str, Callable[..., Distribution]] = {"exact": enumerate_law, "fast": enumerate_fast_law}
JOINS, REPLACED = Adjacency
KINDS = {"pure": PureDP, "approximate": ApproxDP, "concentrated": ZCDP}


def distribution_distance(sample: Column, values: Iterable[float]) -> float:
    """The Kolmogorov distance between a sample and other values on its grid; 0 where either of them is empty."""
    other = np.sort(sample.domain.encode(np.asarray(values, dtype=np.float64)))
    if not sample.records.size or not other.size:
        return 0.0
    cells = np.union1d(sample.coarse_cells, other)
    theirs = np.searchsorted(other, cells, side="right") / other.size
    return float(np.abs(sample.count_below(cells + 1) / sample.records.size - theirs).max())


# ── questions ────────────────────────────────────────────────────────────────────────────────────────────────────────


class Plan(AnyPlan):
    """A plan whose options may be internal arguments of its mechanism, too, which a plan from outside cannot name.

    Where they are not, it is a plan as any.
    """

    def __new__(cls, quantiles: Any, mechanism: str = "aq", *given: Any, **more: Any) -> Self:
        options = more.get("options", given[2] if len(given) > 2 else None) or {}
        names = INTERNAL[mechanism][1] if mechanism in INTERNAL else ()
        if set(options) & set(names):
            return super().__new__(cls)
        return cast(Any, AnyPlan(quantiles, mechanism, *given, **more))  # type: ignore[no-any-return]


def _aq(plan: Any, n: int | None, draws: str = "best", calibration: str = "") -> Any:
    return printed.aq(plan, n) if calibration == "paper" else MAKES["aq"](plan, n, AT_ONCE[draws])


AT_ONCE = {"best": None, "one": ONE, "several": AtOnce(((6, 2, 24), (6, 4, 24), (6, 6, 24)), cautious=False)}


def _indexp(plan: Any, n: int | None, calibration: str) -> Any:
    """One by one with the printed sensitivity of 1, and whole targets."""
    sound = MAKES["indexp"](plan, n)
    floored = (Target((level,), rounded_rate(sound.each / 2), True) for level in sound.levels)
    return replace(sound, target_levels=tuple(floored))


def _aggtree(
    plan: Any, n: int | None, branching: int = 12, height: int = 0, noise: Any = None, calibration: str = ""
) -> Any:
    as_printed = calibration == "paper"
    shape = TreeShape(branching, height) if height else printed.PRINTED_TREE if as_printed else None
    return replace(MAKES["aggtree"](plan, n, shape=shape, kind=noise), nonnegative=not as_printed)


INTERNAL: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "aq": (_aq, ("calibration", "draws")),
    "indexp": (_indexp, ("calibration",)),
    "aggtree": (_aggtree, ("branching", "height", "noise", "calibration")),
    "slice": (lambda plan, n, calibration: printed.slices(plan, n), ("calibration",)),
}
"""What makes the parameters of such plans, and the internal arguments that it takes."""
MAKES: dict[str, Callable[..., Any]] = {key: MECHANISMS[key].calibrate for key in INTERNAL}


def _calibrate(key: str, plan: Any, n_public: int | None = None, *more: Any, **given: Any) -> Any:
    make, names = INTERNAL[key]
    inner = {name: value for name, value in plan.options.items() if name in names and isinstance(plan, Plan)}
    if not inner:
        return MAKES[key](plan, n_public, *more, **given)
    options = {name: value for name, value in plan.options.items() if name not in inner}
    plain = AnyPlan(plan.quantiles, key, plan.privacy, plan.adjacency, options)
    return make(plain, n_public, **inner)


for _key in INTERNAL:
    vars(MECHANISMS[_key])["calibrate"] = partial(_calibrate, _key)


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def kind(privacy: object) -> str:
    """What a budget is called in the name of a test."""
    return next(name for name, of in KINDS.items() if isinstance(privacy, of))


def grid(cells: int) -> Domain:
    return Domain(0, cells - 1, 1)


def column(
    values: Values, on: Domain | int, *, persons: Iterable[Hashable] | None = None, bits: int | None = 0, **rule: Any
) -> Column:
    """A column of records, or of rows whose persons are given; without bits that break ties, which few can follow."""
    domain, people = on if isinstance(on, Domain) else grid(on), None if persons is None else People.of(list(persons))
    return Column.from_values(np.array(list(values), np.float64), domain, people=people, tie_bits=bits, **rule)


def persons(ids: Any) -> People:
    """Who owns each row."""
    return People.of(ids)


def usual_column(values: Any, domain: Domain, **rule: Any) -> Column:
    """A column as data come, with bits that break ties: fresh ones, or those of a seed."""
    return Column.from_values(values, domain, **rule)


def usual_groups(values: Any, groups: Any, domain: Domain, **rule: Any) -> Column:
    """A column in groups as data come."""
    return Column.from_values(values, domain, groups=groups, **rule)


def weighted(rows: Sequence[int], weights: Sequence[int], unit: int = 4) -> WeightedCells:
    return WeightedCells.of(np.array(rows, np.int64), np.array(weights, np.int64), unit)


def grouped(rows: Rows, domain: Domain, **rule: Any) -> Column:
    """A column in groups, of rows (value, group, person)."""
    values, groups, ids = zip(*rows, strict=True) if rows else ((), (), ())
    return Column.from_values(
        np.array(values, np.float64), domain, groups=list(groups), people=People.of(list(ids)), tie_bits=0, **rule
    )


def unbounded(values: Values, bounds: FindBounds, *, persons: Iterable[Hashable] | None = None, **rule: Any) -> Column:
    """A column whose bounds are to be found."""
    people = None if persons is None else People.of(list(persons))
    return Column.from_values(np.array(list(values), np.float64), bounds, people=people, **rule)


def unbounded_groups(rows: Rows, bounds: FindBounds, names: tuple[str, ...], **rule: Any) -> Column:
    """A column in listed groups whose bounds are to be found, of rows (value, group, person)."""
    values, groups, ids = zip(*rows, strict=True) if rows else ((), (), ())
    codes = GroupColumn(np.array([names.index(each) for each in groups], np.int32), names)
    rule = {"names": names, "people": People.of(list(ids))} | rule
    return raw_groups(np.array(values, np.float64), codes, bounds, rule)


def raw_groups(values: Any, groups: Any, bounds: FindBounds, rule: Mapping[str, Any]) -> Column:
    """A column in groups whose bounds are to be found."""
    return Column.from_values(values, bounds, groups=groups, **rule)


def persons_of(rows: Rows, most: int) -> Any:
    """The persons of a table by whom groups are found once for all columns, of rows (group, person)."""
    labels, ids = ([row[at] for row in rows] for at in (0, 1))
    names = names_in(labels) if rows else ()
    return counted_for_names(codes_of(labels, names, pooled=False), len(names), People.of(ids), most, None, share=False)


def of_one_table(columns: Mapping[str, Any], in_all: int) -> ColumnsOfOne:
    """Whole columns of the same persons, of whom so many have a value in all."""
    return ColumnsOfOne(columns, in_all)


def tiny_bounds(*, negative: bool = True, share: str = "1/2") -> FindBounds:
    """Bounds from -2 to 2, or from 0: 0, 1 and 2 are all that can be found."""
    found = FindBounds(share, negative=negative, step=1)
    object.__setattr__(found, "grid", Domain.significant(1, 1, 2, negative=negative))
    return found


# ── calibrate ────────────────────────────────────────────────────────────────────────────────────────────────────────


def unsupported(question: AnyPlan) -> str:
    """Why a mechanism is not available, or an empty text."""
    try:
        calibrate(question)
    except ParameterError as refused:
        return str(refused)
    return ""


def parameters(question: AnyPlan, n: int | None = None) -> Any:
    """What a mechanism draws by, from public facts: the number of records where it is public."""
    return calibrate(question, n if question.adjacency is REPLACED else None)


@dataclass(frozen=True)
class NamedFirst:
    """Names are found first, and then the groups that were found are answered; what is not here is of the answers."""

    naming: PartitionSelection
    answers: Calibrated
    guarantee: Guarantee

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.answers, name)


def calibrated(question: Any, table: Any, weights: Mapping[str, Any] | None = None) -> Any:
    """The steps of a release of this table, with one guarantee; nothing is drawn."""
    if isinstance(table, Mapping):
        return schedule_of(table, columns_plan(table, question, weights))
    if table.finding is None:
        return steps_of(table, question)
    steps = schedule_of(columns_in(table), question)
    (answers,) = steps.columns.values()
    return NamedFirst(present(steps.naming), cast(Calibrated, answers), steps.guarantee)


def calibrate_grouped(groups: Column, question: Any) -> Any:
    return calibrated(question, groups)


def counted_once(names: Iterable[str], rate: Fraction, columns: int) -> CountedOnce:
    """The noisy numbers of these columns of a table that has so many, all together for the loss of `rate`."""
    return CountedOnce.of(tuple(names), rate, columns)


def with_less_noise(steps: Any, times: Fraction | int = 2) -> Any:
    """The same under the same guarantee with noise so many times smaller: what an audit has to find out."""
    factor = Fraction(times)
    if isinstance(steps, Parameters):
        return steps.with_rates_times(factor)
    if isinstance(steps, Walk):
        return replace(steps, rate=factor * steps.rate)
    if isinstance(steps, NamedFirst):
        return replace(steps, answers=with_less_noise(steps.answers, times))
    if isinstance(steps, CountFirst):
        count = steps.count
        number = replace(count.number, rate=factor * count.number.rate)
        return replace(steps, count=replace(count, number=number))
    levels = only(Calibrated, steps).levels.items()
    return replace(steps, levels={at: (each, by.with_rates_times(factor), drawn) for at, (each, by, drawn) in levels})


def halve_noise(mechanism: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on the mechanism draws with twice its rates, and states what it stated before."""
    usual = MECHANISMS[mechanism].calibrate
    monkeypatch.setattr(MECHANISMS[mechanism], "calibrate", lambda plan, n: with_less_noise(usual(plan, n)))


# ── draw ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def source(seed: int | None = 1, trials: int = 1) -> Any:
    """Random bits: seeded, for so many trials side by side; or from the operating system, for None."""
    return ExactEntropy() if seed is None else SeededSampler(seed, trials)


def run(question: AnyPlan, sample: Any, by: Any = None, entropy: Any = None) -> Integers:
    """Grid indices (trials, distinct levels) that a mechanism draws, by its own parameters or by those given."""
    by = parameters(question, sample.n) if by is None else by
    return mechanism_of(question).run(sample, by, source() if entropy is None else entropy)


def answers(table: Any, steps: Any) -> Any:
    """The cells of a release by calibrated steps: of one column, or of each column of a mapping."""
    return draw(table, steps).cells if isinstance(table, Mapping) else cells_of(table, steps)


def of_groups(groups: Column, steps: Any, entropy: Any) -> tuple[Integers, Floats, Floats | None]:
    """One draw of groups: which are named, their answers and intervals."""
    which, answers = np.arange(len(groups.names)), steps
    if isinstance(steps, NamedFirst):
        which, answers = np.flatnonzero(steps.naming.named(groups.people_in, 1, entropy)[0]), steps.answers
    found = answers._some(groups, which, entropy, RELEASE, iter(()))
    return which, found.values[0], None if found.ends is None else found.ends[0]


def in_groups(groups: Column, steps: Calibrated, entropy: Any) -> tuple[tuple[int, ...], ...]:
    """The grid indices of one draw of listed groups."""
    drawn = steps.values_and_intervals(groups, np.arange(len(groups.names)), entropy)[0][0]
    return tuple(map(tuple, drawn.tolist()))


class Dictated(Entropy):
    """Entropy whose noise is dictated: arrays (trials, counts), taken one after the other. Nothing else is drawn."""

    exact = False

    def __init__(self, *noise: Integers) -> None:
        self._noise, self.trials = list(noise), len(noise[0])

    def below(self, limits: Integers) -> Integers:
        pytest.fail(f"only noise may be drawn, not uniform integers of shape {limits.shape}")

    def coins(self, numerator: int, denominator: int) -> Flags:
        pytest.fail(f"only noise may be drawn, not a coin of {numerator} / {denominator}")

    def accepted(self, attempt: Callable[[Any], object]) -> Any:
        pytest.fail("only noise may be drawn, and nothing that can be rejected")

    def discrete_laplace(self, scale: Size, shape: tuple[int, ...]) -> Integers:
        taken, left = self._noise[0][: shape[0]], self._noise[0][shape[0] :]
        self._noise[:1] = [left] if len(left) else []
        assert taken.shape == shape
        return taken

    def discrete_gaussian(self, sigma_squared: Size, shape: tuple[int, ...]) -> Integers:
        return self.discrete_laplace(sigma_squared, shape)


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def law(program: Callable[[Any], Hashable], cut: Fraction = Fraction(0), sampler: str = "exact") -> Distribution:
    """The law of what a program makes of its source: every outcome of every draw is followed, but what is cut."""
    found = SAMPLERS[sampler](program, cut)
    assert cut or found.cut < NO_CUT
    return found


def law_of_run(
    question: AnyPlan, sample: Any, cut: Fraction = Fraction(0), sampler: str = "exact", by: Any = None
) -> Distribution:
    """The law of what a release would say: cells of the distinct levels, or the whole text of a refusal."""
    by = calibrate(question, public_count(sample, question)) if by is None else by

    def program(entropy: Any) -> Hashable:
        try:
            return tuple(run(question, sample, by, entropy)[0].tolist())
        except ParameterError as refused:
            return str(refused)

    return SAMPLERS[sampler](program, cut)


WORDS = 6
"""Random words for a choice of rows: as many as give 1, 2 and 3 rows equal chances."""


def law_of_release(answer: Answer, monkeypatch: pytest.MonkeyPatch, cut: Fraction = Fraction(0)) -> Distribution:
    """The law of what `answer` returns, which makes the table anew and releases: with all that is drawn for either.

    Rows taken of persons and tie-breaking bits are followed, too; on bounds that are found there are no such bits.
    """
    here: list[Any] = []
    noise, encoding, sample, takes = (
        import_module(f"dpq_core.{name}") for name in ("noise.tie_breaking", "encoding", "column", "people.takes")
    )
    usual_bits, usual_on = noise.tie_breaking, Column.on

    def words_for(places: Any, seed: Any, turn: int = 0) -> Any:
        return here[0].below(np.full(places.shape, WORDS)).astype(np.uint64)

    def tie_breaking(count: int, bits: int, seed: int | None = None, first_row: int = 0) -> Any:
        if seed is not None or not bits:
            return usual_bits(count, bits, seed, first_row)
        return iter([here[0].below(np.full(count, 1 << bits))])

    monkeypatch.setattr("dpq_core.draw.ExactEntropy", lambda: here[0])
    for module in (encoding, sample):
        monkeypatch.setattr(module, "tie_breaking", tie_breaking)
    monkeypatch.setattr(takes, "words_for", words_for)
    monkeypatch.setattr(Column, "on", lambda self, domain, tie_bits=0: usual_on(self, domain, 0))

    def program(entropy: Any) -> Hashable:
        here[:] = [entropy]
        return answer()

    return law(program, cut)


def stated(question: AnyPlan, outputs: Integers, records: Any, by: Any, cells: int) -> Floats:
    """The log chances of sorted outputs (outputs, levels), as the mechanism states them."""
    return only(Law, mechanism_of(question).AUDIT).log_law(outputs, records, by, cells)


def law_of_bounds(steps: BoundsFirst | Walk, table: Any) -> Floats:
    """The chance of each pair of bounds: rows from the lowest value up to 0, columns from the first one above 0."""
    walk = steps.walk if isinstance(steps, BoundsFirst) else steps
    return walk.law(table if isinstance(table, Column) else table.counted)


def between(table: Any, down: int, up: int) -> Any:
    """The table on the bounds of a row and a column of `law_of_bounds`."""
    bounds = table.find_bounds
    return table.on(bounds.between(down, bounds.zero + 1 + up), tie_bits=0)


def check_chances(found: Distribution, outputs: Integers, chances: Floats) -> None:
    """Nothing but the outputs is answered, each with the chance that is stated.

    To a billionth of itself, and to 1e-12: the fast sampler adds up float64 weights, beside which rare ones are lost.
    """
    assert found.cut < NO_CUT
    keys = [tuple(output) for output in outputs.tolist()]
    assert found.chances.keys() <= set(keys)
    assert [float(found.at_least(key)) for key in keys] == pytest.approx(chances.tolist(), rel=1e-9, abs=1e-12)


# ── losses ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def loss_of_laws(one: Distribution | Mapping[Any, float], other: Any, epsilon: float) -> Loss:
    """The loss between the laws of neighbours, the worse direction; for laws that have no cut."""
    first, second = (each.chances if isinstance(each, Distribution) else each for each in (one, other))
    outputs = list(first.keys() | second.keys())
    a, b = (np.array([log_of(chances.get(each, 0)) for each in outputs]) for chances in (first, second))
    return loss_between(a, b, epsilon)


def log_of(chance: Any) -> float:
    """The logarithm of a chance; a fraction may lie below every float."""
    if not chance:
        return -np.inf
    if isinstance(chance, float):
        return log(chance)
    scale = chance.denominator.bit_length() - chance.numerator.bit_length()
    return float(np.log(float(chance * 2**scale)) - scale * np.log(2))


def worst_ratio(one: Distribution, other: Distribution, rarest: float | Fraction) -> float:
    """The largest log ratio of outcomes that are no rarer under either law: what is cut hardly matters to them."""
    likely = [each for each in one.chances if min(one.at_least(each), other.at_least(each)) > rarest]
    assert len(likely) > 5
    return max(abs(log(one.at_least(each) / other.at_least(each))) for each in likely)


def share_of(privacy: Privacy, claim: Guarantee, loss: Loss) -> float:
    """The loss as a share of the claim, in the budget's terms: rho, else delta where one is claimed, or epsilon."""
    if isinstance(privacy, ZCDP):
        return present(loss.rho) / present(claim.rho)
    if isinstance(privacy, ApproxDP) and claim.delta:
        return loss.delta / claim.delta
    return loss.epsilon / claim.epsilon


def within(privacy: Privacy, claim: Guarantee, loss: Loss) -> bool:
    """Whether a loss keeps the claim, up to rounding, in the terms of the budget."""
    if isinstance(privacy, ZCDP):
        return present(loss.rho) <= present(claim.rho) * (1 + ROUNDING)
    if claim.delta == 0:
        return loss.epsilon <= claim.epsilon * (1 + ROUNDING)
    return loss.delta <= claim.delta * (1 + ROUNDING)


def exceeds(question: AnyPlan, loss: Loss) -> float:
    """By how much a loss is above the budget, in its own terms; at most 0 where the budget holds."""
    privacy = question.privacy
    if isinstance(privacy, ZCDP):
        return present(loss.rho) - privacy.rho
    return loss.delta - privacy.delta if isinstance(privacy, ApproxDP) else loss.epsilon - privacy.epsilon


def share_between(
    answers_of: tuple[Answer, Answer], privacy: Privacy, claim: Guarantee, monkeypatch: pytest.MonkeyPatch
) -> float:
    """The loss between two tables' releases as a share of the claim, the worse direction."""
    first, second = (law_of_release(each, monkeypatch) for each in answers_of)
    return share_of(privacy, claim, loss_of_laws(first, second, claim.epsilon))


def reached_with_half_noise_caught(
    answer: Callable[[Any], Hashable], tables: Sequence[Any], question: Any, claim: Guarantee, least: float, patch: Any
) -> None:
    """Whole releases of two tables lose more than `least` of the claim and at most all; half the noise is caught.

    `answer`: what is released of a table.
    """
    answers_of = partial(answer, tables[0]), partial(answer, tables[1])
    assert least < share_between(answers_of, question.privacy, claim, patch) <= 1 + ROUNDING
    halve_noise(question.mechanism, patch)
    assert share_between(answers_of, question.privacy, claim, patch) > 1.2
