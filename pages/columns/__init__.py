"""Several columns of one table under one budget: what the page Quantiles draws where they are chosen.

The page Stream asks for a table on a cluster with the same controls, and shows its answers in the same way.
"""
