"""Every broken variant crosses its claim on the pair it opens with, and its fix does not; the audit sees why."""

from fractions import Fraction
from math import inf, log
from types import ModuleType

import numpy as np
import pytest

from dpq_core import MECHANISMS, ZCDP, Adjacency, ParameterError, Plan, PureDP, privacy_loss
from dpq_core.audit import losses
from dpq_core.audit.broken import BROKEN, Broken, BrokenAtScale, TinyPair
from dpq_core.audit.losses import compare, judge, log_ratios, loss_between, noise_piece
from dpq_core.mechanisms.counts.noise import Noise
from dpq_core.plan import parse_levels
from tests.harness import Size
from tests.narrowing import only, present

ON_A_PAIR = {name: variant for name, variant in BROKEN.items() if isinstance(variant, Broken)}
AT_SCALE = {name: variant for name, variant in BROKEN.items() if isinstance(variant, BrokenAtScale)}
BOTH = [
    (name, mechanism)
    for name, variant in ON_A_PAIR.items()
    for mechanism in ([variant.mechanism] if variant.mechanism else ["aq", "indexp", "jointexp", "aggtree", "slice"])
]
PAIR = TinyPair(values=(1, 1, 4, 7), joining=9, highest=9)


@pytest.mark.parametrize(("name", "mechanism"), BOTH)
def test_the_variant_breaks_and_its_mend_does_not(name, mechanism):
    variant = ON_A_PAIR[name]
    levels, options = parse_levels(variant.quantiles), dict(variant.options)
    plan = Plan(levels, mechanism, variant.privacy, variant.pair.adjacency, options)
    broken, fixed = variant.compare(plan, variant.pair), variant.fixed(plan, variant.pair)
    assert judge(broken, plan.privacy).found > 1.05 * judge(broken, plan.privacy).claimed
    assert judge(fixed, plan.privacy).holds
    assert broken.guarantee == fixed.guarantee


@pytest.mark.parametrize("variant", AT_SCALE.values())
@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(2)])
def test_the_large_ones_break_and_their_mends_do_not(variant, epsilon):
    printed, fixed = ([variant.loss(size, epsilon, as_printed) for size in variant.sizes] for as_printed in (True, 0))
    assert printed[-1] > 1.5 * epsilon
    assert max(fixed) <= epsilon


@pytest.mark.parametrize("mechanism", ["aq", "indexp", "jointexp", "aggtree", "slice"])
@pytest.mark.parametrize("privacy", [PureDP(1.0), PureDP(0.3)])
def test_one_path_for_both_laws_and_the_loss(mechanism, privacy):
    """What is drawn is what `privacy_loss` measured."""
    plan = Plan(["1/4", "3/4"], mechanism, privacy)
    pair = compare(plan, PAIR.values, PAIR.other, PAIR.domain())
    assert pair.loss == privacy_loss(plan, PAIR.values, PAIR.other, PAIR.domain())
    assert (pair.laws is None) == (pair.outputs is None) == (pair.loss.method == "lemma")
    if pair.laws is not None and pair.outputs is not None:
        ratios = log_ratios(*pair.laws)
        assert [abs(ratios[pair.loss.worst]), np.abs(ratios).max()] == pytest.approx([pair.loss.epsilon] * 2, rel=1e-12)
        assert tuple(pair.outputs[pair.loss.worst]) == pair.loss.worst_output


def test_the_likeliest_of_the_worst_outputs_is_named():
    a, b = np.log([0.1, 0.3, 0.6]), np.log([0.2, 0.6, 0.2])
    assert loss_between(a, b, 1.0).worst == 2
    assert loss_between(a[:2], b[:2], 1.0).worst == 1


def test_outputs_that_one_law_lacks_are_an_infinite_loss():
    half, never = log(0.5), -inf
    a, b = np.array([half, half, never, never]), np.array([half, never, half, never])
    assert log_ratios(a, b).tolist() == [0, -inf, inf, 0]
    loss = loss_between(a, b, 1.0)
    assert (loss.epsilon, loss.rho, loss.delta) == (inf, inf, 0.5)


