"""The page Release: private quantiles of own data in five numbered steps, and nothing exact on the screen."""
