"""The computation of the points of each paper's figures."""
