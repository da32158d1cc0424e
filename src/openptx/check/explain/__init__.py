"""Messages and fixes for opcodes without a form and operands of wrong types; imported only for files with errors."""
