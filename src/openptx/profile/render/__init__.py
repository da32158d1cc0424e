"""A profile as text, JSON, HTML and under Nsight Compute's names."""
