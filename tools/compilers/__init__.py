"""The PTX compilers that run without a GPU, each as a function from source text to PTX text."""
