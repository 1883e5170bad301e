"""Studies: simulations and what is learnt from them. Private, or made from public data; never a release.

grid.py           what a study asks: every combination of mechanisms, budgets, quantiles and data, as JSON
configuration.py  one combination, with seeds of its own
shapes.py         public data of any size
break_it.py       public data and settings that are hard for one mechanism or another
engine.py         runs a grid, a Row for each configuration as soon as it is there
costs.py          how long a study will take
tables.py         Rows as a frame and as a file
bounds.py         what is known of the error of a plan before it is run
measures.py       the three measures of error, with one name each; reach.py the error bound of an answer
odds.py           a budget as odds
search.py         from a wanted error to the smallest budget; wanted.py several such questions as one job
reference.py      OpenDP's quantile beside ours, where it is installed
streams/          a column read in batches, looked at as it grows, and where it comes from
"""

from . import engine, reference, tables, wanted
from .break_it import BREAK_IT, Trouble
from .configuration import Cell, Levels, Method, seed_of
from .costs import expected_cell_seconds, expected_seconds
from .engine import Row, Samples, check_data, run_cell
from .grid import Grid, even_levels
from .measures import ERROR_BOUND, MEAN_RANK_ERROR, OF_HUNDRED, WORST_RANK_ERROR, RankErrors
from .odds import HUNDRED, both, right_guesses, right_of_hundred
from .reach import Between, Reach, Together, between, presets, reach_of, together, weighted_values
from .search import Found, Question, Visit, with_budget
from .shapes import SHAPES, USUAL_SIZE, domain_of, values_of

__all__ = [
    "BREAK_IT",
    "ERROR_BOUND",
    "HUNDRED",
    "MEAN_RANK_ERROR",
    "OF_HUNDRED",
    "SHAPES",
    "USUAL_SIZE",
    "WORST_RANK_ERROR",
    "Between",
    "Cell",
    "Found",
    "Grid",
    "Levels",
    "Method",
    "Question",
    "RankErrors",
    "Reach",
    "Row",
    "Samples",
    "Together",
    "Trouble",
    "Visit",
    "between",
    "both",
    "check_data",
    "domain_of",
    "engine",
    "even_levels",
    "expected_cell_seconds",
    "expected_seconds",
    "presets",
    "reach_of",
    "reference",
    "right_guesses",
    "right_of_hundred",
    "run_cell",
    "seed_of",
    "tables",
    "together",
    "values_of",
    "wanted",
    "weighted_values",
    "with_budget",
]
