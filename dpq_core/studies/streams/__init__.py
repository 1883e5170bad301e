"""Studies of sketches that read a column batch by batch."""
