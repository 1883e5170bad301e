"""The version that every result carries."""

VERSION = "2.0.0"
