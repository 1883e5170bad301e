"""The Compare page: a leaderboard of mechanisms."""
