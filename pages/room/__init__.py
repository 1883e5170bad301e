"""The page of the menu that holds the field for a room's code."""
