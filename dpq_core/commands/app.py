"""The command `dpq app`: the dashboard, from a checkout or from an installed package."""

from __future__ import annotations

import argparse
import os
import sys
from importlib.util import find_spec
from pathlib import Path

from ..errors import ParameterError

FOLDERS = (Path(__file__).parents[1] / "dashboard", Path(__file__).parents[2])
"""The place of app.py: in an installed package, which has a copy of the files around it, or in a checkout."""
LAST_PORT = 65_535
NOT_INSTALLED = "The dashboard is not installed: pip install 'dpq-core[app]'."


def run(chosen: argparse.Namespace) -> None:
    """Become the dashboard's server. Raises ValueError where it is not installed, ParameterError for no port."""
    if chosen.port is not None and not 1 <= chosen.port <= LAST_PORT:
        raise ParameterError("--port", f"must be a number from 1 to {LAST_PORT}, got {chosen.port}.")
    if find_spec("streamlit") is None or find_spec("plotly") is None:
        raise ValueError(NOT_INSTALLED)
    script = next(folder / "app.py" for folder in FOLDERS if (folder / "app.py").is_file())
    more = [] if chosen.port is None else ["--server.port", str(chosen.port)]
    more += ["--server.headless", "true"] if chosen.no_browser else []
    # -P: a file app.py in the folder where this was typed is not this one
    os.execv(sys.executable, [sys.executable, "-P", "-m", "streamlit", "run", str(script), *more])
