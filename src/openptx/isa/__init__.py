"""The PTX manual as data: types, instructions in the manual's own notation, and the tables that judge operands."""
