"""The chart of answers: the same marks as SVG and as PNG, with every number beside its row."""

from __future__ import annotations

import re
from dataclasses import replace
from io import BytesIO
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from PIL import Image

from dpq_core.figures.report_chart.rows import OPEN, Axis, ChartRow, axis_of, draw_rows
from dpq_core.figures.report_chart.scene import (
    COLOURS,
    Bar,
    Diamond,
    Scene,
    Words,
    as_image,
    as_png,
    as_svg,
    shortened,
    text_width,
    titled,
    wrapped,
)

BOUNDS = (0.0, 120.0)
EVIL = '<script>alert("x")</script>'


def row(answer: float, interval: tuple[float | None, float | None] | None = None, name: str = "50 %") -> ChartRow:
    return ChartRow(name=name, answer=answer, number=f"{answer:g} €", interval=interval, range_text="20 to 40")


def answer_chart(*rows: ChartRow, narrow: bool = False) -> Scene:
    heads = ("Share", "Answer", "95 %")
    return draw_rows(rows, Axis(20.0, 40.0), ends=("20", "40"), heads=heads, alt="answers", narrow=narrow)


def bars(scene: Scene) -> list[Bar]:
    return [mark for mark in scene.marks if isinstance(mark, Bar) and mark.role == "interval"]


def diamonds(scene: Scene) -> list[Diamond]:
    return [mark for mark in scene.marks if isinstance(mark, Diamond)]


def test_several_values_reach_from_end_to_end() -> None:
    assert axis_of([20.0, 25.0, 40.0], BOUNDS) == Axis(20.0, 40.0)
    assert [Axis(20.0, 40.0).share(value) for value in (0.0, 20.0, 33.0, 99.0)] == [0, 0, 0.65, 1]


@pytest.mark.parametrize("narrow", [False, True])
def test_a_bar_reaches_from_end_to_end_and_beyond_where_it_is_open(narrow: bool) -> None:
    scene = answer_chart(row(30.0, (20.0, 40.0)), row(30.0, (None, 30.0)), row(30.0, (30.0, None)), narrow=narrow)
    whole, low, high = bars(scene)
    middle = diamonds(scene)[0].x
    assert whole.x + whole.width / 2 == pytest.approx(middle)
    assert [whole.x - low.x, low.x + low.width] == pytest.approx([OPEN, middle])
    assert [high.x, high.width - whole.width / 2] == pytest.approx([middle, OPEN])
    assert bars(answer_chart(row(30.0))) == []


@pytest.mark.parametrize("narrow", [False, True])
def test_every_number_stands_in_the_picture_and_no_words_touch(narrow: bool) -> None:
    """Words on one line keep their distance, however long the name of a row is."""
    rows = [row(20.0 + at, (20.0, 40.0), name="Very long name of a department" * (1 + at % 2)) for at in range(9)]
    scene = answer_chart(*rows, narrow=narrow)
    words = [mark for mark in scene.marks if isinstance(mark, Words)]
    for each in rows:
        assert each.number in {mark.text for mark in words}
    places = {"start": 0.0, "middle": 0.5, "end": 1.0}
    for line in {mark.y for mark in words}:
        spans = []
        for mark in (mark for mark in words if mark.y == line):
            left = mark.x - places[mark.anchor] * text_width(mark.text, mark.size)
            spans.append((left, left + text_width(mark.text, mark.size)))
        spans.sort()
        assert all(one[1] + 4 <= other[0] for one, other in pairwise(spans))
        assert spans[0][0] >= 0
        assert spans[-1][1] <= scene.width + 0.5


def test_an_answer_stands_beside_its_name_and_not_at_the_end_of_its_box() -> None:
    boxed = replace(row(30.0), box=(25.0, 40.0))
    scene = draw_rows([boxed], Axis(20.0, 40.0), ends=("20", "40"), heads=("name", "median", ""), alt="answers")
    (number,) = [mark for mark in scene.marks if isinstance(mark, Words) and mark.text == boxed.number]
    assert number.x < min(mark.x for mark in scene.marks if isinstance(mark, Bar))


def test_no_line_ends_between_a_sign_of_money_and_its_number() -> None:
    lines = wrapped("pay at most €\u00a019,000", 12.0, text_width("pay at most €", 12.0))
    assert lines == ["pay at most", "€\u00a019,000"]


def test_svg_is_whole_and_names_are_text_only() -> None:
    drawn = as_svg(titled(answer_chart(row(30.0, (20.0, 40.0), EVIL)), EVIL, EVIL))
    root = ElementTree.fromstring(drawn)
    assert len(root.findall(".//{*}rect")) == 1 + 3
    assert "<script" not in drawn
    assert "http" not in drawn.replace('xmlns="http://www.w3.org/2000/svg"', "")
    image = as_image(answer_chart(row(30.0, name=EVIL)), "dpq-wide")
    assert re.match(r'<img class="dpq-wide" src="data:image/svg\+xml;base64,[^"]+" alt="answers"', image)


def test_png_has_the_marks_where_the_scene_has_them() -> None:
    """The middle of each diamond and the end of each bar, in the colours of the scene; letters are drawn, too."""
    scene = answer_chart(row(24.0, (21.0, 30.0)), row(36.0, (30.0, 39.0)))
    image = Image.open(BytesIO(as_png(scene))).convert("RGB")
    assert image.size == (round(scene.width * 2), round(scene.height * 2))

    def near(x: float, y: float, colour: str) -> bool:
        found = image.getpixel((round(2 * x), round(2 * y)))
        assert isinstance(found, tuple)
        wanted = bytes.fromhex(colour[1:])
        return all(abs(one - other) < 8 for one, other in zip(found, wanted, strict=True))

    assert all(near(mark.x, mark.y, COLOURS["private"][0]) for mark in diamonds(scene))
    assert all(near(mark.x + 2, mark.y + mark.height / 2, COLOURS["interval"][0]) for mark in bars(scene))
    assert near(3, scene.height - 3, COLOURS["ground"][0])
    euro = next(mark for mark in scene.marks if isinstance(mark, Words) and "€" in mark.text)
    place = tuple(round(2 * edge) for edge in (euro.x - 10, euro.y - 10, euro.x, euro.y))
    left, top, right, bottom = place
    assert any(sum(image.getpixel((x, y))[:3]) < 300 for x in range(left, right) for y in range(top, bottom))  # type: ignore[index]


def test_texts_are_wrapped_and_shortened_to_their_room() -> None:
    lines = wrapped("one two three four five", 10, 60)
    assert " ".join(lines) == "one two three four five"
    assert all(text_width(line, 10) <= 60 for line in lines)
    assert len(lines) > 1
    assert wrapped("", 10, 60) == []
    short = shortened("a" * 80, 10, 60)
    assert short.endswith("…")
    assert text_width(short, 10) <= 60
