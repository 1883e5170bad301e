"""Settings drawn at random, to see how well the stored surface and the advice do in fresh simulations.

`python -m dpq_core.studies.advice_check` states how often the advised mechanism is near the best one, on shapes that
the surface was not measured on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from ..mechanisms import MECHANISMS
from ..privacy import ZCDP, Adjacency, ApproxDP, Privacy, PureDP
from .advice import advise
from .advice_facts import Facts
from .advice_words import NEAR
from .cell import SEED_BITS, Cell, Method, seed_of
from .engine import Samples, run_cell
from .grid import even_levels
from .shapes import domain_of

UNSEEN = ("uniform", "skewed", "tied")
"""Shapes that the surface was not measured on."""
NEED_MORE_FACTS = ("gkexp", "normal")
"""Mechanisms that ask for a public bound on n or for a normal law; without them they are not advised."""
RECORDS, COUNTS, BUDGETS, RHOS = (200, 30_000), (1, 60), (0.1, 5.0), (0.002, 2.0)


FEW = 3
"""Up to so many quantiles a trial says little, and more of them are needed."""


@dataclass(frozen=True)
class Question:
    """Public facts of a question."""

    n: int
    m: int
    privacy: Privacy
    adjacency: Adjacency


def drawn_at_random(count: int, seed: int) -> Iterator[Question]:
    """So many questions, the same for the same seed: pure, approximate and concentrated budgets in turn."""
    for number in range(count):

        def between(name: str, low: float, high: float, number: int = number) -> float:
            share = seed_of(seed, "question", name, number) / 2**SEED_BITS
            return float(low * (high / low) ** share)

        epsilon, rho = round(between("epsilon", *BUDGETS), 3), round(between("rho", *RHOS), 4)
        yield Question(
            n=int(between("n", *RECORDS)),
            m=round(between("m", *COUNTS)),
            privacy=(PureDP(epsilon), ApproxDP(epsilon, 1e-6), ZCDP(rho))[number % 3],
            adjacency=tuple(Adjacency)[number // 3 % 2],
        )


@dataclass(frozen=True)
class Outcome:
    """What every mechanism came to in a fresh simulation (mean rank errors in records), and which was advised."""

    question: Question
    data: str
    advised: str
    errors: dict[str, float]
    """Infinite for an advised one that could not serve."""

    @property
    def regret(self) -> float:
        """The error of the advised mechanism as a multiple of the least; 1 where none of the two errs."""
        error, least = self.errors[self.advised], min(self.errors.values())
        return 1.0 if error == least else error / least if least else inf


def outcomes(count: int, seed: int, trials: int = 256, data: tuple[str, ...] = UNSEEN) -> Iterator[Outcome]:
    """Advice for questions drawn at random, and what really happens on a shape; shapes take turns."""
    samples = Samples()
    for number, question in enumerate(drawn_at_random(count, seed)):
        name = data[number % 7 % len(data)]
        advice = advise(
            Facts(
                quantiles=even_levels(question.m),
                privacy=question.privacy,
                adjacency=question.adjacency,
                n=question.n,
                cells=domain_of(name).cells,
            )
        )
        errors = {}
        for key in MECHANISMS:
            if key in NEED_MORE_FACTS:
                continue
            row = run_cell(_cell(question, key, name, trials, seed), samples=samples)
            if row.supported:
                errors[key] = row.mean_error
        advised = advice.ranking[0].mechanism
        yield Outcome(question, name, advised, {advised: inf} | errors)


def _cell(question: Question, key: str, data: str, trials: int, seed: int) -> Cell:
    return Cell(
        method=Method(key),
        privacy=question.privacy,
        quantiles=even_levels(question.m),
        data=data,
        n=question.n,
        domain=None,
        adjacency=question.adjacency,
        trials=trials if question.m > FEW else 4 * trials,
        data_sets=2,
        seed=seed,
    )


def main() -> None:
    """Print every outcome and the share of them in which the advised mechanism was near the best."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    near = []
    for outcome in outcomes(chosen.count, chosen.seed):
        near.append(outcome.regret <= NEAR)
        asked = outcome.question
        errors = ", ".join(f"{key} {error:.3g}" for key, error in sorted(outcome.errors.items(), key=lambda e: e[1]))
        facts = f"{outcome.data}, n = {asked.n}, m = {asked.m}, {asked.privacy}, {asked.adjacency.value}"
        print(f"{outcome.regret:5.2f}  {outcome.advised}  {facts}: {errors}", flush=True)
    print(f"near the best in {sum(near)} of {len(near)}")


if __name__ == "__main__":
    main()
