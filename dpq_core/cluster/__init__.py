"""Run studies and read columns on a Dask cluster; the optional extra [cluster]."""

from . import grid
from .streams import cluster_steps

__all__ = ["cluster_steps", "grid"]
