"""The Stream page: a column that is read batch by batch, or a table that a cluster reads."""
