"""Names that a file brings are shown as plain text, whatever they hold, in both modes."""

from __future__ import annotations

import csv
import io
import re

import pytest

from dpq_core.results import exports
from pages.keys import PREFIX
from tests.narrowing import present
from tests.pages.driving import bring, figures, named, open_page, press, set_bounds

EVIL = '<img src="http://example.org" onerror="alert(1)">![x](http://example.org/y)[a](javascript:alert(1)) $x$ :red[b]'
FILE = f"../../{EVIL}.csv"
CONTENT = f'"{EVIL.replace(chr(34), chr(34) * 2)}"\n'.encode() + b"\n".join(b"%d" % (k % 97) for k in range(2_000))
LIVE = re.compile(r"<\w|\]\(|\$x\$|:red\[")
"""What Markdown would make something of."""


def live(text: str) -> list[str]:
    """What is left when every escaped character is taken away."""
    return LIVE.findall(re.sub(r"\\[^\w\s]", "", text))


@pytest.mark.parametrize("public", [True, False])
def test_a_hostile_header_and_file_name_stay_text(public: bool) -> None:
    visit = press(set_bounds(bring(open_page(data="file"), CONTENT, FILE, public=public), "0", "100", "1"))
    assert visit.metric, "there is a result"
    written = [element.value for element in (*visit.markdown, *visit.caption)]
    named = [text for text in written if "example" in text]
    assert len(named) >= 2
    assert not [text for text in named if live(text)]
    assert live(EVIL), "the search works"
    axes = [figure["layout"]["xaxis"]["title"]["text"] for figure in figures(visit)]
    assert any("example" in title for title in axes)
    assert not [title for title in axes if "<" in title]


def test_a_release_of_such_a_file_has_an_account_that_no_spreadsheet_computes() -> None:
    visit = set_bounds(bring(open_page(data="file"), CONTENT, '=cmd|"x".csv'), "0", "100", "1")
    assert not visit.button(key=f"{PREFIX}_run").disabled
    name = named(visit.text_input, "account").value
    assert present(name)[0].isalnum()
    outcome = press(visit).session_state[f"{PREFIX}:outcome:release"]
    cells = [cell for row in csv.reader(io.StringIO(exports.as_csv(outcome))) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "|", "-"))]
