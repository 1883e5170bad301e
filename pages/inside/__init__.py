"""The Inside page: one run, step by step."""
