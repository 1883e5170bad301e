"""Columns read in batches, from one file or many, that need not fit into memory."""
