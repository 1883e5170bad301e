"""The command line: `python -m dpq_core release`, `ledger`, `study` and `papers`."""

from . import ledger, release

__all__ = ["ledger", "release"]
