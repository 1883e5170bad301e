"""The lessons of the Learn page: their order, what can be moved in each, and the live figure of each."""
