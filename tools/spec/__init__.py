"""Scalar models of instructions, transcribed from the manual in Python integers, independent of any machine."""
