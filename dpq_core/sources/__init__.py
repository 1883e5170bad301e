"""One column of numbers, out of a file, a database, pasted text or an example.

files.py     find_layout, read_rows, read_column, stream_column: what others call, for one file or many
pasted.py    read_pasted: values typed or pasted
databases.py Database: a table or a query
frames.py    read_frame: columns of a data frame, by their types, and their digest
rows.py      rows_of, ColumnStream: numbers, persons and groups of the cells of any table, in one pass
formats/     the list of formats, and CellTable: what the reader of each offers
text/        CSV and its kin: how it is laid out, blank lines that are records, and the same compressed
excel/       workbooks of Excel and OpenDocument, their formulas, and what must not be opened
parquet.py   Parquet
survey/      SPSS and Stata
header.py    whether the first row holds names, and which names may be shown
margins.py   titles above a table, totals below it, its decimal mark, and tables of spaces
reading.py   Reading: how cells are written, as a person says it; forms.py has it in words, in JSON and in Python
notation.py  one notation for a whole column of text, however it comes in batches
numbers.py   fields of text -> float64 in each notation
dates.py     the notations of dates and durations
column.py    NumberColumn: what every reader returns
examples.py  small public data sets that ship with the project

Nothing is imported here: the examples open without the readers.
"""
