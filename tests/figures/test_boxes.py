"""Box plots: boxes and whiskers where the quantiles lie, and nothing beyond 5 and 95 percent."""

from math import log10

from dpq_core.figures import Box, as_html, draw_boxes

BOXES = [
    Box("age", (20, 30, 40, 50, 70), (21, 31, 41, 51, 71), "median 40"),
    Box("<b>income</b>", (1e3, 1e4, 2e4, 4e4, 9e4), None),
]


def test_box_and_whiskers_lie_where_the_quantiles_are():
    figure = draw_boxes(BOXES, scale="linear", axis="Value")
    outline, strokes, medians = (trace for trace in figure.data if trace.legendgroup == "private")
    assert set(outline.x) - {None} == {30, 50, 1e4, 4e4}
    assert {20, 70, 1e3, 9e4} <= set(strokes.x)
    assert list(medians.x) == [40, 2e4]
    drawn = [x for trace in figure.data for x in trace.x if x is not None]
    assert (min(drawn), max(drawn)) == (20, 9e4)
    assert len(figure.data) == 6, "three traces of each kind, however many columns"


def test_names_are_text_and_a_release_has_no_truth():
    figure = draw_boxes(BOXES[1:], scale="linear", axis="Value")
    assert [note.text for note in figure.layout.annotations] == ["&lt;b&gt;income&lt;/b&gt;"]
    assert {trace.legendgroup for trace in figure.data} == {"private"}


def test_a_logarithmic_axis_and_a_still_drawing():
    figure = draw_boxes(BOXES, scale="log", axis="Value")
    assert figure.layout.xaxis.type == "log"
    low, high = figure.layout.xaxis.range
    assert low < log10(20)
    assert high > log10(9e4)
    assert "<svg" in as_html([figure], title="Boxes", paragraphs=[])


def test_on_scales_of_their_own_the_numbers_stand_beside_the_names():
    figure = draw_boxes(BOXES, scale="own", axis="Each its own")
    assert figure.layout.annotations[0].text == "age: median 40"
    drawn = [x for trace in figure.data for x in trace.x if x is not None]
    assert (min(drawn), max(drawn)) == (0, 1)
