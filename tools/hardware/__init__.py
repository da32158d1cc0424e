"""Comparison with a real GPU: the driver, launches in a separate process, and tests that run on both."""
