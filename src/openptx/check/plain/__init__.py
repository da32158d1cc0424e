"""The fast way through a function: one lookup a statement. It may only accept; whatever it doesn't is read precisely.

`walk` reads a body in rows (`syntax.rows`), `texts` knows what each operand is, `blocks` what ends at a `}`. Statements
that are no rows are read one by one in `singly`, calls in `calling`, registers that may be read before they are written
are followed along the paths in `paths`, barriers in `meeting`. `memory` is what functions of one file have in common.
"""
