"""Undefined bits: which bits of registers and memory nothing has written, followed through every operation."""
