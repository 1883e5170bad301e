"""Quantiles of a column without known bounds: find bounds with a share of the budget, then draw between them.

A release has two steps and one guarantee. The first step is a private walk outwards from 0 for each bound (`walk`). The
second step runs the plan on the domain that was found, with the rest of the budget. Composition allows a second step
that depends on the output of the first: `counting` adds up both, and docs/how-we-know.md has the argument. In the same
way, a noisy number of records is drawn before the intervals that depend on it (`counting`).
"""
