"""Several columns of a table, whole or in groups, in one request: what is asked, what to expect, and on a cluster."""
