"""Several columns of one table under one budget and one guarantee."""
