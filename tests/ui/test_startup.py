"""What the server has done before its first visitor: all that a page needs is loaded, and collections pass it over."""

import asyncio
import gc
import json
import re
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

from dpq_core.__main__ import main
from dpq_core.mode import SETTINGS, refuse_wrong_settings, releases_only
from pages.payment import ledger
from pages.server import signin, work
from pages.server.door import front_door

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


WRONG_SETTINGS = [
    ("DPQ_MODE", "realese"), ("DPQ_UPLOADS_MB", "1.5GB"), ("DPQ_STREAM_PUBLIC", "true"), ("DPQ_CURATORS", "ada"),
    ("DPQ_CURATORS", "a@x.org;b@x.org"), ("DPQ_CURATORS", "a@x.org b"), ("DPQ_STREAM_DIR", "/no/such/folder"),
    ("DPQ_CURATOR", "a@x.org"), ("DPQ_LEDGER_KEYS", "a secret"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "said"), WRONG_SETTINGS)
def test_a_server_with_a_setting_that_is_wrong_says_which_and_does_not_start(
    name: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would explore what it was to keep, or take every visitor for a curator."""
    monkeypatch.setenv(name, said)
    with pytest.raises(SystemExit) as ended:
        front_door()
    assert f"`{name}`" in str(ended.value)
    assert "secret" not in str(ended.value)
    assert main(["ledger", "show"]) == 2
    assert f"`{name}`" in capsys.readouterr().err


def test_settings_that_are_right_start_it_and_all_that_is_read_is_known(tmp_path: Path) -> None:
    usual = {"DPQ_MODE": " Release ", "DPQ_UPLOADS_MB": "1500", "DPQ_CURATORS": "a@x.org, b@y.org,", "DPQ_WALK": "3 4"}
    refuse_wrong_settings(usual | {"DPQ_STREAM_DIR": str(tmp_path), "DPQ_STREAM_PUBLIC": "no", "DPQ_LEDGER_URL": ""})
    assert releases_only(usual)
    code = [file.read_text() for folder in ("dpq_core", "pages") for file in (ROOT / folder).rglob("*.py")]
    assert set(re.findall(r'"(DPQ_[A-Z_]+)"', "".join(code))) == set(SETTINGS)


def test_a_server_that_cannot_release_says_why_in_its_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    def said(**environment: str) -> str:
        caplog.clear()
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        ledger.log_if_closed()
        return " ".join(record.getMessage() for record in caplog.records)

    assert not said(DPQ_LEDGER_URL=f"{tmp_path}/a/ledger.sqlite"), "a laptop opens its ledger at its first release"
    assert not said(DPQ_MODE="release")
    (tmp_path / "file").touch()
    assert "The ledger cannot be reached" in said(DPQ_LEDGER_URL=f"{tmp_path}/file/ledger.sqlite")
    assert "ledger key is too short" in said(DPQ_LEDGER_KEY="short")
    assert signin.NOT_SET_UP in said(DPQ_CURATORS="ada@example.org")
