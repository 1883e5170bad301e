"""The Trade-off page: error over a swept setting."""
