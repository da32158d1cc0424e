"""Which form an instruction has, and what is wrong with its operands; remembered by opcode and kinds of operands."""
