"""The page Explore: private quantiles of public data, live, beside the truth."""
