"""Explains PTX in words, for `openptx explain` and for editors: a module a subject. Each returns text, or None for a
word that it does not know."""
