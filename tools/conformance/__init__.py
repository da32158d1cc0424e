"""Suites of other projects, run from a checkout that the user has: nothing of theirs is in this repository."""
