"""Messages and fixes for opcodes without a form and operands of wrong types; only imported for files with errors."""
