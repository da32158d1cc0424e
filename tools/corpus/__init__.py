"""The corpus of PTX."""
