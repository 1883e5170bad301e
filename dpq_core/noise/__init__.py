"""Draw everything that is random in the package; generators are made nowhere else.

One interface, `Entropy`, has two samplers. `ExactEntropy` makes releases: it compares whole random bits of the
operating system with exact numbers. Draws of few levels with a free total compare them with float64 weights, exactly;
rounding of these is part of their guarantee (`joint.rates.LOSS_OF_ROUNDING`). `FastEntropy` is a seeded numpy
generator, vectorised over trials. It is repeatable, and therefore never makes a release.
"""
