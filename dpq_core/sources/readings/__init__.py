"""How a column was read, in words, in JSON and in Python."""
