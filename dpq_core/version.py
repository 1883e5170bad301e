"""The version that every result carries."""

VERSION = "0.1.0"
