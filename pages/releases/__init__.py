"""The page Releases: what a data set has spent, every release of it, and a report for each."""
