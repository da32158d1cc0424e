"""Hypothesis strategies for PTX modules: text that the grammar allows, with whitespace and comments in odd places."""

from __future__ import annotations

from hypothesis import strategies as st

BLANK = st.sampled_from([" ", "  ", "\t", "\n", " /* c */ ", " // c\n", "\r\n"])
NAME = st.from_regex(r"(?:[a-zA-Z][a-zA-Z0-9_$]{0,6}|[_%$][a-zA-Z0-9_$]{1,6})", fullmatch=True).filter(
    lambda name: name not in ("WARP_SZ", "generic")
)
INTEGER = st.one_of(
    st.integers(0, 2**64 - 1).map(str), st.integers(0, 2**32).map(hex), st.integers(0, 9).map(lambda n: f"{n}U")
)
FLOAT = st.one_of(
    st.integers(0, 2**32 - 1).map(lambda n: f"0f{n:08X}"),
    st.integers(0, 2**64 - 1).map(lambda n: f"0d{n:016x}"),
    st.sampled_from(["1.0", "2.5e-3", ".5", "1e5"]),
)
EXPRESSION = st.recursive(
    INTEGER,
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "<<", ">>", "&", "|", "<", "=="]), inner),
        st.builds("{}{}".format, st.sampled_from("+-!~"), inner),
        st.builds("({} ? {} : {})".format, inner, inner, inner),
        st.builds("(.{}) {}".format, st.sampled_from(["s64", "u64"]), inner),
    ),
    max_leaves=4,
)
SIMPLE = st.one_of(NAME, NAME.map(lambda name: f"{name}.x"), EXPRESSION, FLOAT, st.just("_"))
PLACE = st.one_of(
    NAME, st.builds("{} + {}".format, NAME, EXPRESSION), st.builds("{}+-{}".format, NAME, INTEGER), EXPRESSION
)
VECTOR = st.lists(SIMPLE, min_size=1, max_size=4).map(lambda parts: "{" + ", ".join(parts) + "}")
OPERAND = st.one_of(
    SIMPLE,
    VECTOR,
    PLACE.map("[{}]".format),
    st.builds("[{}, {}]".format, NAME, VECTOR),
    st.builds("{}[{}]".format, NAME, PLACE),
    st.builds("{}|{}".format, NAME, NAME),
    NAME.map("!{}".format),
    NAME.map("-{}".format),
)
OPCODE = st.sampled_from(
    ["add.s32", "ret", "mma.sync.aligned.m16n8k16.row.col", "cp.async.bulk.shared::cluster", "tex .2d"]
)
GUARD = st.one_of(st.just(""), NAME.map("@{} ".format), NAME.map("@!{} ".format))


@st.composite
def instruction(draw: st.DrawFn) -> str:
    operands = (draw(BLANK) + "," + draw(BLANK)).join(draw(st.lists(OPERAND, max_size=4)))
    return draw(GUARD) + draw(OPCODE) + draw(BLANK) + operands + draw(st.sampled_from(["", " "])) + ";"


TYPE = st.sampled_from([".b32", ".u64", ".f32", ".pred", ".v4 .f32", ".align 8 .b8"])
DECLARED = st.one_of(
    NAME, st.builds("{}<{}>".format, NAME, st.integers(0, 99)), st.builds("{}[{}]".format, NAME, INTEGER)
)
DECLARATION = st.builds(
    ".{} {} {};".format,
    st.sampled_from(["reg", "local", "shared", "param"]),
    TYPE,
    st.lists(DECLARED, min_size=1, max_size=3).map(", ".join),
)
STATEMENT = st.recursive(
    st.one_of(instruction(), DECLARATION, NAME.map("{}:".format), st.sampled_from(['.pragma "p";', ".loc 1 2 3\n"])),
    lambda inner: st.lists(inner, max_size=3).map(lambda body: "{ " + " ".join(body) + " }"),
    max_leaves=6,
)
PARAMETER = st.builds(".param {} {}".format, st.sampled_from([".u64", ".align 4 .b8", ".u64 .ptr .global"]), NAME)


def functions(kind: str, directives: list[str]) -> st.SearchStrategy[str]:
    return st.builds(
        "{}.{} {}({}){}\n{{\n{}\n}}\n".format,
        st.sampled_from(["", ".visible ", ".weak "]),
        st.just(kind),
        NAME,
        st.lists(PARAMETER, max_size=3).map(", ".join),
        st.sampled_from(["", *directives]),
        st.lists(STATEMENT, max_size=8).map("\n".join),
    )


ITEM = st.one_of(
    functions("entry", ['\n.pragma "x";']),
    functions("func", ["\n.noreturn"]),
    st.builds(".global .u32 {}[3] = {{ {}, {} }};\n".format, NAME, EXPRESSION, NAME),
    st.builds(".extern .func {};\n".format, NAME),
    st.sampled_from(['.file 1 "a.cu"\n', "// a comment\n", ".section .debug_str { .b8 1, 2 }\n", '#line 3 "k.cu"\n']),
)
MODULE = st.lists(ITEM, max_size=5).map(
    lambda items: ".version 8.7\n.target sm_90a\n.address_size 64\n" + "".join(items)
)
