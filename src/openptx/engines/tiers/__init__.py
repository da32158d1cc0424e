"""Tiers: a launch starts on the reference engine while a server makes the code that takes it over."""
