"""One column of numbers, out of a file, pasted text or an example.

files.py     list_columns, read_column, read_pasted: the doors, and the CSV reader behind them
tables.py    Parquet and Excel
numbers.py   text cells -> float64: one notation is chosen for the whole column
dates.py     the notations of dates and durations
column.py    Column: what every reader returns
examples.py  small public data sets that ship with the project

Nothing is imported here: the examples open without the readers.
"""
