"""The specification of each figure: its axes, its setting, the paper's claim, its computation and its judge."""
