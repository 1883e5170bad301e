"""Tables: numbers that are drawn in words and sort as numbers, and a fold that shows that there is more."""

from __future__ import annotations

from math import inf, nan

import pytest

from dpq_core.results.wording import DisplayText, at_most_in_table, error_in_table, errors_in_table
from pages.frame import pieces
from pages.quantiles import results


@pytest.mark.parametrize("rows", [11, 12, 33, 500])
def test_no_table_ends_exactly_at_its_fold(rows: int) -> None:
    seen = (pieces.height_of(rows) - 3) / pieces.PIXELS_A_ROW - 1
    assert seen < rows
    assert 0.3 < seen % 1 < 0.7, "half a row says that the table goes on"


@pytest.mark.parametrize("rows", [0, 1, 10])
def test_a_short_table_is_seen_whole(rows: int) -> None:
    assert pieces.height_of(rows) == 35 * (rows + 1) + 3


def drawn(column: list[DisplayText]) -> tuple[list[float], list[str]]:
    styled = pieces._with_words({"who": ["x"] * len(column), "number": column, "other": column})
    cells = styled._translate(True, True)["body"]
    shown = [[cell["display_value"] for cell in row if cell["type"] == "td"] for row in cells]
    assert [row[1] for row in shown] == [row[2] for row in shown]
    return list(styled.data["number"]), [row[1] for row in shown]


def test_words_are_drawn_and_numbers_decide_the_order() -> None:
    column = [error_in_table(1026.4), error_in_table(0.3), error_in_table(9.16), error_in_table(nan)]
    numbers, words = drawn(column)
    assert words == ["1,000", "under 1", "9.2", "–"]
    assert sorted(numbers) == [0.3, 9.16, 1026.4, inf], "the browser writes None for a missing number"


def test_equal_numbers_keep_their_own_words() -> None:
    """Two ranges that end at the same number are two cells, not one."""
    _, words = drawn([errors_in_table(1.0, 38.0), errors_in_table(6.0, 38.0), errors_in_table(1.0, 38.0)])
    assert words == ["1 to 38", "6 to 38", "1 to 38"]


def test_a_long_table_has_the_numbers_that_are_said() -> None:
    cells = [error_in_table(1026.4), error_in_table(0.34), DisplayText(48_842, "48,842"), *[error_in_table(9.16)] * 500]
    frame = pieces._with_words({"who": ["x"] * len(cells), "error": cells})
    assert list(frame["error"][:4]) == [1000.0, 0.34, 48_842.0, 9.2]


def test_texts_stay_as_they_are() -> None:
    assert pieces._with_words({"a": ["1"], "b": ["2"]}) == {"a": ["1"], "b": ["2"]}


@pytest.mark.parametrize(("bound", "said"), [(39.4, "40"), (39.0, "39"), (0.31, "0.31"), (7.01, "7.1"), (nan, "–")])
def test_an_upper_bound_is_never_rounded_down(bound: float, said: str) -> None:
    assert str(at_most_in_table(bound)) == said
    assert not float(str(at_most_in_table(bound)).replace("–", "nan")) < bound


def test_answers_that_noise_does_not_move_lie_within_no_range() -> None:
    assert results._moved(0, 0) == "at the rank of"
    assert results._moved(-3, 0) == "within −3 to 0 ranks of"
