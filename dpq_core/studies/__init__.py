"""Studies: simulations and what is learnt from them. Private, or made from public data; never a release.

grid.py           what a study asks: every combination of mechanisms, budgets, quantiles and data, as JSON
configuration.py  one combination, with seeds of its own, and how long it will take
shapes.py         public data of any size
break_it.py       public data and settings that are hard for one mechanism or another
engine.py         runs a grid, a Row for each configuration as soon as it is there
tables.py         Rows as a frame and as a file
bounds.py         what is known of errors before anything is run: theorems, and what no mechanism can do better
measures.py       the three measures of error, with one name each
takes.py          what each way to count a person's rows estimates, and loses
search.py         from a wanted error to the smallest budget; wanted.py several such questions as one job
reference.py      OpenDP's quantile beside ours, where it is installed
streams/          a column read in batches, looked at as it grows, and where it comes from
"""

from . import engine, reference, tables, wanted
from .bounds import bound_of, least_error
from .break_it import BREAK_IT, HardCase
from .configuration import Configuration, Levels, Method, expected_seconds, seconds_of, seed_of
from .engine import Row, Samples, check_data, run_configuration
from .grid import Grid, even_levels
from .measures import ERROR_BOUND, MEAN_RANK_ERROR, OF_HUNDRED, WORST_RANK_ERROR, RankErrors, measured
from .search import BudgetSearch, SearchResult, TriedBudget, with_budget
from .shapes import MOST_STUDIED, SHAPES, USUAL_SIZE, Given, Table, domain_of, values_of
from .takes import EVERY_ROW, SOME_ROWS, Estimate, compare_takes

__all__ = [
    "BREAK_IT",
    "ERROR_BOUND",
    "EVERY_ROW",
    "MEAN_RANK_ERROR",
    "MOST_STUDIED",
    "OF_HUNDRED",
    "SHAPES",
    "SOME_ROWS",
    "USUAL_SIZE",
    "WORST_RANK_ERROR",
    "BudgetSearch",
    "Configuration",
    "Estimate",
    "Given",
    "Grid",
    "HardCase",
    "Levels",
    "Method",
    "RankErrors",
    "Row",
    "Samples",
    "SearchResult",
    "Table",
    "TriedBudget",
    "bound_of",
    "check_data",
    "compare_takes",
    "domain_of",
    "engine",
    "even_levels",
    "expected_seconds",
    "least_error",
    "measured",
    "reference",
    "run_configuration",
    "seconds_of",
    "seed_of",
    "tables",
    "values_of",
    "wanted",
    "with_budget",
]
