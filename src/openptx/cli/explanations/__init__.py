"""The explanations of `openptx explain`, a module for each subject. Each returns text, or None for an unknown word."""
