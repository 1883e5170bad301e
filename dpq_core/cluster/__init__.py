"""Run studies and read columns and tables on a Dask cluster; the optional extra [cluster]."""

from . import grid
from .files import is_parquet, kinds_of, read_files
from .streams import cluster_steps

__all__ = ["cluster_steps", "grid", "is_parquet", "kinds_of", "read_files"]
