"""The language server for editors of PTX files (docs/editors.md).

`server.py` implements the protocol; every other module answers one kind of request about a `Document` by means of the
front end: the checker, the resolved bodies, `explain`, `fmt`.
"""
