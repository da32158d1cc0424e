"""Operands by kind: what a rule may know of one without its text, and what one place of a form takes."""
