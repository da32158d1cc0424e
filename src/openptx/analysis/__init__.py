"""Analyses that several parts share: data flow over a graph, and liveness of registers."""
