"""Machine code that counts what it executes and what it asks of memory, for profiles."""
