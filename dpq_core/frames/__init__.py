"""What comes out as a table of cells: data frames, CSV, what a notebook shows, and the names of levels in them."""
