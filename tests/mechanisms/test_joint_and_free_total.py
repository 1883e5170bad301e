"""What JointExp and its free total have in common: ties, few records, and runs that share what was weighed once."""

import numpy as np
import pytest

from dpq_core import Domain, Plan, PureDP, Sample
from dpq_core.mechanisms.freetotal import mechanism as freetotal
from dpq_core.mechanisms.joint import mechanism as jointexp
from dpq_core.noise import ExactEntropy, FastEntropy


def parameters_for(mechanism, levels, epsilon=1.0):
    return mechanism.calibrate(Plan(levels, mechanism.KEY, PureDP(epsilon)), None)


@pytest.mark.parametrize("values", [[], [3.0], [3.0] * 3000, [0.0] * 1500 + [100.0] * 1500])
@pytest.mark.parametrize("jitter_bits", [0, None])
@pytest.mark.parametrize("epsilon", [1e-4, 1.0, 1e5])
@pytest.mark.parametrize("mechanism", [jointexp, freetotal], ids=lambda mechanism: mechanism.KEY)
def test_ties_and_few_records_are_answered(mechanism, values, jitter_bits, epsilon):
    sample = Sample.from_values(values, Domain(0, 100, "0.5"), jitter_bits=jitter_bits)
    parameters = parameters_for(mechanism, [0, "1/10", "1/2", "999/1000", 1], epsilon)
    for entropy in (ExactEntropy(), FastEntropy(1, 5)):
        cells = mechanism.run(sample, parameters, entropy)
        assert cells.shape == (entropy.trials, 5)
        assert (np.diff(cells, axis=1) >= 0).all()
        assert ((cells >= 0) & (cells < sample.fine_cells)).all()


@pytest.mark.parametrize(("mechanism", "weighs"), [(jointexp, "weigh"), (freetotal, "draws_of")])
def test_more_trials_share_what_was_weighed(monkeypatch, mechanism, weighs):
    sample = Sample.from_values(np.arange(100.0), Domain(0, 99, 1), seed=0)
    parameters = parameters_for(mechanism, ["1/4", "1/2"])
    first = mechanism.run(sample, parameters, FastEntropy(1, 64))
    monkeypatch.setattr(mechanism, weighs, None)
    assert np.array_equal(mechanism.run(sample, parameters, FastEntropy(1, 64)), first)
    with pytest.raises(TypeError):
        mechanism.run(sample, parameters_for(mechanism, ["1/4", "3/4"]), FastEntropy(1, 64))
