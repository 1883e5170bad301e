"""Grids: every combination once, the same after JSON, and seeds that belong to a configuration alone."""

from fractions import Fraction

import numpy as np
import pytest

from dpq_core import MECHANISMS, ZCDP, Adjacency, ApproxDP, Domain, ParameterError, PureDP
from dpq_core.sources.examples import load_example
from dpq_core.studies.configuration import Method
from dpq_core.studies.design import BREAK_IT, StudyDesign, even_levels
from dpq_core.studies.engine import steps
from dpq_core.studies.shapes import SHAPES, domain_of, values_of

FULL = StudyDesign(
    mechanisms=["aq", Method("binhist", {"bins": 50}, "Fifty bins")],
    budgets=[PureDP(0.5), ApproxDP(1.0, 1e-6), ZCDP(0.125)], quantiles=[9, ["1/2", 0.1]], data=["uniform", "adult-age"],
    n=[1000, None], domains=[None, Domain(0, 120, "0.1")], adjacencies=list(Adjacency), trials=60, data_sets=3, seed=7,
)  # fmt: skip


def test_a_grid_is_the_same_after_json():
    assert StudyDesign.from_json(FULL.to_json()) == FULL
    assert StudyDesign.from_json("{}") == StudyDesign()
    assert [method.mechanism for method in StudyDesign().mechanisms] == list(MECHANISMS)
    assert StudyDesign(quantiles=[3]).quantiles == ((Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)),)
    assert StudyDesign(quantiles=[even_levels(120)]).as_dict()["quantiles"] == [120]


def test_every_combination_is_there_once():
    cells = FULL.configurations()
    assert len(FULL) == len(cells) == len(set(cells)) == 2 * 3 * 2 * 2 * 2 * 2 * 2
    assert StudyDesign(budgets=[PureDP(1), PureDP(1.0)], n=[5, 5]).n == (5,)


def test_seeds_belong_to_the_cell():
    small = StudyDesign(mechanisms=["aq"], n=[1000], trials=30, seed=7).configurations()[0]
    within = next(
        configuration
        for configuration in StudyDesign(
            budgets=[ZCDP(1.0), PureDP(1.0)], n=[20, 1000], trials=90, data_sets=3, seed=7
        ).configurations()
        if (configuration.method.mechanism, configuration.privacy, configuration.n) == ("aq", PureDP(1.0), 1000)
    )
    assert (small.noise_seed(0), small.data_seed(0)) == (within.noise_seed(0), within.data_seed(0))
    cells = FULL.configurations()
    noise = {configuration.noise_seed(number) for configuration in cells for number in range(3)}
    assert len(noise) == 3 * len(cells)
    assert (
        len({configuration.data_seed(number) for configuration in cells for number in range(3)}) == 3 * 4
    )  # data and n alone
    assert max(noise) < 2**63
    assert StudyDesign(seed=8).configurations()[0].noise_seed(0) != StudyDesign(seed=7).configurations()[0].noise_seed(
        0
    )


@pytest.mark.parametrize(("settings", "name"), [
    ({"mechanisms": ["nothing"]}, "mechanism"), ({"mechanisms": "aq"}, "mechanisms"),
    ({"mechanisms": []}, "mechanisms"), ({"mechanisms": [{"options": {}}]}, "mechanisms"),
    ({"budgets": [{"kind": "pure", "epsilon": float("nan")}]}, "epsilon"), ({"budgets": [1.0]}, "privacy"),
    ({"quantiles": [0]}, "quantiles"), ({"quantiles": [True]}, "quantiles"), ({"quantiles": [10**9]}, "quantiles"),
    ({"quantiles": [[]]}, "quantiles"), ({"quantiles": [["3/2"]]}, "quantiles"), ({"data": [3]}, "data"),
    ({"n": [-1]}, "n"), ({"n": [1.5]}, "n"), ({"n": [10**10]}, "n"), ({"domains": [{"lower": 0}]}, "domains"),
    ({"domains": [{"lower": 1, "upper": 0}]}, "upper"), ({"adjacencies": ["both"]}, "adjacency"),
    ({"trials": 0}, "trials"), ({"trials": 10, "data_sets": 3}, "trials"), ({"seed": -1}, "seed"),
    ({"colour": "red"}, "grid"), ({"format": 2}, "grid"),
    ({"n": list(range(1000)), "quantiles": list(range(1, 102))}, "grid"),
])  # fmt: skip
def test_what_makes_no_study_is_refused(settings, name):
    with pytest.raises(ParameterError) as refused:
        StudyDesign.from_dict(settings)
    assert refused.value.name == name


@pytest.mark.parametrize("text", ["", "[]", "3", "{'seed': 1}"])
def test_text_that_is_no_grid_is_refused(text):
    with pytest.raises(ParameterError, match="`grid` must"):
        StudyDesign.from_json(text)


# ── public data for studies ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [0, 1, 5000])
def test_shapes_are_repeatable_and_mostly_within_their_bounds(shape, n):
    domain = domain_of(shape)
    values = values_of(shape, n, 5, domain)
    assert values.shape == (n,)
    assert np.isfinite(values).all()
    assert (values == values_of(shape, n, 5, domain)).all()
    assert ((values >= float(domain.lower)) & (values <= float(domain.upper))).sum() >= 0.99 * n
    if n == 5000 and shape != "reference":
        assert (values != values_of(shape, n, 6, domain)).any()


def test_examples_are_whole_or_drawn_from():
    domain = domain_of("adult-age")
    assert (values_of("adult-age", None, 0, domain) == load_example("adult-age").values).all()
    assert values_of("adult-age", 5000, 0, domain).size == 5000
    assert domain.cells == 121
    with pytest.raises(ParameterError, match="`data` must be one of uniform"):
        values_of("nowhere", 3, 0, domain)
    with pytest.raises(ParameterError, match="hold a record"):
        values_of("mine", 3, 0, domain, {"mine": np.array([])})


@pytest.mark.slow
def test_sets_to_break_show_what_they_say():
    base = StudyDesign(mechanisms=["aq", "indexp", "slice"], n=[1000], trials=200)

    def errors(grid):
        return {row.mechanism: row.mean_error for _, row in steps(grid)}

    usual, found = errors(base), {key: errors(trouble.applied(base)) for key, trouble in BREAK_IT.items()}
    assert found["ties"]["aq"] < usual["aq"] / 3
    assert found["few"]["aq"] > 20 / 10
    assert found["wide"]["indexp"] > 1.2 * usual["indexp"] > 1.2 * usual["aq"]
    assert found["wide"]["aq"] < 1.2 * usual["aq"]
    assert found["close"]["aq"] < 0.9 * found["close"]["indexp"]
    assert np.isnan(found["close"]["slice"])
    assert found["tail"]["aq"] < 1.5 * usual["aq"]
