"""The cloud of answers: marks that name their run, frames that play, and a size that a browser takes at once."""

from __future__ import annotations

import pytest

from dpq_core.figures.cloud import MOST_LEVELS, RUNS, Cloud, draw_cloud
from dpq_core.figures.curves import MOST_MARKED_QUANTILES


def cloud_of(count: int, dated: bool = False) -> Cloud:
    levels = [(at + 1) / (count + 1) for at in range(count)]
    rows = [[100 * level + 0.37 * run for level in levels] for run in range(64)]
    words = [[f"{value:.2f}" for value in row] for row in rows]
    dots = list(range(0, 50)) if count == 1 else []
    runs = [[f"2024-01-{1 + run % 28:02d}" for _ in levels] for run in range(64)] if dated else rows
    return Cloud(
        levels=levels, true=runs[0], lows=runs[0], highs=runs[1], runs=runs, words=words,
        told=[("1.25", "1.00", "2.00")] * count, dots=dots, dot_values=[runs[run][0] for run in dots],
        dot_words=[words[run][0] for run in dots],
    )  # fmt: skip


def test_every_mark_names_its_run_and_every_frame_is_one_run() -> None:
    cloud = cloud_of(3)
    figure = draw_cloud(cloud, axis="age", many="people")
    strokes = figure.data[2]
    assert list(strokes.customdata[:4]) == [1, 1, 1, 2]
    assert list(strokes.x[3:6]) == cloud.runs[1]
    assert [frame.name for frame in figure.frames] == [str(run) for run in range(1, RUNS + 1)]
    (moved,) = figure.frames[6].data
    assert list(moved.x) == cloud.runs[6]
    assert list(moved.customdata[0]) == [7, "1.25", "1.00", "2.00"]
    assert figure.frames[6].traces == (len(figure.data) - 1,)


def test_at_rest_nothing_moves() -> None:
    figure = draw_cloud(cloud_of(3), axis="age", many="people")
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == ["Play", "Stop"]
    assert list(figure.data[-1].x) == cloud_of(3).runs[0]


def test_one_quantile_is_fifty_dots_in_stacks() -> None:
    cloud = cloud_of(1)
    truth, dots, one = draw_cloud(cloud, axis="age", many="people").data
    assert list(dots.customdata) == list(range(1, 51))
    assert len(dots.x) == len(set(zip(dots.x, dots.y, strict=True))) == 50
    assert max(dots.y) > 1
    assert one.y[0] < 0 < min(dots.y)
    assert list(truth.x) == [cloud.true[0]] * 2
    draw_cloud(cloud_of(1, dated=True), axis="day", many="records")


@pytest.mark.parametrize("count", [1, 9, MOST_MARKED_QUANTILES, MOST_MARKED_QUANTILES + 1, 99, MOST_LEVELS])
def test_a_cloud_stays_small(count: int) -> None:
    figure = draw_cloud(cloud_of(count), axis="age", many="people")
    assert len(figure.to_json()) < 300_000
    assert len(figure.data) == 3 + (1 < count <= MOST_MARKED_QUANTILES)
    assert draw_cloud(cloud_of(count), axis="age", many="people", wide=True).data
