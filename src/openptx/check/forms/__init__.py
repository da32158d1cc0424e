"""Selects the form of an instruction and finds the problems with its operands; memoised by opcode and operand kinds."""
