"""The command line: `dpq release`, `study`, `papers`, `ledger` and `app`, each with examples in its help."""

from . import app, ledger, papers, release, study
from .texts import joined

__all__ = ["app", "joined", "ledger", "papers", "release", "study"]
