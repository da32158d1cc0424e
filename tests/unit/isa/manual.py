"""Reads tests/data/manual.json: the manual's syntax blocks, and the facts that tests compare."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openptx.isa.notation import Instruction

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = Path(__file__).resolve().parents[2] / "data"


@cache
def facts(part: str) -> Any:
    """A part of the file, which tools/extract_manual.py describes."""
    return json.loads((DATA / "manual.json").read_text())[part]


_COLLECTORS = ", ".join(f".collector::a::{use}" for use in ("fill", "use", "lastuse", "discard"))
_BUFFERS = ", ".join(f".collector::b{i}::{use}" for i in range(4) for use in ("fill", "use", "lastuse", "discard"))

# Misprints of the manual, what its notation leaves to prose, and operands that are no templates.
_MENDED = (
    (r"fma\.rnd\.oob\.\{relu\}\.type", "fma.rnd.oob{.relu}.f16"),
    (r"cvt\.rn\.\{\.relu\}", "cvt.rn{.relu}"),
    (r"\{\.abs\.\}", "{.abs}"),
    (r"\}\. vec_16_bit", "}.vec_16_bit"),
    (r"\.m8n84\b", ".m8n8k4"),
    (r"\*+", ""),
    (r", ,", ","),
    (r"\{kind::f8f6f4\}", "{.kind::f8f6f4}"),
    (r"\{ const, \.global", "{ .const, .global"),
    (r"(f8x2type\.fp16x2) ", r"\1type "),
    (r"\.\{(1d|a1d)", r".{.\1"),
    (r"\{ (disable-output-lane) \}", r"\1"),
    (r"\{ \.collector::buffer::op \}(?=[^=]*=\s*\{ ::a \})", f"{{ {_COLLECTORS} }}"),
    (r"\{ \.collector::buffer::op \}", f"{{ {_BUFFERS} }}"),
    (r"::(?:buffer|op)\s*= \{[^}]*\}", ""),
    (r"(cp\.reduce\.async\.bulk\.tensor.*\n.*\{) ?,cache", r"\1, cache"),
    (r"get_first_ctaid\{::dimension\}", "get_first_ctaid::{x, y, z}"),
    (r"::dimension = \{[^}]*\};", ""),
    (r"fence_qualifiers\b(?! *=)", "tensormap::generic.release.scope"),
    (r"\.fence_qualifiers = .*", ""),
    (r"\.to_proxy::from_proxy *=.*", ""),
    (r"(avar|var|sh) ?\+ ?imm", "a"),
    (r"\], 16\{", "], cp-size{"),
    (r"cp-size = .*", ""),
    (r"\.ctype = (\{ \.u32.*\}; *// for sured\.b)", r".btypes = \1"),
    (r"sured\.b\.op\.geom\.ctype", "sured.b.op.geom.btypes"),
    (r" *\.[ab]sel defaults.*", ""),
    (r" *defaults to .*", ""),
    (r"\.asel *= \.bsel *= (?:\{ \.hxy.*|\.bxyzw.*)", ".asel = .bsel = { .b0 };"),
    (r"\.mask  = \{[^}]*\};?.*", ".mask = { .b0 };"),
    (r"FP8 floating point type", ""),
    (r"\{ instructionList \}", ""),
    (r"@\{!\}p +instruction;", ""),
)
_DEFINITION = re.compile(r"(?:\.|::)?[\w:]+\s*=\s*(?:\{|\.)")
_FORM = re.compile(r"(?:@\{?!?\}?p\s+)?([a-z]\w*)")


def blocks(page: str) -> Iterator[Instruction]:
    """The syntax of a page, as one instruction for each mnemonic of each of its syntax blocks."""
    for text in facts("syntax").get(page, ()):
        for misprint, meant in _MENDED:
            text = re.sub(misprint, meant, text)
        operation = re.search(r"\bvop[24]? *= \{ (\w+).*", text)
        if operation:
            text = re.sub(r"\bvop[24]?\b", operation[1], text.replace(operation[0], ""))
        statements = list(_statements(text))
        mnemonics = dict.fromkeys(m[1] for s in statements if not _DEFINITION.match(s) and (m := _FORM.match(s)))
        for mnemonic in mnemonics:
            own = [s for s in statements if _DEFINITION.match(s) or ((m := _FORM.match(s)) and m[1] == mnemonic)]
            yield Instruction(mnemonic, anchor="", summary="", syntax="\n".join(own))


def _statements(text: str) -> Iterator[str]:
    """Forms and definitions, each with its semicolon, which the manual forgets here and there."""
    pending = ""
    for line in text.splitlines():
        bare = re.sub(r"//.*", "", line).strip()
        if not bare or bare.endswith(":") or set(bare) == {"-"}:
            continue
        starts = _DEFINITION.match(bare) or (_FORM.match(bare) and re.match(r"[a-z]\w*[.{][\w.:{}\-]+ +\S", bare))
        if pending and starts:
            yield pending.rstrip("; ") + ";"
            pending = ""
        pending = f"{pending} {bare}".strip()
        defined = _DEFINITION.match(pending) and "{" in pending and pending.count("{") == pending.count("}")
        if pending.endswith(";") or defined:
            yield pending.rstrip(";") + ";"
            pending = ""
    if pending:
        yield pending + ";"
