"""Forms that the assembler takes though the manual has none such (ptxas 13.5); only the profile `ptxas` asks for them."""

from __future__ import annotations

from openptx.isa.notation import Instruction
from openptx.isa.notation import resolve as manual

TYPE_CHECKING = False  # what `typing` calls so; importing it would cost a tenth of a start
if TYPE_CHECKING:
    from openptx.isa.forms import Form, Modifiers


def _instruction(
    name: str, summary: str, syntax: str, vectors: dict[str, str] | None = None, relaxed: bool = False
) -> Instruction:
    found = Instruction(name, "precedent", anchor="", summary=summary, syntax=syntax)
    found.vectors = vectors or {}
    found.relaxed = relaxed
    found.defaults = {"space": "generic"} if relaxed else {}
    return found


_FORMS: tuple[Instruction, ...] = (
    _instruction(
        "mov",
        "d = a, element by element.",
        """
        mov.vec.type   d, a;   // PTX 1.0
        .vec  = { .v2, .v4 };
        .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
        """,
        {"d": "vec", "a": "vec"},
    ),
    _instruction(
        "fma",
        "d = a * b + c in bf16, rounded otherwise than to nearest.",
        """
        fma.rnd{.relu}.bf16     d, a, b, c;   // PTX 7.0, sm_80
        fma.rnd{.relu}.bf16x2   d, a, b, c;   // PTX 7.0, sm_80
        .rnd = { .rz, .rm, .rp };
        """,
    ),
    _instruction(
        "ld",
        "d = eight small elements of memory; the code generator crashes on registers of their size.",
        """
        ld{.weak}{.space}{.cop}.vec.type   d, [a];   // PTX 1.0
        .space = { .const, .global, .local, .param{::entry, ::func}, .shared{::cta, ::cluster} };
        .cop   = { .ca, .cg, .cs, .lu, .cv };
        .vec   = { .v8 };
        .type  = { .b8, .u8, .s8, .b16, .u16, .s16 };
        """,
        {"d": "vec"},
        relaxed=True,
    ),
    _instruction(
        "st",
        "Memory = eight small elements.",
        """
        st{.weak}{.space}{.cop}.vec.type   [a], b;   // PTX 1.0
        .space = { .global, .local, .param{::func}, .shared{::cta, ::cluster} };
        .cop   = { .wb, .cg, .cs, .wt };
        .vec   = { .v8 };
        .type  = { .b8, .u8, .s8, .b16, .u16, .s16 };
        """,
        {"b": "vec"},
        relaxed=True,
    ),
    _instruction(
        "rcp",
        "d = 1 / a; there is nothing that .ftz could flush.",
        """
        rcp.rnd.ftz.f64   d, a;   // PTX 1.4, sm_13
        .rnd = { .rn, .rz, .rm, .rp };
        """,
    ),
    _instruction(
        "addc",
        "d = a + b + CC.CF in 16 bits, though `add.cc` has none.",
        """
        addc.type   d, a, b;   // PTX 1.2
        .type = { .u16, .s16 };
        """,
    ),
)
"""What the manual does not have, by instruction."""

_RESOLVED: dict[str, tuple[tuple[Form, Modifiers], ...]] = {}


def resolve(opcode: str) -> tuple[tuple[Form, Modifiers], ...]:
    """The forms beyond the manual that an opcode may be; remembered."""
    known = _RESOLVED.get(opcode)
    if known is None:
        mnemonic, *modifiers = opcode.split(".")
        if modifiers.count("sat") == 2:  # the one modifier that may stand twice
            return manual(opcode.replace(".sat", "", 1))
        known = _RESOLVED[opcode] = tuple(
            (form, m)
            for each in _FORMS
            if each.name == mnemonic
            for form in each.forms
            if (m := form.match(tuple(modifiers))) is not None
        )
    return known
