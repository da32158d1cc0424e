"""Instrumented machine code: emission hooks that observers of executions implement (watch/, count/)."""
