"""The version that every result carries."""

VERSION = "1.1.0"
