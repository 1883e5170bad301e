"""What pages show for a link: their large numbers, tables and figures, beside what was approved; see tests/approved.py.

`APPROVE=1` writes the files anew. Words do not count, nor times that runs took.
"""

import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dpq_core import MECHANISMS
from dpq_core.audit.broken import BROKEN
from pages.tradeoff import sweeps
from tests.approved import check_approved
from tests.pages.driving import figures, metrics, open_page

APPROVED = Path(__file__).parent / "approved"
MOST = 60
"""Of the rows of a table, and of the points of a line."""
TIMES = re.compile("millisecond|second")
TWO = {"quantiles": "quartiles", "epsilon": "0.5"}
FOR_ALL = {"normal": {"adjacency": "replace_one", "normal.sigma": "15", "normal.mean_bound": "120"},
           "gkexp": {"adjacency": "replace_one"}, "slice": {"data": "adult-age-full"}}  # fmt: skip
PAGES: dict[str, dict[str, dict[str, str]]] = {
    "inside": {
        **{key: TWO | {"mechanism": key, "run_step": "2"} | FOR_ALL.get(key, {}) for key in MECHANISMS},
        "several at once": {"mechanism": "aq", "splits": "drawn", "quantiles": "even", "even": "31"},
        "a group": {"data": "visits", "each": "group", "mechanism": "aq", "quantiles": "median"},
        "digits": TWO | {"data": "income", "bounds": "digits", "mechanism": "indexp"},
        "microscope": {"look": "Microscope"},
        **{f"broken {name}": {"look": "Microscope", "tiny_show": name} for name in BROKEN},
    },
    "compare": {"median": {"quantiles": "median"}, "even": {"quantiles": "even", "even": "15", "epsilon": "0.5"},
                "hard": {"trouble": "few"}},
    "tradeoff": {"median": {"quantiles": "median"}, **{name: TWO | {"sweep": name} for name in sweeps.SWEPT},
                 "worst": TWO | {"measure": "max"}},
    "stream": {"default": {}, "percentiles": {"length": "10000", "stream_quantiles": "percentiles", "alpha": "0.01"}},
}  # fmt: skip
CASES = [(page, name) for page, links in PAGES.items() for name in links]


def numbers_of(visit: AppTest) -> dict[str, Any]:
    """The large numbers, the tables without times, the figures of a page, and what it finds, by its numbers."""
    tables = [
        {name: list(map(str, table.value[name]))[:MOST] for name in table.value.columns if not TIMES.search(name)}
        for table in visit.dataframe
    ]
    drawn = [[_trace(each) for each in figure["data"]] for figure in figures(visit)]
    found = [
        each.value.split("[", 1) for each in visit.markdown if re.search(r":(?:red|blue)-badge\[|\*\*", each.value)
    ]
    return {"metrics": metrics(visit), "tables": tables, "figures": drawn, "found": found}


def _trace(trace: dict[str, Any]) -> list[Any]:
    parts = (trace.get(name) for name in ("type", "mode", "x", "y"))
    return [each[:MOST] if isinstance(each, list) else each for each in parts]


@pytest.mark.slow(keep=("median-compare", "default-stream"))
@pytest.mark.parametrize(("name", "page"), [(name, page) for page, name in CASES])
def test_a_page_shows_what_was_approved(page: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "expected_seconds", lambda cells, records: 0.0)  # run in the server, not beside it
    check_approved(APPROVED / f"{page}.json", name, numbers_of(open_page(page, **PAGES[page][name])))
