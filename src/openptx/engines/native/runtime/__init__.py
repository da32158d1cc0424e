"""Launches: memory for workers, the loop over CTAs, upcalls, faults."""
