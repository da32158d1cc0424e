"""Which of the errors of one code this is, where a repair depends on it: the `kind` of a diagnostic.

The kind of an error of the parser is what it expected, as its label says.
"""

from __future__ import annotations

STATEMENT = "a statement"
OPERAND = "an operand"
CONSTANT = "a constant"
ELEMENT = "a register or a constant"
TYPE = "a type"

CALL_OF_C = "a call as C writes it"
CUT_OFF = "the file ends in a body or a section"
ANOTHER_HEADER = "a function inside the parameters of another"
OTHER_STATEMENT = "a statement inside the parameters of a function"
NO_HEADER = "parameters without a header"
BLOCK = "the block that is not closed"
FOLLOWING = "what cannot be inside a body"
LOST_BRACE = "where a brace may be missing"

OF_ANOTHER_SPACE = "a variable of a call that is not in `.param`"

DOTTED_NAME = "a name with a dot"
UNDECLARED = "a register that lacks its declaration"
BEYOND_RANGE = "a number beyond those of a range"
DECLARED = "where a name is declared"
VARIABLE = "where a variable in memory is declared"

NO_DEBUG_INFORMATION = "debug without sections"
