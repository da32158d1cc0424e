"""The reference engine: registers are NumPy arrays over the lanes of a batch of CTAs, one lane a thread."""
