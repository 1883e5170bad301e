"""One column of numbers, out of a file, pasted text or an example.

files.py     list_columns, read_column, read_pasted: the doors
text/        CSV and its kin: how it is laid out, blank lines that are records, and the same compressed
excel/       Excel workbooks, and what must not be opened
parquet.py   Parquet
streams/     stream_column, fill: files larger than memory, their notation, and which files these are
header.py    whether the first row holds names, and which names may be told
margins.py   titles above a table, totals below it, and its decimal mark
numbers.py   fields of text -> float64: one notation is chosen for the whole column
dates.py     the notations of dates and durations
column.py    Column: what every reader returns
examples.py  small public data sets that ship with the project

Nothing is imported here: the examples open without the readers.
"""

__all__ = ["column", "examples", "files", "header"]
