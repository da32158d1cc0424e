"""Matrix products of whole fragments as compiled routines, which both engines call; start with routine.py."""
