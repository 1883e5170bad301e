"""The mechanisms: one room for each published idea, one line for each in MECHANISMS."""
