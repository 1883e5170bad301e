"""Tables: named columns with their possible values, in groups or not, of persons or not, read from any data frame."""
