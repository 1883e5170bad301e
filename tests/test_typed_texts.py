"""What anybody may type, paste or put into a link takes time in proportion to its length, whatever it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import pytest

from dpq_core import ParameterError
from dpq_core.domain import LARGEST_BITS, LONGEST_NUMBER, Domain, exact_number
from dpq_core.plan import MAX_LEVELS, Plan, parse_level, parse_levels
from dpq_core.results.wording import parse_date
from dpq_core.sources import margins
from dpq_core.sources.excel import workbooks
from dpq_core.sources.files import read_pasted
from pages.frame.links import read_link
from pages.microscope.forms import parse_values
from pages.settings.check import LONGEST_VALUE, fits
from pages.settings.table import SETTINGS

SHORT, TIMES = 10_000, 4
SOON = 0.02
"""Seconds within which no growth can be told from the machine's own unrest."""
GROWTH = 9
"""Four times the text may take four times as long; sixteen times is a square."""
HOSTILE: dict[str, Callable[[int], str]] = {
    "blanks between": lambda n: "0.5" + " " * n + "x",
    "lines between": lambda n: "1" + "\n" * n + "%",
    "bars": lambda n: "/" * n,
    "bars apart": lambda n: "1 / " * (n // 4),
    "percents": lambda n: "% ," * (n // 3),
    "commas": lambda n: "1" + "," * n + "x",
    "semicolons": lambda n: "; " * (n // 2),
    "digits": lambda n: "1" * n,
    "a long fraction": lambda n: "1" * (n // 2) + "/" + "3" * (n // 2),
    "decimals": lambda n: "0." + "1" * n + "x",
    "groups": lambda n: ",123" * (n // 4) + "x",
    "exponents": lambda n: "1e" * (n // 2),
    "words": lambda n: "total" + " " * n + "x",
    "dates": lambda n: "2024-" * (n // 5),
}  # fmt: skip
TAGS: dict[str, Callable[[int], str]] = {
    "tags never closed": lambda n: "<v " * (n // 3),
    "tags closed at last": lambda n: "<v " * (n // 3) + ">",
    "cells without values": lambda n: "<c r='A1' " * (n // 9),
    "prefixes": lambda n: "<" + "a" * n + ":",
    "blanks in a tag": lambda n: "<c r" + " " * n,
}  # fmt: skip


def measure(part: str) -> None:
    workbooks.Measures().add(part.encode())
    workbooks.VALUE.findall(part.encode())


READERS: dict[str, Callable[[str], object]] = {
    "levels": parse_levels,
    "a level": parse_level,
    "a bound": partial(exact_number, name="lower"),
    "a date": parse_date,
    "the microscope's values": parse_values,
    "pasted values": read_pasted,
    "decimal marks": lambda text: margins.decimal_mark([[text]], comma_separated=True),
    "totals": margins.TOTAL.match,
    "the check of own levels": SETTINGS["own"].check,
    "the check of a bound": SETTINGS["lower"].check,
    "the check of a release's id": SETTINGS["answer"].check,
    "a link": lambda text: read_link({"own": text, "lower": text, text: text}, "quantiles"),
}


def seconds(reader: Callable[[str], object], text: str) -> float:
    """The least of three times that the process spent on it."""
    spent = []
    for _ in range(3):
        start = time.process_time()
        try:
            reader(text)
        except ValueError:
            pass
        finally:
            spent.append(time.process_time() - start)
        if spent[-1] < SOON:
            break
    return min(spent)


def is_proportional(reader: Callable[[str], object], text: Callable[[int], str]) -> bool:
    long = seconds(reader, text(TIMES * SHORT))
    return long < SOON or long < GROWTH * seconds(reader, text(SHORT))


@pytest.mark.covering(1)
@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("reader", READERS)
def test_the_time_for_a_typed_text_grows_with_its_length_alone(reader, kind):
    assert is_proportional(READERS[reader], HOSTILE[kind])


@pytest.mark.parametrize("kind", TAGS)
def test_the_time_to_measure_a_workbook_grows_with_its_length_alone(kind):
    assert is_proportional(measure, TAGS[kind])


def test_the_measure_of_growth_finds_a_square():
    assert not is_proportional(lambda text: [text.count("x") for _ in range(len(text))], lambda n: "y" * n)


def test_a_list_of_too_many_levels_is_refused_before_any_is_read(monkeypatch):
    read: list[str] = []
    monkeypatch.setattr("dpq_core.plan.parse_level", read.append)
    for given in (lambda: parse_levels("0 " * (MAX_LEVELS + 1)), lambda: Plan(iter(int, 1))):
        with pytest.raises(ParameterError, match=f"at most {MAX_LEVELS} levels"):
            given()
    assert read == []


@pytest.mark.parametrize(
    "value",
    ["1" * (LONGEST_NUMBER + 1), "1/" + "3" * LONGEST_NUMBER, 10**LARGEST_BITS, -(10**5000), "1e999", [[]]],
    ids=lambda value: type(value).__name__,
)
def test_a_number_that_is_too_long_is_refused_in_a_short_sentence(value):
    with pytest.raises(ParameterError, match="`lower` must be a finite number") as caught:
        Domain(value, 1)
    assert len(str(caught.value)) < 120


def test_a_setting_of_a_link_is_no_longer_than_its_field():
    assert fits(SETTINGS["own"].check, "0.5," * (LONGEST_VALUE // 4))
    assert not fits(SETTINGS["own"].check, "0.5," * (LONGEST_VALUE // 4) + "0.5")


def test_values_of_a_workbook_are_found_to_its_end():
    part = b'<row><c r="A1"><v>12</v></c><x:c><x:v xml:space="a">7</x:v></c><v/><v >3<!-- --></v><va>9</va><v>4'
    assert workbooks.VALUE.findall(part) == [(b"12", b""), (b"7", b""), (b"3", b"!"), (b"4", b"")]
