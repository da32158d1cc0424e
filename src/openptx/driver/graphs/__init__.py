"""CUDA graphs: nodes, edges, instantiation, launches, updates."""
