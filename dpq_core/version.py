"""The version that every result carries."""

VERSION = "0.2.0"
