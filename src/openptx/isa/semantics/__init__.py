"""Semantics shared by the meanings of several instructions."""
