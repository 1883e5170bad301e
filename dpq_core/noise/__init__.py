"""Draw everything that is random in the package; generators are made nowhere else.

One interface, `Entropy`, has two samplers. `ExactEntropy` makes releases: it compares whole random bits of the
operating system with exact numbers (`noise.exact`). `SeededSampler` is a seeded numpy
generator, vectorised over trials. It is repeatable, and therefore never makes a release.
"""
