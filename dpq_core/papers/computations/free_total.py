"""The mechanisms here beside the published mechanisms: the mean rank error of each against the number of quantiles.

JointExp with a free total and AQ by default on the six data sets of [KSS], as in their figures of errors, with fewer
values of m; and all that ships on fresh uniform records, with two lines of other projects, which no page offers.

PyDP's QuantileTree, of Google's library for differential privacy, is called where the package python-dp is installed
(`dpq papers make` then stores its version), with the height and branches that it has by itself. Its noise takes no
seed, so its points come out a little different each time.

The bisection of Google's dpsynth halves the column at a private median, then each half, and so on: 2^k - 1 even
quantiles by exponential mechanisms whose score moves by 1/2, each depth with an equal part of the budget. That is AQ as
published at these levels, and it is drawn here as such, on our grid and with our sampler; of dpsynth no code is run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...accuracy import rank_errors
from ...column import Column
from ...privacy.budgets import Adjacency, Privacy, PureDP
from ...studies.configuration import Configuration
from ...studies.engine import Columns
from ..data import KSS_SETS, kss_apart
from ..figures import Point
from ..tasks import Drawn, Errors, Task, mean_error, with_error
from .kss import CONCENTRATED, FEW_SETS, PURE, drawn_curve

PYDP = "python-dp"
HEIGHT, BRANCHES = 4, 16  # the defaults of PyDP's tree
BISECTED = (1, 3, 7, 15, 31, 63, 127)  # the numbers of quantiles that repeated halving gives
FEW_COUNTS = (1, 5, 20)
MOST, MOST_TIED, MOST_REPLACED = 60, 35, 20
"""FreeTotal refuses more than 60 quantiles. With that many, a run takes minutes if most records are ties. It is as slow
where a person is replaced, and is not more accurate there."""
APART = ("uniform", "normal")  # the sets without ties
PUBLISHED = ("aq-published", "jointexp", "indexp", "aggtree-printed")  # as published and sound: the baselines


class Setting(NamedTuple):
    """What one figure compares, and on which data."""

    key: str
    privacy: Privacy
    adjacency: Adjacency = Adjacency.ADD_REMOVE
    ours: tuple[str, ...] = ("freetotal", "aq-default")
    others: tuple[str, ...] = ()
    """Lines of other projects, which are not judged."""
    counts: tuple[int, ...] = (1, 2, 3, 5, 10, 20, 35, 60, 120)
    size: tuple[int, int] = (100, 5)
    """Runs in all, and data sets."""
    fresh: str = ""
    """The panel of uniform records that are drawn anew; without one, the sets of [KSS]."""


JOINS, JOINS_RHO = Setting("free-total", PURE), Setting("free-total-rho", CONCENTRATED)
REPLACED = Setting("free-total-replaced", PURE, Adjacency.REPLACE_ONE)
BETTER = Setting(
    "better", PURE, ours=("aq-default", "freetotal", "jointexp", "indexp", "aggtree"), others=("dpsynth", "pydp"),
    counts=(1, 5, 10, 20, 35, 60, 120), size=(1200, 8), fresh="Uniform, n = 1,000, ε = 1",
)  # fmt: skip


def error_tasks(quick: bool, *, setting: Setting) -> Iterator[Task]:
    """Yield the mean rank error of every curve against m, on fresh records or on every data set at hand."""
    given = {} if setting.fresh else kss_apart()
    columns = Columns(given)
    panels = {data: panel for data, panel in KSS_SETS.items() if data in given and (data in FEW_SETS or not quick)}
    for data, panel in ({"uniform": setting.fresh} if setting.fresh else panels).items():
        for curve in dict.fromkeys((*setting.ours, *PUBLISHED, *setting.others)):
            drawn, most = setting_curve(curve, setting, data, quick), _most(setting, data)
            counts = FEW_COUNTS if quick else setting.counts
            for m in BISECTED if curve == "dpsynth" else counts:
                if curve == "pydp":
                    run = partial(quantile_tree_error, panel, drawn.configuration(m), columns)
                else:
                    run = partial(mean_error, drawn, panel, m, columns)
                if curve != "freetotal" or m <= most:
                    yield Task(panel, curve, m, run, cost=m * m if curve in setting.ours[:2] else m)


def _most(setting: Setting, data: str) -> int:
    """Return for how many quantiles FreeTotal is drawn at most."""
    if setting.adjacency is Adjacency.REPLACE_ONE:
        return MOST_REPLACED
    return MOST if data in APART else MOST_TIED


def setting_curve(curve: str, setting: Setting, data: str, quick: bool) -> Drawn:
    """Return a curve; dpsynth's bisection is AQ as published, and PyDP's tree has IndExp's data sets and budget."""
    made_as = {"dpsynth": "aq-published", "pydp": "indexp"}.get(curve, curve)
    drawn = drawn_curve(made_as, setting.privacy, data, quick, None, setting.adjacency, setting.size)
    return drawn._replace(curve=curve)


def quantile_tree_error(panel: str, configuration: Configuration, columns: Columns) -> Iterable[Point]:
    """Yield the mean rank error of PyDP's tree with twice its standard error; nothing where it is not installed.

    One person joins or leaves, with one record and a pure budget.
    """
    try:
        from pydp.algorithms.quantile_tree import QuantileTree
    except ImportError:
        return
    runs = configuration.trials // configuration.data_sets
    data_sets = [columns.of(configuration, number) for number in range(configuration.data_sets)]
    means = np.array([_errors(QuantileTree, column, configuration, runs).mean() for column in data_sets])
    yield with_error(panel, "pydp", len(configuration.quantiles), means, configuration.trials)


def _errors(tree_class: Any, column: Column, configuration: Configuration, runs: int) -> Errors:
    """Return the rank errors of runs on one data set, shape (runs, levels)."""
    domain, privacy = column.domain, configuration.privacy
    assert isinstance(privacy, PureDP), "the only budget that is used here"
    tree = tree_class(float(domain.lower), float(domain.upper), HEIGHT, BRANCHES)
    for value in column.values_of(column.cells).tolist():
        tree.add_entry(value)
    levels = [float(level) for level in configuration.quantiles]
    answers = [tree.compute_quantiles(privacy.epsilon, 0.0, 1, 1, levels, "laplace") for _ in range(runs)]
    return rank_errors(column, configuration.quantiles, np.array(answers))
