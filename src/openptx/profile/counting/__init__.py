"""Counts what a launch executes, on the reference engine and in machine code."""
