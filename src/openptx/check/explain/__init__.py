"""What to say about an instruction that has no form, or an operand of a wrong type; only imported for bad files."""
