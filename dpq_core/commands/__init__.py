"""The command line: `dpq release`, `report`, `study`, `papers`, `ledger` and `app`, each with examples in its help."""
