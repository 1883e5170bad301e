"""Release differentially private quantiles, with guarantees that are proved and audited exactly: the public names.

From a data frame:

    pay = {"salary": (0, 200_000, 100)}                # possible values: public knowledge
    quantiles(frame, pay, "quartiles", epsilon=1)      # every call spends its budget
    quantiles(frame, pay, "median", epsilon=1, by={"sex": ["f", "m"]})
    table = Table.from_frame(frame, pay)               # for release and simulate
    forecast(question, 1000).to_frame()                # what to expect: it reads no data
    staff = account("staff", epsilon=3, one_row_is="employee")
    release(table, plan, account=staff)                # charged before it is drawn

From one column:

    domain = Domain(17, 90, 1)                         # possible values: public knowledge
    column = Column.from_values(ages, domain)          # one column, sorted once
    plan = Plan(["1/4", "1/2"], "aq", PureDP(1.0))     # levels, mechanism, budget
    release(column, plan).values["column"]             # you may show them to anyone
    release(column, plan).to_frame()                   # also to_csv
    simulate(column, plan, trials=100).rank_errors     # private: compared with the truth
    release({"age": column, "income": other}, plan)    # several columns, one guarantee
    Column.from_values(pay, domain, groups=sex, names=names)  # in public groups
    Column.from_values(pay, FindBounds())              # bounds from a share of the budget

Values are in the column's unit, ranks and their errors in records, levels are fractions from 0 to 1.
`dpq_core.sources.files` reads a column of a file, in batches if it is large, and `dpq_core.ledger` adds
up what was spent. A wrong call raises a ParameterError or a DataError; a ledger that cannot be used raises a
LedgerError. All three are ValueErrors.
"""

from __future__ import annotations

from .accuracy import rank_errors, true_quantiles
from .advice.forecast import forecast
from .api import account, explain, quantiles, release, simulate, synthesize
from .audit.losses import privacy_loss
from .column import Column
from .domain.domain import Domain
from .domain.finding import FindBounds
from .errors import BudgetError, DataError, Infeasible, LedgerError, ParameterError, PrivacyWarning
from .grouping import FindGroups
from .mechanisms.registry import MECHANISMS
from .people.ids import People
from .plan import Intervals, Plan
from .privacy.budgets import ZCDP, Adjacency, ApproxDP, PureDP
from .question import Question
from .release import Release
from .sketches.bin_counts import BinCounts
from .sketches.greenwald_khanna import GKSketch
from .study import Study, Trace
from .table import Table
from .version import VERSION as __version__

__all__ = [
    "MECHANISMS",
    "ZCDP",
    "Adjacency",
    "ApproxDP",
    "BinCounts",
    "BudgetError",
    "Column",
    "DataError",
    "Domain",
    "FindBounds",
    "FindGroups",
    "GKSketch",
    "Infeasible",
    "Intervals",
    "LedgerError",
    "ParameterError",
    "People",
    "Plan",
    "PrivacyWarning",
    "PureDP",
    "Question",
    "Release",
    "Study",
    "Table",
    "Trace",
    "__version__",
    "account",
    "explain",
    "forecast",
    "privacy_loss",
    "quantiles",
    "rank_errors",
    "release",
    "simulate",
    "synthesize",
    "true_quantiles",
]


def __dir__() -> list[str]:
    return __all__
