"""What is before and around the pages: the front door, uploads, sessions, sign-in."""
