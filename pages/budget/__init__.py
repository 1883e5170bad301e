"""The budget of a data set: which account pays, what is left, and what was spent."""
