"""What every run tries of a test with many parameters, and what it leaves to `make test-all`."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from tests.every_run import covering_array, kept, kept_rows, mark_repeats

GRID = [dict(enumerate(each)) for each in product("abcdef", "123", "xy")]


@pytest.mark.parametrize(("strength", "most"), [(1, 6), (2, 18), (3, 36)])
def test_all_values_that_occur_together_are_tried_together_by_few(strength: int, most: int) -> None:
    def values(each: dict[int, str]) -> set[object]:
        return set(combinations(sorted(each.items()), strength))

    chosen = [GRID[at] for at in covering_array(GRID, strength)]
    assert set().union(*map(values, chosen)) == set().union(*map(values, GRID))
    assert len(chosen) <= most


def test_a_test_with_fewer_parameters_than_the_strength_is_tried_with_all_of_them() -> None:
    assert covering_array([{0: "a"}, {0: "b"}], 2) == [0, 1]
    assert covering_array([{}], 1) == [0]


@pytest.mark.covering(1)
@pytest.mark.parametrize("second", [0, 1, 2])
@pytest.mark.parametrize("first", ["a", "b"])
def test_of_a_marked_test_only_repeats_are_left_out(first: str, second: int, request: pytest.FixtureRequest) -> None:
    same = [each for each in request.session.items if getattr(each, "originalname", "") == request.node.originalname]
    tried = [each for each in same if not each.get_closest_marker("repeated")]
    assert request.node in same
    if len(same) > 1:
        assert {each.callspec.params["second"] for each in tried} == {0, 1, 2}  # type: ignore[attr-defined]
        assert {each.callspec.params["first"] for each in tried} == {"a", "b"}  # type: ignore[attr-defined]
        assert len(tried) == 3


def test_what_is_very_slow_covers_nothing(request: pytest.FixtureRequest) -> None:
    """It does not run, so that others have to try its values."""

    @pytest.mark.covering(1)
    def tried(first: int) -> None: ...

    items = []
    for at in range(2):
        item = pytest.Function.from_parent(
            request.node.parent, name=f"tried[{at}]", callobj=tried, originalname="tried"
        )
        item.callspec = type("Callspec", (), {"_idlist": ["a"]})()
        items.append(item)
    items[0].add_marker("very_slow")
    mark_repeats(items)
    assert not items[1].get_closest_marker("repeated")


def test_a_value_that_is_kept_must_be_there() -> None:
    assert kept([1, 2], 1) == [1, pytest.param(2, marks=pytest.mark.very_slow)]
    with pytest.raises(AssertionError, match="among the values"):
        kept([1, 2], 3)
    assert kept_rows([(1, "a"), (2, "b")], (2, "b")) == [pytest.param(1, "a", marks=pytest.mark.very_slow), (2, "b")]
    with pytest.raises(AssertionError, match="among the rows"):
        kept_rows([(1, "a")], (1, "b"))
