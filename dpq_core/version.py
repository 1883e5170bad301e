"""The version that every result carries."""

VERSION = "1.0.0"
