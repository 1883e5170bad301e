"""The report's pictures: numbers under the axis are whole and apart."""

from __future__ import annotations

import re
from base64 import b64decode
from itertools import pairwise

import pytest

from dpq_core.figures.report import DIGIT, WIDTH, Mark, draw_answers


@pytest.mark.parametrize(
    "texts",
    [
        ["1", "2", "3"],
        ["1,936.00", "2,797.12", "2,834.63"],
        ["2006-07-18", "2015-01-01", "2023-10-01", "2023-10-02"],
        ["-1.5e+300"] * 30,
    ],
)
def test_numbers_under_the_axis_are_whole_and_apart(texts: list[str]) -> None:
    marks = [Mark(k / len(texts), float(k), text) for k, text in enumerate(texts)]
    image = draw_answers(marks, axis="p", many="people", alt="")
    (packed,) = re.findall(r"base64,([^\"']+)", image)
    numbers = [
        (float(x), len(text))
        for x, text in re.findall(r'<text x="([\d.]+)"[^>]*>([^<]*)</text>', b64decode(packed).decode())
        if text in texts
    ]
    spans = sorted((x - DIGIT * length / 2, x + DIGIT * length / 2) for x, length in numbers)
    assert len(spans) >= 2
    assert spans[0][0] >= 0
    assert spans[-1][1] <= WIDTH
    assert all(one[1] < other[0] for one, other in pairwise(spans))
