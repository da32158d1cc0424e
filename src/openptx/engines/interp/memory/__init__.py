"""Loads, stores, atomics and copies of the reference engine, and what it keeps of memory."""
