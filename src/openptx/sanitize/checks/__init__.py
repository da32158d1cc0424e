"""Checks that need neither the order of accesses nor undefined bits: barriers, bounds, lifetimes, waits, leaks."""
