"""Studies and columns on a Dask cluster; the optional extra."""

from . import grid
from .streams import cluster_steps

__all__ = ["cluster_steps", "grid"]
