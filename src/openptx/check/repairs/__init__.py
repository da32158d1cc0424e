"""Fixes that are looked for by trial: edits after which a statement, or the whole file, is correct."""
