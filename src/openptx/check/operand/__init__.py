"""Kinds of operands, and which of them a place in a form takes."""
