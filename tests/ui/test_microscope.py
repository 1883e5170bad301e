"""What the microscope says, and what it reads from its text field."""

from __future__ import annotations

import numpy as np
import pytest

from dpq_core import ZCDP, ParameterError, Plan, PureDP
from dpq_core.audit.broken import BROKEN
from dpq_core.audit.variants import Broken, TinyPair
from pages.form.privacy import AMOUNTS
from pages.microscope import forms
from pages.microscope.results import MOST_POINTS, _thinned
from pages.settings.table import TINY_QUANTILES

PLAN = Plan(["1/2"], "aq", PureDP(1.0))
PAIR = TinyPair(values=(3, 4), joining=9, highest=9)


def comparison(pair: TinyPair, variant: Broken | None = None, *, fixed: bool = False) -> forms.Comparison:
    return forms.Comparison(variant=variant, fixed=fixed, plan=PLAN, pair=pair)


@pytest.mark.parametrize(("typed", "read"), [("3, 4,7", (3, 4, 7)), ("7;3\n4", (3, 4, 7)), ("", ()), ("  5 ", (5,))])
def test_typed_values(typed: str, read: tuple[int, ...]) -> None:
    assert forms.parse_values(typed) == read


@pytest.mark.parametrize("typed", ["3.5", "three", "1e3", "3, x"])
def test_what_is_no_whole_number_is_refused(typed: str) -> None:
    with pytest.raises(ParameterError, match="whole numbers"):
        forms.parse_values(typed)


def test_the_two_data_sets_have_names() -> None:
    def names(**change: int) -> tuple[str, str]:
        return comparison(TinyPair(values=(3, 4), highest=9, **change)).names

    assert names(joining=9) == ("without 9", "with 9")
    assert names(leaving=3) == ("with 3", "without 3")
    assert names(leaving=3, joining=9) == ("with 3", "with 9 instead")


def test_the_mend_is_the_sound_mechanism() -> None:
    variant = BROKEN["half"]
    assert isinstance(variant, Broken)
    broken, fixed = comparison(PAIR, variant), comparison(PAIR, variant, fixed=True)
    assert fixed.compared().loss == broken.sound().loss == comparison(PAIR).compared().loss
    assert broken.compared().loss.epsilon > 1.5 * broken.sound().loss.epsilon


def test_a_thinned_line_keeps_its_ends_and_the_worst_output() -> None:
    order = np.random.default_rng(1).permutation(10_001)
    places = _thinned(order, worst=4321)
    assert len(places) <= MOST_POINTS + 1
    assert {0, 10_000} <= set(places.tolist())
    assert 4321 in order[places]
    assert _thinned(order[:5], worst=0).tolist() == [0, 1, 2, 3, 4]


def test_every_variant_opens_with_settings_that_the_widgets_have() -> None:
    for variant in BROKEN.values():
        privacy = variant.privacy
        amount = privacy.rho if isinstance(privacy, ZCDP) else privacy.epsilon
        assert amount in [float(stop) for stops in AMOUNTS.values() for stop in stops]
        if isinstance(variant, Broken):
            assert variant.quantiles in TINY_QUANTILES
