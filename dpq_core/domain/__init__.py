"""The public grid of all answers: even steps between two bounds, or all numbers of so many significant digits."""

from .domain import Domain, checked_domain
from .finding import FindBounds
from .numbers import LARGEST_BITS, LONGEST_NUMBER, Number, exact_number, typed_number
from .significant import SignificantDigits

__all__ = [
    "LARGEST_BITS",
    "LONGEST_NUMBER",
    "Domain",
    "FindBounds",
    "Number",
    "SignificantDigits",
    "checked_domain",
    "exact_number",
    "typed_number",
]
