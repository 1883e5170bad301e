"""Draw everything that is random in the package; generators are made nowhere else.

One interface has two samplers:

- `ExactEntropy`: uniform integers from the operating system's entropy, and noise made from them by integer arithmetic.
  It makes releases. Mechanisms compare its integers with integer weights. JointExp, also with a free total, compares
  them with float64 weights, exactly (`joint.sampling`, `freetotal.sampling`, `freetotal.few`), and rounding of these is
  part of its guarantee (`joint.recursion.LOSS_OF_ROUNDING`).

- `FastEntropy`: a seeded numpy generator, vectorised over trials. Repeatable, and therefore never a release.
"""
