"""Control flow (9.7.12)."""

from __future__ import annotations

from openptx.isa.notation import instruction

bra = instruction(
    "bra",
    anchor="control-flow-instructions-bra",
    summary="Branches to a label.",
    syntax="""
        bra{.uni}   tgt;   // PTX 1.0
    """,
    control="branch",
)

brx_idx = instruction(
    "brx.idx",
    anchor="control-flow-instructions-brx-idx",
    summary="Branches to the label with this index in a list.",
    syntax="""
        brx.idx{.uni}   index, tlist;   // PTX 6.0, sm_30
    """,
    types={"index": "u32"},
    control="branch-table",
    operands="*   no function",
)

call = instruction(
    "call",
    anchor="control-flow-instructions-call",
    summary="Calls a function, by name or by address.",
    syntax="""
        call{.uni}   (ret-param), func, (param-list);           // PTX 1.0
        call{.uni}   (ret-param), func;                         // PTX 1.0
        call{.uni}   func, (param-list);                        // PTX 1.0
        call{.uni}   func;                                      // PTX 1.0
        call{.uni}   (ret-param), fptr, (param-list), flist;    // PTX 2.1, sm_20
        call{.uni}   (ret-param), fptr, flist;                  // PTX 2.1, sm_20
        call{.uni}   fptr, (param-list), flist;                 // PTX 2.1, sm_20
        call{.uni}   fptr, flist;                               // PTX 2.1, sm_20
        call{.uni}   (ret-param), fptr, (param-list), fproto;   // PTX 2.1, sm_20
        call{.uni}   (ret-param), fptr, fproto;                 // PTX 2.1, sm_20
        call{.uni}   fptr, (param-list), fproto;                // PTX 2.1, sm_20
        call{.uni}   fptr, fproto;                              // PTX 2.1, sm_20
    """,
    types={"fptr": "u64"},
    control="call",
    operands="""
        *      no function
        fptr   an address, registers
    """,
)

ret = instruction(
    "ret",
    anchor="control-flow-instructions-ret",
    summary="Returns from a function; in a kernel it ends the thread.",
    syntax="""
        ret{.uni};   // PTX 1.0
    """,
    control="return",
)

exit_ = instruction(
    "exit",
    anchor="control-flow-instructions-exit",
    summary="Ends the thread.",
    syntax="""
        exit;   // PTX 1.0
    """,
    control="exit",
)
