"""What a person says of a file that could not be read: the unit of all amounts, the sheet."""

import numpy as np
import pytest

from dpq_core.errors import ParameterError
from dpq_core.sources.files import find_layout, list_sheets, read_column
from dpq_core.sources.reading import Reading
from tests.sources.made import workbook
from tests.sources.refusals import refused

ROWS = [f"p{at // 2},{at % 50},{at}" for at in range(40)]
HEAD = "patient,amount,place"


def text(*rows: str, end: str = "\n") -> bytes:
    return ("\n".join([HEAD, *rows]) + end).encode()


def cells(rows: list[str]) -> list[list[object]]:
    return [[int(cell) if cell.isdigit() else cell or None for cell in row.split(",")] for row in (HEAD, *rows)]


MIXED = [f"p{at},{'€ ' if at % 3 else ''}{at},{at}" for at in range(30)]


def test_amounts_without_a_unit_get_that_of_the_others() -> None:
    content = text(*MIXED)
    found = read_column(content, "amount", reading=Reading(unit="€"))
    assert (found.values.tolist(), found.kind, found.unit) == (list(range(30)), "money", "€")


def test_a_sheet_is_chosen_by_its_name() -> None:
    content = workbook([["read me"]], cells(ROWS))
    assert list_sheets(content) == ("Sheet1", "Sheet2")
    assert list_sheets(text(*ROWS)) == ()
    assert read_column(content, "place", layout=find_layout(content, sheet="Sheet2")).values.tolist() == list(range(40))
    with refused("holds no numbers; choose another"):
        find_layout(content)


@pytest.mark.parametrize(("name", "said"), [
    ("separator", {"separator": ";;"}), ("fill_down", {"fill_down": "no"}), ("quoting", {"quoting": "no"}),
    ("sheet", {"sheet": "visits"}),
])  # fmt: skip
def test_what_cannot_be_said_of_a_file_is_refused_by_name(name: str, said: dict[str, str]) -> None:
    with pytest.raises(ParameterError) as refused:
        find_layout(text(*ROWS), **said)  # type: ignore[arg-type]
    assert refused.value.name == name


def test_of_a_number_of_a_workbook_is_read_what_is_stored() -> None:
    mixed = workbook([["v"], [(0.12, "0%")], [0.3]])
    for reading, kind, values in (
        (Reading(), "number", [0.12, 0.3]), (Reading(percent=True), "percent", [12, 30]),
        (Reading(unit="%"), "percent", [0.12, 0.3]), (Reading(unit="€"), "money", [0.12, 0.3]),
    ):  # fmt: skip
        found = read_column(mixed, "v", header=True, reading=reading)
        assert (found.kind, found.values.tolist()) == (kind, values)
    codes = read_column(workbook([["v"], [5], [-99], ["7"]]), "v", header=True, reading=Reading(missing_codes=(-99,)))
    np.testing.assert_array_equal(codes.values, [5, np.nan, 7])
