"""Files on the server that the Stream page may read: those below one folder, which the operator names.

    DPQ_STREAM_DIR      the folder; without it no file of the server is offered
    DPQ_STREAM_PUBLIC   "yes" where everything below it is public or synthetic, so that the truth may be shown
    DPQ_SCHEDULER       the address of a Dask scheduler whose workers can open these files at the same paths

A visitor picks a name from a list and never sends a path.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from dpq_core.cluster.files import is_parquet
from dpq_core.errors import DataError
from dpq_core.sources.streams.batches import list_sources

FOLDER, PUBLIC, SCHEDULER = "DPQ_STREAM_DIR", "DPQ_STREAM_PUBLIC", "DPQ_SCHEDULER"
MOST_NAMES = 500


def folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder that is offered, with all links followed; None where there is none."""
    named = environment.get(FOLDER, "").strip()
    path = Path(named).resolve()
    return path if named and path.is_dir() else None


def is_public(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the operator says that everything in the folder may be shown to anyone."""
    return environment.get(PUBLIC, "").strip().lower() == "yes"


def scheduler(environment: Mapping[str, str] = os.environ) -> str:
    """Return the address of the cluster; empty where there is none."""
    return environment.get(SCHEDULER, "").strip()


def list_names(root: Path) -> list[str]:
    """List files below the folder, and folders that hold some, by their paths from it; at most 500.

    What a link leads out of the folder is left out, and so is every folder that holds such a link: it would be read
    with the others.
    """
    try:
        found = [Path(str(each)) for each in list_sources(root)]
    except DataError:
        return []
    inside = {path.relative_to(root) for path in found if path.resolve().is_relative_to(root)}
    leaving = {path.relative_to(root) for path in found} - inside
    folders = {parent for path in inside for parent in path.parents} - {Path()}
    unsafe = {parent for path in leaving for parent in path.parents}
    return sorted(path.as_posix() for path in {*inside, *(folders - unsafe)})[:MOST_NAMES]


def is_typed(path: Path) -> bool:
    """Return whether a file, or every file of a folder, is Parquet: what a cluster reads as a table."""
    try:
        found = list_sources(path)
    except DataError:
        return False
    return all(is_parquet(str(each)) for each in found)


def find(root: Path, name: str) -> Path | None:
    """Return the file or folder of a listed name; None for anything else, such as a path that leads elsewhere."""
    return root / name if name in list_names(root) else None
