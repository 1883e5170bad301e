"""The printed variants break their claims, by the same audit code that passes the sound ones."""

import numpy as np
import pytest

from dpq_core import Adjacency, ParameterError, PureDP
from dpq_core.audit import printed
from dpq_core.audit.losses import all_outputs, loss_between
from dpq_core.plan import Plan as AnyPlan
from tests.audit.extremes import END, HUGE, share_of_claim
from tests.harness import ROUNDING, Plan, calibrate, parameters, stated

QUARTILES = ["1/4", "1/2", "3/4"]


def test_one_path_is_not_enough_when_a_person_is_replaced():
    """epsilon / L under REPLACE_ONE: the loss is 3 shares of epsilon' where L = 2 are claimed."""
    plan = Plan(QUARTILES, "aq", PureDP(1.0), Adjacency.REPLACE_ONE, {"calibration": "paper"})
    data, other = [END - 10**7, END - 10**7, END - 99, END], [0, END - 10**7, END - 10**7, END - 99]
    assert share_of_claim(plan, printed.aq_one_path_where_one_is_replaced(plan), data, other) > 1.49
    assert share_of_claim(plan, parameters(plan), data, other) <= 1


def test_what_is_printed_cannot_be_asked_for():
    refused: list[tuple[str, str, str | int]] = [
        *((key, "calibration", "paper") for key in ("aq", "indexp", "aggtree", "slice", "gkexp", "binhist")),
        *(("aggtree", name, 4) for name in ("branching", "height", "noise")),
        ("aq", "tie_bits", "printed"),
    ]
    for mechanism, name, value in refused:
        with pytest.raises(ParameterError, match=f"^`{name}` is no option of this mechanism; it has [a-z_, ]+.$"):
            calibrate(AnyPlan(QUARTILES, mechanism, options={name: value}))


def test_floored_targets_break_the_claim_of_jointexp():
    """One record moves most differences at once, and 1.802 is paid for: a loss above 2 where 1 is claimed."""
    plan = Plan(["0.1", "0.199", "0.3", "0.399", "0.5"], "jointexp", PureDP(1.0))
    places = [i * HUGE // 10 for i in (0, 2, 4, 9)]
    data = np.array([places[0], places[0] + 1, places[1] + 1, *[places[2] - 1] * 2, places[3] - 1, *[places[3]] * 3])
    other = np.append(data, END)
    chosen = np.unique([*data, *(other + 1)[:-1], 0, END])
    chosen = chosen[np.linspace(0, chosen.size - 1, 8).astype(int)]
    outputs, by = chosen[all_outputs(chosen.size, 5)], parameters(plan)
    a, b = (printed.log_law_with_floored_targets(outputs, each, by, HUGE) for each in (data, other))
    assert loss_between(a, b, 1.0).epsilon > 2
    a, b = (stated(plan, outputs, each, by, HUGE) for each in (data, other))
    assert loss_between(a, b, 1.0).epsilon <= 1 + ROUNDING
