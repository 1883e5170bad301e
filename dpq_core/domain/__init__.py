"""The public grid of all answers: even steps between two bounds, or all numbers of K significant digits."""

from .at_bounds import HIGHEST, LOWEST, at_bound, warnings_at_bounds, warnings_of_groups
from .domain import Domain, checked_domain, refuse_measure
from .finding import FindBounds
from .measure import EVERY_INDEX, MEASURES, UNIFORM, Measure, Shifted, low_bits_below, measure_of_unit
from .numbers import LARGEST_BITS, LONGEST_NUMBER, Number, checked_share, exact_number, typed_number
from .significant import SignificantDigits

__all__ = [
    "EVERY_INDEX",
    "HIGHEST",
    "LARGEST_BITS",
    "LONGEST_NUMBER",
    "LOWEST",
    "MEASURES",
    "UNIFORM",
    "Domain",
    "FindBounds",
    "Measure",
    "Number",
    "Shifted",
    "SignificantDigits",
    "at_bound",
    "checked_domain",
    "checked_share",
    "exact_number",
    "low_bits_below",
    "measure_of_unit",
    "refuse_measure",
    "typed_number",
    "warnings_at_bounds",
    "warnings_of_groups",
]