@pytest.mark.parametrize("noise", [
    Noise("laplace", Size(Fraction(3))), Noise("gaussian", Size(Fraction(20))), Noise("laplace", Size(Fraction(1, 3))),
])  # fmt: skip
def test_a_piece_of_noise_has_the_law_and_the_loss_that_the_lemma_counts_on(noise):
    plan = Plan(["1/2"], "aggtree", ZCDP(0.1))
    sound = compare(plan, PAIR.values, PAIR.other, PAIR.domain()).parameters[0]
    piece = present(noise_piece(type(sound)(**{**vars(sound), "noise": noise})))
    before, after = (np.exp(law) for law in piece.laws)
    assert 0.99 < before.sum() <= 1 + 1e-12
    assert np.allclose(before[:-1], after[1:], rtol=1e-12)
    assert piece.rho_by_order.max() == pytest.approx(noise.rho(1), rel=1e-3)
    assert len(piece.rho_by_order) == len(losses.RENYI_ORDERS)
    largest = np.abs(log_ratios(*piece.laws)).max()
    assert largest == pytest.approx(piece.epsilon, rel=1e-9) if noise.kind == "laplace" else piece.epsilon == inf


def test_slices_show_the_noise_on_a_rank_and_the_others_show_laws():
    plans = {name: Plan(["1/2"], name) for name in ("slice", "aq")}
    found = {name: compare(plan, PAIR.values, PAIR.other, PAIR.domain()) for name, plan in plans.items()}
    assert present(noise_piece(found["slice"].parameters[0])).what == "one rank"
    assert noise_piece(found["aq"].parameters[0]) is None


def test_each_quantiles_own_law_sums_to_one():
    pair = compare(Plan(["1/4", "3/4"], "aq"), PAIR.values, PAIR.other, PAIR.domain())
    outputs, (law, _) = present(pair.outputs), present(pair.laws)
    values, rows = losses.marginals(outputs, law)
    assert values.tolist() == list(range(10))
    assert [row.sum() for row in rows] == pytest.approx([1, 1])
    assert rows[0][0] == pytest.approx(np.exp(law[outputs[:, 0] == 0]).sum())


def test_a_verdict_speaks_the_language_of_the_budget():
    plan = Plan(["1/2"], "aggtree", ZCDP(0.1))
    verdict = judge(compare(plan, PAIR.values, PAIR.other, PAIR.domain()), plan.privacy)
    assert (verdict.measure, verdict.holds) == ("rho", True)
    assert verdict.found == pytest.approx(verdict.claimed)
    assert losses.rho_by_order(np.log([0.5, 0.5]), np.log([0.5, 0.5])).max() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("found", "holds"), [(1.0, True), (1.0 + 1e-12, True), (1.00001, False), (inf, False)])
def test_a_loss_holds_its_guarantee_up_to_rounding_alone(found, holds):
    assert losses.LossVerdict("epsilon", 1.0, found).holds == holds


@pytest.mark.parametrize(("leaving", "joining", "other", "adjacency"), [
    (None, 3, (1, 3, 4, 4), Adjacency.ADD_REMOVE), (4, None, (1, 4), Adjacency.ADD_REMOVE),
    (4, 9, (1, 4, 9), Adjacency.REPLACE_ONE),
])  # fmt: skip
def test_a_tiny_pair_changes_one_person(leaving, joining, other, adjacency):
    pair = TinyPair(values=(1, 4, 4), leaving=leaving, joining=joining, highest=9)
    assert (pair.other, pair.adjacency) == (other, adjacency)
    assert pair.domain().cells == 10
    assert pair.domain(8).cells == 80


@pytest.mark.parametrize(("settings", "said"), [
    ({"values": (1, 40)}, "`values` must lie from 0 to 39, got 40"),
    ({"values": (1,), "leaving": 2}, "`leaving` must be one of the values, got 2"),
    ({"values": (1,), "joining": None}, "one person has to change"),
    ({"values": (1,) * 13}, "at most 12 numbers, got 13"),
    ({"values": (), "highest": 40}, "`highest` must be a whole number from 1 to 39"),
])  # fmt: skip
def test_what_is_no_tiny_pair_is_refused(settings, said):
    with pytest.raises(ParameterError, match=said):
        TinyPair(**{"joining": 1, **settings})


def test_broken_variants_are_out_of_reach():
    assert not set(BROKEN) & set(MECHANISMS)
    assert all("audit" not in only(ModuleType, module).__name__ for module in MECHANISMS.values())
    assert all(variant.printed and variant.reason and variant.fix for variant in BROKEN.values())
