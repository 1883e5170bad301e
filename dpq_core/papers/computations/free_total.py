"""JointExp with a free total, and AQ by default, compared with the published mechanisms on the six data sets of [KSS].

Made like their figures of errors: 1,000 records of each set, 100 runs on five data sets; fewer values of m.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from ...audit import printed
from ...mechanisms.base import Make
from ...privacy.budgets import Adjacency, Privacy
from ...studies.engine import Samples
from ..data import KSS_SETS, kss_apart
from ..tasks import Drawn, Task, mean_error, published_aq
from .kss import CONCENTRATED, FEW_SETS, PURE, drawn_curve

COUNTS = (1, 2, 3, 5, 10, 20, 35, 60, 120)
FEW_COUNTS = (1, 5, 20)
MOST, MOST_TIED, MOST_REPLACED = 60, 35, 20
"""FreeTotal refuses more than 60 quantiles. With that many, a run takes minutes if most records are ties. It is as slow
where a person is replaced, and is not more accurate there."""
APART = ("uniform", "normal")
"""The sets without ties."""
OURS = ("freetotal", "aq-default")
PUBLISHED = ("aq-published", "jointexp", "indexp", "aggtree-printed")
"""As published and sound: the baselines."""


class Setting(NamedTuple):
    """The guarantee of one figure."""

    privacy: Privacy
    adjacency: Adjacency


JOINS, JOINS_RHO, REPLACED = (
    Setting(PURE, Adjacency.ADD_REMOVE),
    Setting(CONCENTRATED, Adjacency.ADD_REMOVE),
    Setting(PURE, Adjacency.SUBSTITUTE),
)


def error_tasks(quick: bool, *, setting: Setting) -> Iterator[Task]:
    """Yield the mean rank error of every curve against m, on every data set at hand."""
    columns = kss_apart()
    samples = Samples(columns)
    for data in FEW_SETS if quick else [each for each in KSS_SETS if each in columns]:
        for curve in (*OURS, *PUBLISHED):
            drawn = setting_curve(curve, setting, data, quick)
            for m in FEW_COUNTS if quick else COUNTS:
                if curve != "freetotal" or m <= _most(setting, data):
                    run = partial(mean_error, drawn, KSS_SETS[data], m, samples)
                    yield Task(KSS_SETS[data], curve, m, run, cost=m * m if curve in OURS else m)


def _most(setting: Setting, data: str) -> int:
    """Return for how many quantiles FreeTotal is drawn at most."""
    if setting.adjacency is Adjacency.SUBSTITUTE:
        return MOST_REPLACED
    return MOST if data in APART else MOST_TIED


def setting_curve(curve: str, setting: Setting, data: str, quick: bool) -> Drawn:
    """Return a curve with published constants that are sound: AQ's authors' own hold where a person joins or leaves."""
    make: Make | None = None
    if curve == "aq-published":
        make = published_aq if setting.adjacency is Adjacency.ADD_REMOVE else printed.aq
    elif curve == "aggtree-printed":
        make = printed.wide_tree if setting.privacy is CONCENTRATED else printed.tree
    return drawn_curve(curve, setting.privacy, data, quick, make, setting.adjacency)
