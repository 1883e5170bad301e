"""The public grid of all answers: even steps between two bounds, or all numbers of K significant digits."""
