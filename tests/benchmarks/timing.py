"""Time of a piece of work in this process, for the printed tables."""

import time

import numpy as np


def median_seconds(work, rounds=7):
    """The median CPU time of a few runs."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return float(np.median(times))
