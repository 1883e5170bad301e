"""JointExp: all quantiles in one draw of the exponential mechanism."""
