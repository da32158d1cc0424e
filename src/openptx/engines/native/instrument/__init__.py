"""Instrumented machine code: hooks of emission that observers of executions fill in (watch/, count/)."""
