"""One column of numbers, out of a file, pasted text or an example.

files.py           list_columns, read_column, read_pasted: the doors
delimited.py       CSV and its kin; layout.py: how it is laid out; unpacking.py: the same, compressed
header.py          whether the first row holds names, and which names may be told
blank_lines.py     blank lines that are records, and those that are none
margins.py         titles above a table, totals below it, and its decimal mark
parquet.py         Parquet
excel.py           Excel workbooks; workbooks.py: what must not be opened
streams.py         stream_column, fill: files larger than memory; file_columns.py: which files these are
numbers.py         text cells -> float64: one notation is chosen for the whole column
streamed_cells.py  the same when the whole column is never there
dates.py           the notations of dates and durations
column.py          Column: what every reader returns
examples.py        small public data sets that ship with the project

Nothing is imported here: the examples open without the readers.
"""
