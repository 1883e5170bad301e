"""What all pages share: heading, links, places and style of the screen, what a session keeps, messages."""
