"""Plan: everything that was chosen for one run, as plain values that survive JSON."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from .domain.numbers import Number, exact_number
from .errors import LARGEST, Name, ParameterError, each_of, is_real, shown
from .privacy import budgets

Level: TypeAlias = float | int | str | Decimal | Fraction
OptionValue: TypeAlias = str | int | float | bool | None

BEST = "best"
"""In place of a mechanism: the one that `advice.choice.choose` chooses. No mechanism has this key."""
FORMAT = 1
AGAIN = "If another version wrote it, make it again with Plan.to_json."
MAX_LEVELS = 100_000
_NUMBERS = int | float | Decimal | Fraction | np.integer | np.floating
LARGEST_DENOMINATOR = 10**300
NAMED_LEVELS = MappingProxyType({"median": 2, "quartiles": 4, "deciles": 10, "percentiles": 100})
"""Into how many parts of equal size each divides the data; the levels lie between them."""
_NUMBER = re.compile(r"[+-]?(\d{1,300}([.,]\d{0,300})?|[.,]\d{1,300})(e[+-]?\d{1,2})?", re.IGNORECASE)
USUAL_PRIVACY = budgets.PureDP(1.0)
"""Of a plan without any budget, and of rows of which nothing is asked yet."""


def parse_level(value: Level) -> Fraction:
    """Return the quantile level of a number or a text, as an exact fraction in [0, 1].

    Text may be "1/3", "0.5", "0,5", "90%" or "12,5 %". A float means its decimal at 12 significant digits, so 0.1 is
    1/10. Raises ParameterError.

    >>> parse_level("90%"), parse_level(0.1), parse_level("1/3")
    (Fraction(9, 10), Fraction(1, 10), Fraction(1, 3))
    """
    level = _parse_text(value) if isinstance(value, str) else _parse_number(value)
    if level is None or not 0 <= level <= 1 or level.denominator > LARGEST_DENOMINATOR:
        meant = level is not None and 1 < level <= 100 and not (isinstance(value, str) and "%" in value)
        percent = f" For {float(level):g} % write {float(level) / 100:g}." if level and meant else ""
        near = get_close_matches(value[:20].lower(), NAMED_LEVELS, n=1) if isinstance(value, str) else []
        named = f" Did you mean {near[0]}?" if near and near[0] != value else ""
        must = f"must lie between 0 and 1 (0 % and 100 %), got {shown(value)}.{percent}{named}"
        raise ParameterError("quantiles", must)
    return level


def levels_of(quantiles: Iterable[Level] | Level) -> tuple[Fraction, ...]:
    """Return the levels of a list, of one level, of a typed list such as "10 %, 50 %", or of a name ("quartiles").

    The names are median, quartiles, deciles and percentiles. Raises ParameterError.
    """
    if isinstance(quantiles, str):
        parts = NAMED_LEVELS.get(quantiles.strip().lower())
        typed = parse_levels(quantiles) if parts is None else tuple(Fraction(k, parts) for k in range(1, parts))
        if not typed:
            raise ParameterError("quantiles", f"must be levels, or one of {', '.join(NAMED_LEVELS)}; got no text.")
        return typed
    return (parse_level(quantiles),) if isinstance(quantiles, _NUMBERS) else _levels(quantiles)


def _parse_number(value: object) -> Fraction | None:
    if type(value) is Fraction:
        return value
    if isinstance(value, bool | np.timedelta64) or not isinstance(value, _NUMBERS):
        return None
    try:
        if isinstance(value, float | np.floating):
            return Fraction(format(float(value), ".12g"))
        return Fraction(int(value)) if isinstance(value, np.integer) else Fraction(value)
    except (ValueError, OverflowError):
        return None


def _parse_text(text: str) -> Fraction | None:
    text = text.strip()
    number, percent = (text[:-1].rstrip(), 100) if text.endswith("%") else (text, 1)
    parts = [part.strip() for part in number.split("/")]
    if len(parts) > 2 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    numerator, denominator = (Fraction(part.replace(",", ".")) for part in [*parts, "1"][:2])
    return numerator / denominator / percent if denominator else None


def parse_levels(text: str) -> tuple[Fraction, ...]:
    """Return the levels of a typed list such as "0.5, 1/3; 90%"; a comma between two digits is a decimal comma.

    Separators are blanks, semicolons, line ends, and commas that are followed by a blank, stand behind "%", or between
    numbers with a point or a fraction bar. At most MAX_LEVELS; O(characters). Raises ParameterError.
    """
    if not isinstance(text, str):
        raise ParameterError("quantiles", f"must be a typed list such as '0.5, 1/3', got {shown(text)}.")
    joined = " ".join(text.split())
    for sign in ("/ ", " /", " %"):  # a bar belongs to the numbers on both its sides, a percent sign to the one before
        joined = joined.replace(sign, sign.strip())
    lists = [
        piece.replace(",", " ") if "." in piece or "/" in piece else piece for piece in joined.replace(";", " ").split()
    ]
    pieces = [piece.strip(",") for each in lists for piece in each.replace("%,", "% ").split()]
    return _levels(filter(None, pieces))


def _levels(given: Iterable[Level]) -> tuple[Fraction, ...]:
    """Return the levels of an iterable, which may be endless. Raises ParameterError for more than `MAX_LEVELS`."""
    values = tuple(
        islice(each_of(given, "quantiles", "must be a list of levels, such as [0.25, 0.5, '3/4']."), MAX_LEVELS + 1)
    )
    if len(values) > MAX_LEVELS:
        raise ParameterError("quantiles", f"must be at most {MAX_LEVELS} levels, got more.")
    return tuple(parse_level(value) for value in values)


IntervalsOf: TypeAlias = Literal["data", "population"]
MOST_RECORDS = 10**15
Noisy: TypeAlias = Literal["noisy"]
NOISY: Noisy = "noisy"
"""In place of a number of records: a noisy count, from a part of the budget."""
GroupKey: TypeAlias = str | int | tuple[str | int, ...]
"""How a plan names a group; of groups by several columns by one name for each of these."""
AboutN: TypeAlias = int | Noisy | Mapping[Any, int]
"""About how many records there are, or each group has: one number, one for each group by its name, or "noisy"."""


@dataclass(frozen=True)
class Intervals:
    """Ask for an interval around each answer, in the column's unit, that holds the true quantile with this chance.

    `of`: the true quantile of the data, or of the population of which they are a random sample. `together`: all
    intervals hold at once with this chance, instead of each one. `proved`: the ends come from a theorem, which makes
    intervals wide, instead of from simulations of the mechanism. Raises ParameterError.
    """

    chance: float
    of: IntervalsOf = "data"
    together: bool = False
    proved: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "chance", budgets.plain_number(self.chance))
        if not (is_real(self.chance) and 0.5 <= self.chance <= 0.999):
            percent = is_real(self.chance) and 50 <= self.chance < 100
            write = f" For {self.chance:g} % write {self.chance / 100:g}." if percent else ""
            raise ParameterError("intervals", f"must be a chance from 0.5 to 0.999, got {shown(self.chance)}.{write}")
        if self.of not in get_args(IntervalsOf):
            raise ParameterError("intervals", f"must be of the data or of the population, got {shown(self.of)}.")
        if self.of == "population" and self.proved:
            raise ParameterError("intervals", "must be of the data to be proved: a sample's own error is a model.")

    @classmethod
    def from_plain(cls, values: Any) -> Intervals | None:
        """Return the intervals of a chance, or of their values in JSON; None remains None."""
        if values is None or isinstance(values, cls):
            return values
        if not isinstance(values, Mapping):
            return cls(values)
        if "chance" not in values or not set(values) <= set(cls.__dataclass_fields__):
            raise ParameterError("intervals", "must be a chance, or hold chance and, if wanted, of, together, proved.")
        return cls(**values)

    @property
    def percent(self) -> str:
        """Return the chance as text: "95 %"."""
        return f"{100 * self.chance:.4g} %"


@dataclass(frozen=True, init=False, repr=False)
class Plan:
    """Choose levels (any order, repeats allowed), mechanism, budget, adjacency, options and intervals of a run.

        Plan("quartiles", "best", epsilon=1)

    `quantiles` are fractions from 0 to 1, each a number, a Fraction or text: 0.25, "1/3", "90 %"; at most MAX_LEVELS.
    Or one of them, a typed list ("10 %, 50 %"), or median, quartiles, deciles, percentiles. The budget is `privacy`, or
    numbers: `epsilon`, `epsilon` and `delta`, or `rho`. `adjacency`: "joins" (one joins or leaves) or "replaced".
    `intervals`: the chance with which each answer's interval holds the true quantile, or `Intervals`; the levels at its
    ends are drawn from the same budget. `about_n`: the approximate number of records, or of each group, from
    public knowledge, better too small than too large; for groups one number, or one for each by its name; or "noisy",
    which first counts the records of a column or of each group, for a part of the budget. Without intervals a number
    decides what "best" is; a whole column with too few records for all levels draws some, and the others are
    interpolated. `weights` say by name how several columns divide the budget; without them they divide it equally. The
    mechanism (`calibrate`) checks its key and options, the plan everything else. Two plans are equal when every choice
    is. Raises ParameterError with the name of the setting.
    """

    quantiles: tuple[Fraction, ...]
    mechanism: str
    privacy: budgets.Privacy
    adjacency: budgets.Adjacency
    options: Mapping[str, OptionValue]
    intervals: Intervals | None
    about_n: int | Noisy | Mapping[GroupKey, int] | None
    weights: Mapping[str, Fraction] | None

    def __init__(
        self,
        quantiles: Iterable[Level] | Level,
        mechanism: str = "aq",
        privacy: budgets.Privacy | None = None,
        adjacency: budgets.Adjacency | budgets.ProtectsAgainst = budgets.Adjacency.ADD_REMOVE,
        options: Mapping[str, OptionValue] | None = None,
        intervals: Intervals | float | None = None,
        about_n: AboutN | None = None,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        weights: Mapping[str, Number] | None = None,
    ) -> None:
        levels = levels_of(quantiles)
        if not isinstance(mechanism, str):
            raise ParameterError("mechanism", f"must be a key such as 'aq', got {type(mechanism).__name__}.")
        numbers = budgets.budget_of(epsilon, delta, rho)
        if privacy is not None and numbers is not None:
            raise ParameterError("privacy", "must be left out where the budget is given as numbers.")
        privacy = (numbers or USUAL_PRIVACY) if privacy is None else privacy
        if not isinstance(privacy, budgets.PureDP | budgets.ApproxDP | budgets.ZCDP):
            raise ParameterError("privacy", "must be PureDP, ApproxDP or ZCDP; or give epsilon, delta or rho.")
        object.__setattr__(self, "quantiles", levels)
        object.__setattr__(self, "mechanism", mechanism)
        object.__setattr__(self, "privacy", privacy)
        object.__setattr__(self, "adjacency", budgets.Adjacency.of_text(adjacency))
        object.__setattr__(self, "options", MappingProxyType(_checked_options({} if options is None else options)))
        chosen = Intervals.from_plain(intervals)
        object.__setattr__(self, "intervals", chosen)
        object.__setattr__(self, "about_n", _checked_count(about_n, chosen))
        object.__setattr__(self, "weights", None if weights is None else checked_weights(weights))

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        """Return the call that makes an equal plan."""
        levels = [str(level) for level in self.quantiles]
        budget = ", ".join(f"{name}={value!r}" for name, value in vars(self.privacy).items())
        replaced = ", adjacency='replaced'" if self.adjacency is budgets.Adjacency.REPLACE_ONE else ""
        weights = None if self.weights is None else {name: str(weight) for name, weight in self.weights.items()}
        about = dict(self.about_n) if isinstance(self.about_n, Mapping) else self.about_n
        chosen = {
            "options": dict(self.options) or None, "intervals": self.intervals, "about_n": about, "weights": weights,
        }  # fmt: skip
        others = "".join(f", {name}={value!r}" for name, value in chosen.items() if value is not None)
        return f"Plan({levels!r}, {self.mechanism!r}, {budget}{replaced}{others})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by its plain values: the options are read-only, which no pickle can hold."""
        return Plan.from_dict, (self.as_dict(),)

    @cached_property
    def fingerprint(self) -> str:
        """Return a short name of exactly these choices: 16 hexadecimal digits."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """Return the plan as JSON text; `Plan.from_json` gives an equal plan."""
        return json.dumps(self.as_dict(), sort_keys=True)

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as plain values; intervals and a number of records are there only if they are chosen."""
        about: Any = self.about_n
        if isinstance(about, Mapping):  # of groups a list of names with numbers
            pairs = [[list(name) if isinstance(name, tuple) else name, number] for name, number in about.items()]
            about = sorted(pairs, key=json.dumps)
        intervals = {} if self.intervals is None else {"intervals": dict(vars(self.intervals)), "about_n": about}
        intervals |= {} if about is None else {"about_n": about}
        weights = {name: str(weight) for name, weight in (self.weights or {}).items()}
        return {
            "format": FORMAT,
            "quantiles": [str(level) for level in self.quantiles],
            "mechanism": self.mechanism,
            "privacy": budgets.privacy_as_dict(self.privacy),
            "adjacency": self.adjacency.value,
            "options": dict(self.options),
            **intervals,
            **({"weights": weights} if weights else {}),
        }

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Return the plan that `to_json` wrote. Raises ParameterError for anything else."""
        return cls.from_dict(read_json(text, "plan"))

    @classmethod
    def from_dict(cls, values: Any) -> Plan:
        """Return the plan that `as_dict` wrote. Raises ParameterError for anything else."""
        known = {"format", "quantiles", "mechanism", "privacy", "adjacency", "options"}
        own = set(values) - {"intervals", "about_n", "weights"} if isinstance(values, dict) else None
        if own != known or values["format"] != FORMAT:
            raise ParameterError("plan", f"must hold exactly {', '.join(sorted(known))}, with format {FORMAT}. {AGAIN}")
        if not isinstance(values["options"], dict):
            raise ParameterError("options", "must be names with values.")
        chosen = {name: values[name] for name in ("quantiles", "mechanism", "adjacency", "options")}
        sure = {name: values[name] for name in ("intervals", "about_n", "weights") if name in values}
        if isinstance(sure.get("about_n"), list):
            pairs = sure["about_n"]
            try:
                found = {tuple(name) if isinstance(name, list) else name: number for name, number in pairs}
            except (TypeError, ValueError):  # no pairs, or names that are none
                found = {}
            if not pairs or len(found) < len(pairs):
                raise ParameterError("about_n", "must hold a name and a number for each group, each group once.")
            sure["about_n"] = found
        return cls(**chosen, privacy=budgets.privacy_from_dict(values["privacy"]), **sure)


def read_json(text: str | bytes, name: str) -> Any:
    """Return the values of a JSON text. Raises ParameterError for the setting `name` where it is none."""
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):  # the last one where lists lie in lists a thousand times
        raise ParameterError(name, "must be JSON text.") from None


def _checked_count(about_n: object, intervals: Intervals | None) -> int | Noisy | Mapping[GroupKey, int] | None:
    if about_n is None:
        return None
    if isinstance(about_n, str) and about_n == NOISY:
        if intervals is None:
            raise ParameterError("about_n", ("must go with ", Name("intervals"), ", or be a number."))
        return NOISY
    if isinstance(about_n, Mapping):
        given = {
            tuple(map(_one_key, name)) if isinstance(name, tuple) and name else _one_key(name):
            _checked_number(number, "for each group") for name, number in about_n.items()
        }  # fmt: skip
        if not given:
            raise ParameterError("about_n", "must name groups, as in {'north': 300, 'south': 1000}.")
        return MappingProxyType(given)
    return _checked_number(about_n, "or 'noisy'")


def _one_key(name: object) -> str | int:
    """Return the name of a group in one column in plain text, or as a whole number. Raises ParameterError."""
    if isinstance(name, str):
        return str(name)
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        return int(name)
    raise ParameterError("about_n", "must name groups by texts or whole numbers, as in {'north': 300, 'south': 1000}.")


def _checked_number(about_n: object, other: str) -> int:
    if isinstance(about_n, bool) or not isinstance(about_n, int | np.integer) or not 1 <= about_n <= MOST_RECORDS:
        raise ParameterError("about_n", f"must be a whole number from 1 to 10^15 {other}, got {shown(about_n)}.")
    return int(about_n)


def checked_weights(weights: object) -> Mapping[str, Fraction]:
    """Return how columns divide a budget, by their names; read-only. Raises ParameterError."""
    if not isinstance(weights, Mapping) or not weights or not all(isinstance(name, str) for name in weights):
        raise ParameterError("weights", "must name columns with a number above 0 for each, as in {'age': 1, 'pay': 3}.")
    found = {name: exact_number(weight, "weights") for name, weight in weights.items()}
    for name, weight in found.items():
        if weight <= 0:
            raise ParameterError("weights", f"must be above 0, got {shown(weights[name])}.")
    return MappingProxyType(found)


def _checked_options(options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        raise ParameterError("options", "must be names with values.")
    for name, value in options.items():
        too_large = isinstance(value, int) and not -LARGEST <= value <= LARGEST
        if not isinstance(value, str | int | float | bool | None) or value != value or too_large:
            raise ParameterError(name, "must be a text, a number or a truth value.")
    return dict(sorted(options.items()))
