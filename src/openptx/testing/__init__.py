"""Runs tests that are files: case folders with inputs and expected outputs, and annotated PTX. `openptx test` and the
pytest plugin (`pytest -p openptx.testing.plugin`) are two ways to the same runner.
"""
