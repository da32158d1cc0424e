"""The language server: what an editor asks of a PTX file while somebody types (docs/editors.md).

`server.py` speaks the protocol; every other module is a question about a `Document`, answered with the front end's own
parts: the checker, the resolved bodies, `explain`, `fmt`.
"""
