"""Reading a text with quotes, whose doubtful ones are looked at a second time, against one where they are known."""

import numpy as np
import pytest

from dpq_core.sources.files import find_layout, read_column

ROWS = 200_000
CONTENTS = {
    "no quotes": "{k},rather agree with it mostly,{v}\n",
    "each cell in quotes": '"{k}","rather agree with it","{v}"\n',
    "a line break in one of 50": '{k},"rather agree{mark}with it mostly",{v}\n',
    "an inch mark in each row": '{k},a pipe of 5" and not more,{v}\n',
}
target = pytest.mark.target


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, marks=target(40, f"reading {ROWS:,} rows, {name}", at_most=4, of="quotes known"), id=name)
        for name, line in CONTENTS.items()
    ],
)
def test_quotes_are_judged_in_a_few_times_what_reading_takes(timed, line):
    rows = (line.format(k=k, v=k % 9973, mark=", " if k % 50 else "\n") for k in range(ROWS))
    content = ("id,answer,income\n" + "".join(rows)).encode()
    known = find_layout(content, quoting="pipe" not in line)
    found = timed(lambda: read_column(content, "income"), lambda: read_column(content, "income", layout=known), 7)
    assert np.array_equal(found.values, np.arange(ROWS) % 9973)
