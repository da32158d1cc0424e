"""What the corpus of PTX is made of."""
