"""DPExpGK: the exponential mechanism on the rank bounds of a Greenwald-Khanna sketch."""
