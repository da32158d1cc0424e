"""Tiers: a launch starts on the reference engine while another process compiles the code that takes it over."""
