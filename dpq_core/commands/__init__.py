"""The command line: `dpq release`, `report`, `study`, `papers`, `ledger` and `app`, each with examples in its help."""

from . import app, ledger, release, report, study
from .data import flags_that_decide
from .texts import joined

__all__ = ["app", "flags_that_decide", "joined", "ledger", "release", "report", "study"]
