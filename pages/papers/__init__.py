"""The Papers page: a figure, its verdict, and recomputing it at reduced size."""
