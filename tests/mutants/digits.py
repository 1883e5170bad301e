"""Changes to which index a number of the significant digits gets."""

from tests.mutants.mutant import Mutant

DIGITS = "dpq_core/domain/significant.py"
SEARCHED = "tests/test_significant_digits.py -k search"

SIGNIFICANT = (
    Mutant(
        "the float below a value gets its index",
        DIGITS,
        "np.append(bits - 1, _MAGNITUDE)",
        "np.append(bits - 2, _MAGNITUDE)",
        SEARCHED,
    ),
    Mutant(
        "negative numbers go up to the grid where positive ones go down",
        DIGITS,
        "magnitude += sign  #",
        "magnitude += 0 * sign  #",
        SEARCHED,
    ),
    Mutant(
        "what is nearly 0 gets the smallest value where that is a power of two",
        DIGITS,
        "first = int(bits[0] >> shift) - 1",
        "first = int(bits[0] >> shift)",
        SEARCHED,
    ),
    Mutant(
        "a bucket may hold two values",
        DIGITS,
        "while np.any(np.diff(bits >> shift) == 0):",
        "while np.any(np.diff(bits >> shift + 1) == 0) and shift > 47:",
        SEARCHED,
    ),
    Mutant(
        "what lies below all values has an index below the first one",
        DIGITS,
        "np.maximum(count, 0, out=count)",
        "count",
        SEARCHED,
    ),
    Mutant(
        "a value of the grid counts as below itself",
        DIGITS,
        "if self.exact(middle) >= number",
        "if self.exact(middle) > number",
        "tests/test_significant_digits.py -k exact_values",
    ),
)
