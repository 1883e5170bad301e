"""The recursions of AQ that tests look into."""

from dpq_core import Plan
from dpq_core.mechanisms.aq.mechanism import AQParameters
from dpq_core.mechanisms.aq.recursion import Node
from tests import harness
from tests.narrowing import only


def calibrate(plan: Plan, n: int | None = None) -> AQParameters:
    """Return what AQ settles for a plan of its own; `n`: a public number of records."""
    return only(AQParameters, harness.calibrate(plan, n))


def root_of(plan: Plan) -> Node:
    """Return the first draw of the recursion of a plan with at least one level."""
    return calibrate(plan).root
