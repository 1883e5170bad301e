"""What the server has done before its first visitor: all that a page needs is loaded, and collections pass it over."""

import asyncio
import gc
import json
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

from pages.server import work

ROOT = Path(__file__).parents[2]
OPEN_A_PAGE = """
import asyncio, gc, json, sys
from streamlit.testing.v1 import AppTest
import app

async def start():
    async with app.app._user_lifespan(app.app):
        return gc.get_freeze_count()

frozen = asyncio.run(start())
loaded = set(sys.modules)
page = AppTest.from_file("pages/explore/page.py", default_timeout=60).run()
assert not page.exception and page.metric
heavy = ("dpq_core", "pandas", "scipy", "dp_accounting", "sqlalchemy")
found = sorted(name for name in set(sys.modules) - loaded if name.partition(".")[0] in heavy)
print(json.dumps({"frozen": frozen, "found": found}))
"""
MANY = 100_000
"""Objects: what Streamlit, pandas, plotly and the accountant consist of."""


@pytest.mark.slow
def test_the_first_visitor_loads_nothing_and_collections_pass_over_what_was_loaded(tmp_path: Path) -> None:
    file = tmp_path / "open_a_page.py"
    file.write_text(OPEN_A_PAGE.replace("pages/explore/page.py", str(ROOT / "pages/explore/page.py")))
    run = subprocess.run(
        [sys.executable, str(file)], cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )
    said = json.loads(run.stdout.splitlines()[-1])
    assert said["frozen"] > MANY
    assert said["found"] == []


class Ring:
    """Something that holds itself."""

    def __init__(self) -> None:
        self.own = self


def test_what_holds_itself_goes_within_seconds_though_no_run_looks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "GARBAGE_SECONDS", 0.01)

    async def leave_a_ring() -> bool:
        looking = asyncio.create_task(work.collect_garbage())
        ring = weakref.ref(Ring())
        gc.collect(0)  # it grows older, as what a run leaves does
        for _ in range(200):
            if ring() is None:
                break
            await asyncio.sleep(0.01)
        looking.cancel()
        return ring() is None

    gc.disable()
    try:
        assert asyncio.run(leave_a_ring())
    finally:
        gc.enable()
