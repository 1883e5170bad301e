"""A release in five numbered steps: their cards, what each still needs, the forecast and the confirmation."""
