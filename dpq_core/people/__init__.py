"""People: which rows of a table belong to one person, and what a mechanism reads of each person's rows."""
