"""The error and the time of the same quantiles by several libraries, on the same data with the same budget.

pip install . opendp python-dp diffprivlib "scikit-learn<1.6"
python docs/static/comparison.py 60

The number says how many data sets there are. A library that is not installed is left out.
"""

import sys
import warnings
from fractions import Fraction
from importlib import import_module
from time import process_time

import numpy as np

import dpq_core as dpq

LOWEST, HIGHEST, EPSILON = -100.0, 100.0, 1.0
CANDIDATES = np.linspace(LOWEST, HIGHEST, 2001)
COUNTS = (1, 5, 20, 60)
HERE = ("aq", "freetotal", "jointexp", "indexp", "aggtree")


def here(mechanism):
    """A mechanism of this project, drawn exactly, as a release is."""

    def answer(values, levels):
        plan = dpq.Plan([Fraction(level).limit_denominator(1000) for level in levels], mechanism, epsilon=EPSILON)
        column = dpq.Column.from_values(values, dpq.Domain(int(LOWEST), int(HIGHEST)))
        return dpq.release(column, plan).values["column"]

    return answer


def opendp(values, levels):
    """OpenDP: one measurement for each level, with its part of epsilon and the least scale that keeps it."""
    dp = import_module("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance(), dp.max_divergence()
    found, column = [], values.tolist()
    for level in levels:
        at_one = dp.m.make_private_quantile(*space, CANDIDATES.tolist(), level, 1.0).map(1)
        scale = at_one * len(levels) / EPSILON * (1 + 1e-9)
        found.append(dp.m.make_private_quantile(*space, CANDIDATES.tolist(), level, scale)(column))
    return sorted(found)


def python_dp(values, levels):
    """python-dp, Google's library: all levels from one noisy tree of height 4 with 16 branches."""
    tree = import_module("pydp.algorithms.quantile_tree").QuantileTree(LOWEST, HIGHEST, 4, 16)
    for value in values.tolist():
        tree.add_entry(value)
    return tree.compute_quantiles(EPSILON, 0.0, 1, 1, list(levels), "laplace")


def diffprivlib(values, levels):
    """diffprivlib: one call for each level, with its part of epsilon."""
    tools, bounds = import_module("diffprivlib.tools"), (LOWEST, HIGHEST)
    return sorted(tools.quantile(values, level, epsilon=EPSILON / len(levels), bounds=bounds) for level in levels)


METHODS = {f"this project, {key}": here(key) for key in HERE} | {
    "OpenDP": opendp, "python-dp": python_dp, "diffprivlib": diffprivlib
}  # fmt: skip


def cell(method, count, data_sets):
    """Return the mean rank error in records, its standard error, and milliseconds of processor time an answer."""
    levels, errors, spent = [j / (count + 1) for j in range(1, count + 1)], [], 0.0
    for seed in range(data_sets):
        values = np.random.default_rng(seed).uniform(-5, 5, 1000)  # noqa: TID251 - made-up data
        start = process_time()
        answers = np.asarray(method(values, levels), dtype=float)
        spent += process_time() - start
        ranks = np.searchsorted(np.sort(values), answers)
        errors.append(np.abs(ranks - 1000 * np.array(levels)).mean())
    return np.mean(errors), np.std(errors) / np.sqrt(data_sets), 1000 * spent / data_sets


def main(data_sets):
    """Print a row for each method: error (standard error) and milliseconds, for each number of quantiles."""
    warnings.simplefilter("ignore")
    print("|  | " + " | ".join(f"m = {count}" for count in COUNTS) + " |")
    for name, method in METHODS.items():
        try:
            method(np.linspace(-5, 5, 50), [0.5])
        except ImportError:
            continue
        cells = (cell(method, count, data_sets) for count in COUNTS)
        shown = (f"{error:.2g} ({deviation:.1g}), {spent:.0f} ms" for error, deviation, spent in cells)
        print(f"| {name} | " + " | ".join(shown) + " |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
