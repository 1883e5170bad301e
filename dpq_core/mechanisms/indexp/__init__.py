"""IndExp: every quantile by an exponential mechanism of its own."""
