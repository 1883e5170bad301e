"""The controls: each function draws widgets, says at once what is wrong beside them, and returns a value or None."""
