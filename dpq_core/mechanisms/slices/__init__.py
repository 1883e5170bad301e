"""SliceQuantiles: thin slices of the sorted data at noisy ranks, and one value out of each."""
