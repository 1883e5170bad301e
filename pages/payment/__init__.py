"""What pays for a release: its account, what the release costs, and what fits the account or was charged to it."""
