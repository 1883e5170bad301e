"""The Trade-off page: error over a swept setting, or the smallest budget for a wanted error."""
