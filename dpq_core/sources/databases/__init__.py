"""One column of a database."""
