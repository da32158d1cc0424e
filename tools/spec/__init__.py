"""Scalar models of instructions, transcribed from the manual in Python integers: nothing of a machine is in them."""
