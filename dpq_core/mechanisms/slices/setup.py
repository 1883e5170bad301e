"""Set up SliceQuantiles from public facts: its options, the split of the budget, and the guarantee that follows.

The rank errors of the printed SliceQuantiles are bounded for comparison: noise on ranks is built otherwise here.

[SLICE]  Imola, Boninsegna, Keller, Aamand, Roy Chowdhury, Pagh, "Differentially Private Quantiles with Smaller Error",
2025.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil, log, sqrt

from ...errors import Infeasible, Name, ParameterError, Remedy
from ...plan import Plan
from ...privacy.budgets import ZCDP, Adjacency, ApproxDP, Guarantee
from ...privacy.conversions import round_up
from ..base import USUAL_DELTA, Bound, Option, Parameters, distinct_levels, options_of
from .draws import Drawn, slice_target_level
from .layout import MIXTURE_BITS, Rules, arrange, layout_delta, mixture, public_layout, refusal, target_delta
from .ranks import CONTEXT, RankNoise, to_decimal, to_float_upwards


def bound_as_printed(plan: Plan, cells: int, beta: float) -> Bound | None:
    """Return noise on ranks, 3 ln m ln(2m / delta) / eps1, and half a slice: [SLICE] Theorem 4.2.

    Half of the budget is for ranks: eps1 + 2 eps2, or 2 eps1 + 3 eps2 where one record is replaced. The first term
    fails with probability delta. None for a single level, and without a delta: it says nothing there.
    """
    m = len(set(plan.quantiles))
    if not isinstance(plan.privacy, ApproxDP) or m < 2:
        return None
    parts = (4, 6) if plan.adjacency is Adjacency.REPLACE_ONE else (2, 4)
    rank_epsilon, draw_epsilon = (plan.privacy.epsilon / each for each in parts)
    noise = 3 * log(m) * log(2 * m / plan.privacy.delta) / rank_epsilon
    half_width = ceil(2 / draw_epsilon * log(2 * m * cells / beta) - 1)
    return Bound(noise + max(half_width, 1), "SLICE, Theorem 4.2", proved=False)


OPTIONS = (
    Option(
        name="half_width",
        kind="integer",
        default=None,
        minimum=1,
        maximum=2**40,
        help="How many records a slice has on each side of its rank. Empty: as many as are useful and have room.",
    ),
    Option(
        name="rank_share",
        kind="number",
        default=None,
        minimum=0.01,
        maximum=0.99,
        help="The share of the budget for noise on ranks; the rest finds values. Empty: chosen from the number of "
        "quantiles.",
    ),
    Option(
        name="noise",
        kind="choice",
        default="auto",
        choices=("auto", "flat", "two_level", "binary"),
        help="How noise on ranks is built. auto: flat up to 4,000 quantiles, then two levels.",
    ),
    Option(
        name="merge_close",
        kind="flag",
        default=False,
        help="Quantiles whose ranks are too close for slices of their own take the answer of the nearest that has one.",
    ),
    Option(
        name="beta",
        kind="number",
        default=0.05,
        minimum=1e-9,
        maximum=0.5,
        help="The accepted chance that some answer lies outside its slice; smaller means wider slices.",
    ),
)

FEW_LEVELS_SHARE, MANY_LEVELS_SHARE, MANY_LEVELS = Fraction(2, 5), Fraction(1, 2), 20
"""The default share for ranks: measured, noise on ranks grows with the number of quantiles."""

MOST_PURE_LEVELS = 1000
"""With more, the answers to be mixed over are too many for any data set."""

SPREADS = 3.0
"""Room for slices has to be there also where the noisy number of records is this many deviations too low."""


@dataclass(frozen=True, kw_only=True)
class SliceParameters(Parameters):
    """The split of the budget, and the number of records where it is public."""

    rules: Rules
    n_public: int | None
    factor: Fraction = Fraction(1)

    def with_rates_times(self, factor: Fraction) -> SliceParameters:
        """Return the same slices with other noise under the same guarantee: for audits of broken mechanisms."""
        return replace(self, factor=self.factor * Fraction(factor))

    def drawn_by(self, rules: Rules) -> Drawn:
        """Return what a run of these rules draws: what it does, and what its loss is computed from."""
        node = RankNoise.for_epsilon(rules.kind, rules.places, rules.rank_epsilon * self.factor)
        return Drawn(node, slice_target_level(rules.draw_epsilon).times(self.factor))

    def bound(self, plan: Plan, cells: int, beta: float) -> Bound | None:
        """Return what the paper proves of its own noise, for comparison: here it is built otherwise."""
        return bound_as_printed(plan, cells, beta)

    def chance_of_answers_at_random(self, n: int, cells: int) -> float:
        """Return how often a pure budget answers at random. Raises Infeasible without room for the slices."""
        rules = self.rules
        spread = 0.0 if rules.count_is_public else sqrt(2 * rules.places) / float(rules.node_epsilon)
        remaining, layout, _ = public_layout(rules, max(int(n - SPREADS * spread), 0), cells)
        if not rules.count_is_public:  # the chance is fixed before the noisy number of records is known
            return float(mixture(rules, target_delta(rules, cells), cells) / 2**MIXTURE_BITS)
        return float(mixture(remaining, layout_delta(remaining, layout), cells) / 2**MIXTURE_BITS)


def calibrate(plan: Plan, n_public: int | None, *, paper: bool = False) -> SliceParameters:
    """Return the split of the budget with its guarantee; under REPLACE_ONE the room between `n_public` ranks too.

    `paper`: with the printed constants, which are sound for several levels, a delta and a person who is replaced.

    Under ADD_REMOVE whether ranks are far enough apart depends on the noisy number of records, which `run` draws. With
    a pure budget it depends on the domain too: here a domain of two values, the least demanding, represents all.
    Raises ParameterError, Infeasible.
    """
    levels, adjacency = distinct_levels(plan), plan.adjacency
    _refuse_unsupported(plan)
    rules = _rules(plan, paper)
    slice_target_level(rules.draw_epsilon)
    delta = plan.privacy.delta if isinstance(plan.privacy, ApproxDP) and len(levels) > 1 else 0.0
    count = (n_public or 0) if rules.count_is_public else None
    if count is not None:
        remaining, layout, _ = public_layout(rules, count, 2)
        if delta and not paper:
            delta = to_float_upwards(layout_delta(remaining, layout))
    rho = None if delta else round_up(rules.epsilon**2 / 2)  # Bun & Steinke 2016, Proposition 1.4
    return SliceParameters(
        levels=levels,
        guarantee=Guarantee(epsilon=float(rules.epsilon), delta=delta, rho=rho, adjacency=adjacency),
        notes=_notes(rules, count),
        rules=rules,
        n_public=count,
    )


def refused_on(plan: Plan, cells: int, count: int | None) -> ParameterError | None:
    """Return what a run on a domain of this many values would refuse, before any is made; None where nothing is.

    `count`: the number of records, where it may be known: public, or of data that is explored.
    """
    _refuse_unsupported(plan)
    if count is None or not plan.quantiles:
        return None
    rules = _rules(plan)
    try:
        if rules.count_is_public:
            public_layout(rules, count, cells)
        elif arrange(rules, count, cells) is None:
            return refusal(rules, count, cells)
    except Infeasible as refused:
        return refused
    return None


def _refuse_unsupported(plan: Plan) -> None:
    options_of(plan, OPTIONS)
    if isinstance(plan.privacy, ZCDP):
        raise ParameterError(
            "privacy",
            (
                "must be ",
                Name("PureDP"),
                " or ",
                Name("ApproxDP"),
                " for slices: an interval can fail with a small probability, which no rho covers. AQ serves a "
                "concentrated budget.",
            ),
            (Remedy("budget", "approximate"), Remedy("budget", "pure"), Remedy("mechanism", "aq")),
        )
    if not isinstance(plan.privacy, ApproxDP) and len(set(plan.quantiles)) > MOST_PURE_LEVELS:
        raise ParameterError(
            "quantiles",
            f"must be at most {MOST_PURE_LEVELS:,} for slices with a pure budget: a delta, or AQ, allows more.",
            (Remedy("delta", USUAL_DELTA), Remedy("mechanism", "aq")),
        )


def _rules(plan: Plan, paper: bool = False) -> Rules:
    options, levels, privacy = options_of(plan, OPTIONS), distinct_levels(plan), plan.privacy
    assert not isinstance(privacy, ZCDP), "refused before"
    epsilon = Fraction(privacy.epsilon)
    share = FEW_LEVELS_SHARE if len(levels) < MANY_LEVELS else MANY_LEVELS_SHARE
    if options["rank_share"] is not None:
        share = Fraction(str(options["rank_share"]))
    # The theorem: eps1 + eps2 where one joins or leaves, 2 eps1 + 2 eps2 where one is replaced.
    times_ranks, times_draws = (1, 1) if plan.adjacency is Adjacency.ADD_REMOVE else (2, 2)
    if paper:
        # Theorem 4.2: 2 eps1 + 3 eps2, and delta times e^(eps1 + 2 eps2).
        times_ranks, times_draws = 2, 3
    ranks, draws = epsilon * share / times_ranks, epsilon * (1 - share) / times_draws
    delta = Decimal(privacy.delta) if isinstance(privacy, ApproxDP) else None
    if paper and delta is not None:
        delta = CONTEXT.multiply(delta, CONTEXT.exp(to_decimal(-ranks - 2 * draws)))
    noise, width = str(options["noise"]), options["half_width"]
    return Rules(
        levels=levels,
        epsilon=epsilon,
        rank_epsilon=ranks,
        draw_epsilon=draws,
        delta=delta,
        half_width=None if width is None else int(width),
        noise="binary" if paper and noise == "auto" else noise,
        merge_close=bool(options["merge_close"]),
        beta=float(options["beta"] or 0),
        paper=paper,
        count_is_public=plan.adjacency is Adjacency.REPLACE_ONE,
    )


def _notes(rules: Rules, count: int | None) -> tuple[str, ...]:
    """Return what merging did, or may do where that is decided later."""
    if not rules.merge_close or len(rules.levels) == 1:
        return ()
    if count is None or rules.delta is None:
        return ("Quantiles whose ranks are too close for slices of their own share an answer.",)
    remaining = len(public_layout(rules, count, 2)[0].levels)
    if remaining == len(rules.levels):
        return ()
    answers = f"{remaining} answer{'s' * (remaining > 1)}"
    return (f"{len(rules.levels)} quantiles share {answers}: their ranks are too close for more.",)
