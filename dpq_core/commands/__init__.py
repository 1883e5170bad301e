"""The command line: `dpq release`, `study`, `papers`, `ledger` and `app`, each with examples in its help."""

from . import app, ledger, papers, release, study
from .data import flags_that_decide
from .texts import joined

__all__ = ["app", "flags_that_decide", "joined", "ledger", "papers", "release", "study"]
