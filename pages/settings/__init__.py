"""Every setting of every page as plain text, and what a session remembers besides."""
