"""Explains a mnemonic that no instruction has: misspelt, a word of another language or assembler, or a label."""

from __future__ import annotations

from openptx.check.foreign_spellings import ADVICE, CALLS, MNEMONICS, MODIFIERS, WHOLE, format_call
from openptx.check.problems import INSTRUCTION_SET, Problem, rewrite
from openptx.check.spelling import nearest
from openptx.diagnostics import Fix
from openptx.isa.notation import load, resolve
from openptx.patterns import pattern
from openptx.syntax.tree import Instruction as Statement

_FOREIGN = (
    ("SPIR-V", pattern(r"Op[A-Z]\w+")),
    ("AMD's GPUs", pattern(r"[vs]_[a-z]\w+|(?:global|flat|buffer|ds|scratch)_[a-z]\w+")),
    ("LLVM IR", pattern(r"getelementptr|alloca|[ai]cmp|[zs]ext|fptrunc|fpext|bitcast|inttoptr|ptrtoint|phi")),
    (
        "SASS, a GPU's machine code",
        pattern(
            r"[FDH](?:ADD|MUL|FMA)2?|FFMA|I(?:ADD3?|MAD|MNMX)|[FDI]SETP|MUFU|LD[GSCL]|ST[GSL]|C?S2R|LOP3|SHF|[HIQ]MMA|U?MOV"
        ),
    ),
)
"""The mnemonics of other languages."""


def unknown_instruction(mnemonic: str, opcode: str) -> Problem:
    """The problem of an opcode whose mnemonic no instruction has."""
    whole, written = WHOLE.get(mnemonic), CALLS.get(mnemonic)
    fixed = guess = None
    if whole or written:
        help = f"write `{whole}`" if whole else f"the PTX equivalent is {format_call(written or '')}"
    elif (help := ADVICE.get(mnemonic.lower())) is None:
        fixed, guess = _meant(mnemonic, opcode)
        help = f"did you mean `{fixed or guess}`?" if fixed or guess else None
    language = next((name for name, form in _FOREIGN if form.fullmatch(mnemonic)), None)
    if mnemonic.lower() in load():
        language = None
    if language is not None and help is None:
        help = f"`{mnemonic}` is an instruction of {language}; PTX has none of that name"
    return Problem(
        "unknown-instruction", f"there is no instruction `{mnemonic}`",
        label="unknown" if language is None else f"of {language}",
        expected=fixed, rule=INSTRUCTION_SET,
        help=help, repair=rewrite(fixed) if fixed else None if help or "." in opcode else _labelled,
    )  # fmt: skip


def _meant(mnemonic: str, opcode: str) -> tuple[str | None, str | None]:
    """The opcode that was probably meant, if it is one, and its mnemonic."""
    known, plain = load(), mnemonic.lower()
    if (joined := _joined(opcode)) is not None:
        return joined, None
    guess = plain if plain in known else MNEMONICS.get(plain) or nearest(mnemonic, known)
    fixed = f"{guess}{opcode[len(mnemonic) :]}" if guess else None
    if fixed is not None and plain in known:
        fixed = fixed.lower()
    return fixed if fixed is not None and resolve(fixed) else None, guess


def _joined(opcode: str) -> str | None:
    """The opcode whose parts are joined by something else than dots: `mov_u32`, and `v_add_f32` of AMD's GPUs."""
    if "_" not in opcode:
        return None
    words = [word for word in opcode.lower().replace("_", ".").split(".") if word]
    words = words[1:] if words[:1] in (["v"], ["s"]) else words
    if not words:
        return None
    parts = MNEMONICS.get(words[0], words[0]), *(MODIFIERS.get(word, word) for word in words[1:])
    fixed = ".".join(parts)
    return fixed if len(parts) > 1 and resolve(fixed) else None


def _labelled(statement: Statement) -> Fix | None:
    """A label without its colon: an instruction name follows it."""
    end = statement.opcode_span[1]
    if not statement.operands and not statement.file.text.endswith(";", *statement.span):
        return Fix((end, end), ":", "make it a label")
    if not statement.operands or statement.operands[0].text not in load():
        return None
    return Fix((end, end), ":", "make it a label")
