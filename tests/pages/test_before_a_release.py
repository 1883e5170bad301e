"""Before a release the page of a private file is the same whoever is in it; a row is told to whoever asks for it."""

from __future__ import annotations

import logging
import re
import time

import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import Adjacency
from pages.keys import PREFIX
from tests.pages.driving import named, open_page, run, set_bounds, words

ROWS = 4_611
AGES = [b"%d" % (20 + 7 * k % 50) for k in range(ROWS)]
NEAR = re.compile(r"(?<![\d.])4,?6(0[89]|1[0-5])(?!\d)")
"""The number of rows, or one near it."""


def upload(content: bytes, **link: str) -> AppTest:
    visit = open_page(**link)
    run(visit.selectbox(key=f"{PREFIX}_data").set_value("file"))
    visit.file_uploader[0].upload("own.csv", content)
    run(visit)
    run(visit.button(key=f"{PREFIX}_read").click())
    deadline = time.monotonic() + 60
    while not {f"{PREFIX}_change", f"{PREFIX}_read"} & {button.key for button in visit.button}:
        assert time.monotonic() < deadline
        time.sleep(0.02)
        run(visit)
    return visit


def column(cells: list[bytes]) -> bytes:
    return b"\n".join([b"age", *cells, b""])


def labels(visit: AppTest) -> list[str]:
    return [button.label for button in visit.button]


BAD = {
    "word": column([*AGES, b"zq7word"]),
    "unit": column([*AGES, b"5 %"]),
    "date": column([b"2024-01-31"] * ROWS + [b"2024-02-31"]),
    "uneven": b"age,more\n" + b"1,2\n" * ROWS + b"1,2,3\n",
    "quote": b"age,more\n" + b"1,2\n" * ROWS + b'1,"2\n',
}


@pytest.mark.parametrize("bad", BAD)
def test_a_row_is_shown_after_a_press_and_never_before(bad: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        visit = upload(BAD[bad])
        assert any(":material/error:" in element.value for element in visit.markdown)
        assert not NEAR.search(words(visit))
        run(visit)
        assert labels(visit).count("Show where") == 1
        run(named(visit.button, "show_where").click())
        assert [f"Row {ROWS + 2:,}." in element.value for element in visit.caption].count(True) == 1
        assert "Show where" not in labels(visit)
    assert not NEAR.search(str(dict(visit.query_params)))
    assert not NEAR.search(caplog.text)


def test_a_message_without_a_row_has_no_button() -> None:
    visit = upload(b"day\n01/02/2024\n")
    assert "day first or month first" in words(visit)
    assert "Show where" not in labels(visit)


def shown(visit: AppTest) -> str:
    """What is on the page, without the names of this session's widgets."""
    return re.sub(r"[0-9a-f]{8,}|\b\d+-", "", words(visit))


@pytest.mark.covering(1)
@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize(
    "other",
    [
        column([*AGES, b"33"]),  # one more
        column([*AGES[:-1], b"99"]),  # one replaced
        column([*AGES[:2_000], b"", *AGES[2_001:]]),  # one who did not answer
        column([*AGES[:2_000], b"NA", *AGES[2_001:]]),
    ],
    ids=["one more", "replaced", "blank", "missing"],
)
def test_nothing_tells_two_neighbouring_files_apart(other: bytes, adjacency: Adjacency) -> None:
    one, two = (
        shown(set_bounds(upload(content, adjacency=adjacency.value), "0", "120", "1"))
        for content in (column(AGES), other)
    )
    assert one == two
    assert "Release: private answers only" in one
    assert adjacency.in_words.split(" ", 2)[2] in one


def test_two_files_with_a_bad_cell_in_another_row_look_the_same() -> None:
    bad = [shown(upload(column([*AGES[:at], b"a word", *AGES[at:]]))) for at in (4_000, 4_321)]
    assert bad[0] == bad[1]
    assert "is not a number" in bad[0]
