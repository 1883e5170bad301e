"""Columns of the files of statistics programs: spss.py and stata.py say what numbers are, variables.py reads them."""
