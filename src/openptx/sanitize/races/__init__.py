"""Data races: happens-before as vector clocks, shadow memory, and what orders accesses (PTX ISA, chapter 8)."""
