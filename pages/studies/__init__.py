"""What Compare and Trade-off share: a study, its job and its files."""
