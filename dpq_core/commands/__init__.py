"""The command line: `python -m dpq_core release`, `ledger`, `study` and `papers`."""

from . import ledger, papers, release, study

__all__ = ["ledger", "papers", "release", "study"]
