"""Accesses of compiled code as a race detector sees them: hooks in emission, and the shadow memory that they update."""
