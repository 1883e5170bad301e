"""The package as it is handed on: one wheel with the dashboard inside, the same bytes each time, and it starts."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen
from zipfile import ZipFile

import pytest

from tests.browser.driving import free_port, wait_until_healthy
from tests.leash import leashed

ROOT = Path(__file__).parents[1]
CORE = ROOT / "dpq_core"
MOST_STORED = 150_000
"""Bytes of the papers' results in the wheel."""
PAGE = """\
import dpq_core, sys
from pathlib import Path
from streamlit.testing.v1 import AppTest
here = Path(dpq_core.__file__).parent
assert here.is_relative_to(sys.argv[1]), here
page = AppTest.from_file(str(here / "dashboard/app.py"), default_timeout=60).run()
assert not page.exception, page.exception
print(page.title[0].value)
"""

pytest.importorskip("hatchling", reason="it builds the wheel")


def build(folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel installed and nothing else: what it needs is found where the tests find it."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile"]
    subprocess.run([*pip, "--target", str(folder), str(wheel)], check=True, capture_output=True)
    return folder


@pytest.mark.slow
def test_two_builds_are_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    assert build(tmp_path).read_bytes() == wheel.read_bytes()


def test_everything_beside_the_code_is_packaged_and_small(wheel: Path) -> None:
    with ZipFile(wheel) as packed:
        sizes = {each.filename: each.compress_size for each in packed.infolist()}
    beside = {str(f.relative_to(ROOT)) for f in CORE.rglob("*") if f.is_file() and f.suffix != ".pyc"}
    pages = {
        f"dpq_core/dashboard/{f.relative_to(ROOT)}"
        for f in (ROOT / "pages").rglob("*")
        if f.is_file() and f.suffix != ".pyc"
    }
    assert (beside | pages) - sizes.keys() == set()
    assert [name for name in sizes if "__pycache__" in name or name.startswith("tests")] == []
    assert sum(size for name, size in sizes.items() if "/papers/stored/" in name) < MOST_STORED


@pytest.mark.slow
def test_an_installed_dashboard_starts_with_its_examples(installed: Path, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(installed)}
    command = [sys.executable, "-c", PAGE, str(installed)]
    shown = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    port, log = free_port(), tmp_path / "log"
    command = [str(installed / "bin" / "dpq"), "app", "--no-browser", "--port", str(port)]
    with (
        log.open("wb") as sink,
        subprocess.Popen(leashed(command), cwd=tmp_path, env=environment, stdout=sink, stderr=sink) as server,
    ):
        try:
            wait_until_healthy(f"http://127.0.0.1:{port}/_stcore/health", server, log)
            with urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
                assert answer.headers["X-Frame-Options"] == "DENY", "the front door stands before it"
            assert "127.0.0.1" in log.read_text(), "the settings beside app.py hold: this machine only"
            assert "Network URL" not in log.read_text()
        finally:
            server.terminate()
