"""Runs test suites of other projects from the user's checkouts: none of their files is in this repository."""
