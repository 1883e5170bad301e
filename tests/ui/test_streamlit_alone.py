"""What Streamlit alone loses is as docs/streamlit.md says. If this fails, pages/server/runs.py may not be needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.documents import ROOT, blocks


@pytest.mark.very_slow
def test_streamlit_alone_loses_what_the_page_about_it_shows() -> None:
    script = ROOT / "docs" / "static" / "streamlit_runs.py"
    shown = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, timeout=120).stdout
    assert shown.splitlines()[1:] == blocks("docs/streamlit.md", "text")[0].splitlines()
