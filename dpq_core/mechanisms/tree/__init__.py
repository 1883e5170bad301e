"""AggTree: noisy counts in a tree of ranges, and all quantiles read off them."""
