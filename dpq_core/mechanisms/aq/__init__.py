"""ApproximateQuantiles: answer the middle quantile, split the data there, and go on in both halves."""
