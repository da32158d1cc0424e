"""Kinds of operands, and which of them an operand place of a form accepts."""
