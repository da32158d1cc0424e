"""Machine code that counts its executions and its memory requests, for profiles."""
