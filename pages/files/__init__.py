"""Files of visitors: uploading, reading, and the questions about them."""
