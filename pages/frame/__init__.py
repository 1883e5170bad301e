"""What all pages share: heading, pieces of results, links, messages."""
