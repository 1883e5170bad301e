"""The Stream page: a sketch that grows while a column is read batch by batch."""
