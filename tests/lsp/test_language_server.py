"""The language server, as an editor sees it: every test talks to a server of its own with pygls's client."""

from __future__ import annotations

import pytest

pytest.importorskip("pygls")

from editor import URI, Editor, edit, edit_with_command
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from openptx.check import check
from openptx.lsp.completion import MOST
from openptx.source import File

KERNEL = """\
.version 8.0
.target sm_80
.address_size 64
.global .f32 bias;
.func (.reg .f32 out) twice (.reg .f32 in) { add.f32 out, in, in; ret; }
.visible .entry scale(.param .u64 data, .param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .b64 address;
    .reg .f32 x;
    // a comment with add.s32 in it
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p, %r2, %r1;
    @%p bra DONE;
    ld.param.u64 address, [data];
    mad.wide.u32 address, %r2, 4, address;
    ld.global.f32 x, [address];
    { .reg .f32 y; mul.rn.f32 y, x, 0f40490FDB; fma.rn.f32 x, y, 0f3F800000, x; }
    ld.global.f32 x, [bias];
    st.global.f32 [address], x;
DONE:
    ret;
}
"""
WRONG = KERNEL.replace("mov.u32 %r2, %tid.x;", "mov.u32 %r2, %tid.x").replace(
    "st.global.f32 [address]", "st.global.f32 [adress]"
)


def test_the_kernel_of_these_tests_is_right() -> None:
    assert check(File("", KERNEL)) == []


def test_diagnostics_follow_what_is_typed() -> None:
    async def session(editor: Editor) -> list[list[str | int | None]]:
        seen = [[each.code for each in await editor.open(KERNEL)]]
        editor.replace(editor.range("%tid.x"), "%tidy.x")
        found = await editor.diagnostics()
        seen.append([each.code for each in found])
        assert editor.within(found[0].range).startswith("%tid")
        assert found[0].severity == types.DiagnosticSeverity.Error
        place = found[0].range.start
        editor.replace(types.Range(place, types.Position(place.line, place.character + len("%tidy"))), "%tid")
        seen.append([each.code for each in await editor.diagnostics()])
        return seen

    clean, wrong, repaired = edit_with_command(session)
    assert (clean, repaired) == ([], [])
    assert wrong == [each.code for each in check(File("", KERNEL.replace("%tid.x", "%tidy.x")))] != []


def test_only_the_last_of_many_keystrokes_is_checked() -> None:
    async def session(editor: Editor) -> tuple[int, int]:
        await editor.open(KERNEL)
        at = editor.place("    ret;\n}")
        for _ in range(40):
            editor.replace(types.Range(at, at), "x")
        found = await editor.diagnostics()
        return len(found), editor.published.qsize()

    found, left = edit(session)
    assert found >= 1
    assert left == 0


def test_columns_count_utf_16_units() -> None:
    async def session(editor: Editor) -> types.Range:
        await editor.open(KERNEL)
        line = "/* \N{GREEK SMALL LETTER MU} \N{MATHEMATICAL FRAKTUR CAPITAL A} */ mov.u32 %r2, nobody;"
        editor.replace(editor.range("mov.u32 %r2, %tid.x;"), line)
        found = await editor.diagnostics()
        return found[0].range

    at = edit(session)
    before = "    /* \N{GREEK SMALL LETTER MU} \N{MATHEMATICAL FRAKTUR CAPITAL A} */ mov.u32 %r2, "
    assert at.start.character == len(before.encode("utf-16-le")) // 2 == len(before) + 1
    assert at.end.character == at.start.character + len("nobody")


def test_fixes_are_code_actions() -> None:
    async def session(editor: Editor) -> tuple[list[types.CodeAction], str, str]:
        found = await editor.open(WRONG)
        everywhere = types.Range(types.Position(0, 0), types.Position(99, 0))
        asked = types.CodeActionParams(editor.document, everywhere, types.CodeActionContext(found))
        actions = await editor.client.text_document_code_action_async(asked)
        assert actions is not None
        safe = types.CodeActionParams(
            editor.document, everywhere, types.CodeActionContext(found, [types.CodeActionKind.SourceFixAll])
        )
        (whole,) = await editor.client.text_document_code_action_async(safe) or ()
        missing = next(each for each in actions if each.is_preferred)
        return list(actions), *(editor.applied(each.edit.changes[URI]) for each in (missing, whole))

    actions, fixed, all_fixed = edit(session)
    assert {each.kind for each in actions} == {types.CodeActionKind.QuickFix, "source.fixAll.openptx"}
    assert "mov.u32 %r2, %tid.x;" in fixed
    assert all_fixed == fixed  # a nearest name is no safe fix
    nearest = [each for each in actions if each.is_preferred is False]
    assert nearest
    assert all(each.diagnostics for each in nearest)


EXPLAINED = {
    "fma.rn": "results:",  # the whole opcode: its form
    "rn.f32 y": "rounds to nearest",
    "address], x": ".reg .b64 address",
    "%r2, %r1": ".reg .b32 %r<4>",
    "%tid": "the index of the thread in its block",
    "0f40490FDB": "3.1415927",
    "data]": ".param .u64 data",
    "DONE;": "label, declared in line 23",
    "bias]": ".global .f32 bias;",
    "sm_80": "sm_80",
    ".visible": "other modules, and the host, can name the symbol",
    "global .f32 bias": "a variable in global memory",
    "global.f32 x, [a": ".global\nglobal memory\n",
    "ge.u32": "greater or equal",
}


def test_hover_explains() -> None:
    async def session(editor: Editor) -> dict[str, str]:
        await editor.open(KERNEL)
        seen: dict[str, str] = {}
        for word in EXPLAINED:
            asked = types.HoverParams(editor.document, editor.place(word))
            found = await editor.client.text_document_hover_async(asked)
            assert found is not None, word
            assert isinstance(found.contents, types.MarkupContent)
            seen[word] = found.contents.value
        return seen

    for word, text in edit(session).items():
        assert EXPLAINED[word] in text


def test_comments_have_no_hover_and_no_completion() -> None:
    async def session(editor: Editor) -> tuple[object, object]:
        await editor.open(KERNEL)
        at = editor.place("add.s32 in it")
        hover = await editor.client.text_document_hover_async(types.HoverParams(editor.document, at))
        return hover, await editor.client.text_document_completion_async(types.CompletionParams(editor.document, at))

    hover, completion = edit(session)
    assert hover is None
    assert not completion


# fmt: off
OFFERED = [
    # typed         offered                                                       not offered
    ("fm",          {"fma", "mov"},                                               {"%r1", "rn"}),
    ("cvt.",        {"rn", "rzi"},                                                {"v4", "fma"}),
    ("mul.rn.",     {"f32", "f64", "ftz"},                                        {"rz", "lo", "s32"}),
    ("mul.",        {"lo", "hi", "wide", "rn"},                                   set[str]()),
    ("bra ",        {"DONE"},                                                     {"x", "%r1"}),
    ("add.f32 ",    {"x", "%r1", "address", "%tid", "twice", "bias", "data"},     {"y", "out", "fma"}),
    (".re",         {".reg", ".shared"},                                          {"fma"}),
    (".reg .b",     {".b32", ".pred"},                                            {".e4m3"}),
    ("@%p mo",      {"mov"},                                                      {"x"}),
]
# fmt: on


def test_completion_knows_the_place() -> None:
    async def session(editor: Editor) -> list[set[str]]:
        await editor.open(KERNEL)
        at = editor.place("    st.global.f32 [address], x;")
        seen: list[set[str]] = []
        for typed, *_ in OFFERED:
            editor.replace(types.Range(at, at), f"    {typed}\n")
            end = types.Position(at.line, 4 + len(typed))
            found = await editor.client.text_document_completion_async(types.CompletionParams(editor.document, end))
            assert isinstance(found, list)
            seen.append({each.label for each in found})
            editor.replace(types.Range(at, types.Position(at.line + 1, 0)), "")
        return seen

    for (typed, wanted, unwanted), found in zip(OFFERED, edit(session), strict=True):
        assert wanted <= found, typed
        assert not unwanted & found, typed


def test_of_many_names_those_with_the_typed_prefix_are_offered() -> None:
    names = [f"{letter}{number}" for letter in "ab" for number in range(MOST)]
    head = "\n".join([".version 8.0", ".target sm_80", *(f".global .b32 {name};" for name in names)])
    typed = "    mov.b64 %rd, a99"

    async def session(editor: Editor) -> list[tuple[bool, list[str]]]:
        await editor.open(f"{head}\n.entry k() {{\n    .reg .b64 %rd;\n{typed};\n    ret;\n}}\n")
        seen: list[tuple[bool, list[str]]] = []
        for column in (len(typed), len(typed) - 3):
            at = types.Position(editor.place(typed).line, column)
            found = await editor.client.text_document_completion_async(types.CompletionParams(editor.document, at))
            assert isinstance(found, types.CompletionList)
            seen.append((found.is_incomplete, [item.label for item in found.items]))
        return seen

    long, short = edit(session)
    assert long == (False, ["a99", *(f"a99{digit}" for digit in range(10))])
    assert (short[0], len(short[1])) == (True, MOST)


def test_names_lead_to_their_declaration_and_uses() -> None:
    async def session(editor: Editor) -> dict[str, tuple[int, list[int]]]:
        await editor.open(KERNEL)
        seen: dict[str, tuple[int, list[int]]] = {}
        for word, further in (("x, [address]", 0), ("%r2", 1), ("DONE", 0), ("data]", 0), ("bias]", 0), ("in, in", 0)):
            at = editor.place(word, further)
            place = await editor.client.text_document_definition_async(types.DefinitionParams(editor.document, at))
            asked = types.ReferenceParams(types.ReferenceContext(include_declaration=False), editor.document, at)
            used = await editor.client.text_document_references_async(asked) or []
            assert isinstance(place, types.Location)
            seen[word] = place.range.start.line + 1, [each.range.start.line + 1 for each in used]
        return seen

    assert edit(session) == {
        "x, [address]": (11, [19, 20, 20, 20, 21, 22]),
        "%r2": (9, [14, 15, 18]),
        "DONE": (23, [16]),
        "data]": (6, [17]),
        "bias]": (4, [21]),
        "in, in": (5, [5, 5]),
    }


def test_renaming_changes_every_use_and_nothing_else() -> None:
    async def session(editor: Editor) -> list[str]:
        await editor.open(KERNEL)
        texts: list[str] = []
        for word, new in (("x, [address]", "value"), ("bias]", "offset"), ("DONE", "$L_end"), ("in, in", "input")):
            asked = types.RenameParams(editor.document, editor.place(word), new)
            found = await editor.client.text_document_rename_async(asked)
            assert found is not None
            assert found.changes is not None
            texts.append(editor.applied(list(found.changes[URI])))
        return texts

    register, variable, label, parameter = edit(session)
    for text in (register, variable, label, parameter):
        assert check(File("", text)) == []
    assert register.count("value") == 7
    assert variable.count("offset") == 2
    assert label.count("$L_end") == 2
    assert "(.reg .f32 input) { add.f32 out, input, input;" in parameter


REFUSED = [
    ("%r2", "index", "belongs to the range"),
    ("%tid", "index", "predefined"),
    ("x, [", "address", "declared already"),
    ("x, [", "4th", "is not a name"),
    ("x, [", "%tid", "PTX predefines it"),
]


def test_a_name_that_can_not_be_changed_is_refused_with_the_reason() -> None:
    async def session(editor: Editor) -> list[str]:
        await editor.open(KERNEL)
        reasons: list[str] = []
        for word, new, _ in REFUSED:
            asked = types.RenameParams(editor.document, editor.place(word), new)
            with pytest.raises(JsonRpcException) as refused:
                await editor.client.text_document_rename_async(asked)
            reasons.append(str(refused.value))
        return reasons

    for (_, _, why), reason in zip(REFUSED, edit(session), strict=True):
        assert why in reason


def test_outline_folding_format_and_hints() -> None:
    loose = KERNEL.replace("    ret;\n", "ret  ;\n")

    async def session(editor: Editor) -> tuple[list[types.DocumentSymbol], list[types.FoldingRange], str, list[str]]:
        await editor.open(loose)
        ask, whole = editor.client, types.Range(types.Position(0, 0), types.Position(99, 0))
        symbols = await ask.text_document_document_symbol_async(types.DocumentSymbolParams(editor.document))
        folds = await ask.text_document_folding_range_async(types.FoldingRangeParams(editor.document))
        options = types.FormattingOptions(4, insert_spaces=True)
        edits = await ask.text_document_formatting_async(types.DocumentFormattingParams(editor.document, options))
        hints = await ask.text_document_inlay_hint_async(types.InlayHintParams(editor.document, whole))
        labels = [str(each.label) for each in hints or ()]
        return list(symbols or ()), list(folds or ()), editor.applied(list(edits or ())), labels

    symbols, folds, laid_out, hints = edit(session)
    assert [(each.name, each.detail) for each in symbols] == [
        ("bias", ".global .f32"), ("twice", ".func"), ("scale", ".entry")
    ]  # fmt: skip
    assert [each.name for each in symbols[2].children or ()] == ["DONE"]
    assert [(each.start_line + 1, each.end_line + 1) for each in folds] == [(7, 25)]
    assert "    ret;\n" in laid_out
    assert check(File("", laid_out)) == []
    assert hints == ["= 3.1415927", "= 1"]


def test_a_hint_is_the_value_that_the_type_gives() -> None:
    """`0f...` keeps its 32 bits in a double."""
    text = KERNEL.replace("    ret;\n", "    .reg .f64 %d<1>;\n    mov.f64 %d0, 0f3F800000;\n    ret;\n", 1)

    async def session(editor: Editor) -> list[str]:
        await editor.open(text)
        asked = types.InlayHintParams(editor.document, types.Range(types.Position(0, 0), types.Position(99, 0)))
        return [str(each.label) for each in await editor.client.text_document_inlay_hint_async(asked) or ()]

    assert edit(session) == ["= 3.1415927", "= 1", "= 5.263544247e-315"]


def test_a_file_with_mistakes_of_writing_is_not_laid_out() -> None:
    async def session(editor: Editor) -> object:
        await editor.open(WRONG)
        options = types.FormattingOptions(4, insert_spaces=True)
        asked = types.DocumentFormattingParams(editor.document, options)
        return await editor.client.text_document_formatting_async(asked)

    assert edit(session) is None


def test_another_target() -> None:
    async def session(editor: Editor) -> list[types.Diagnostic]:
        return await editor.open(KERNEL.replace(".reg .f32 x;", ".reg .f32 x; .reg .b16 h; mul.rn.bf16 h, h, h;"))

    assert any("sm_90" in each.message for each in edit_with_command(session, "--target", "sm_80"))


BROKEN = ["", "\0", "{", ".entry k(", ".visible .entry k() { add", "// \N{GREEK SMALL LETTER MU}\f\n\v", "@", "x:" * 99]


def test_nothing_that_is_typed_ends_the_server() -> None:
    async def session(editor: Editor) -> int:
        await editor.open("")
        asked = 0
        for text in BROKEN:
            editor.replace(types.Range(types.Position(0, 0), types.Position(9999, 0)), text)
            for column in (0, 1, 2, 500):
                at = types.Position(0, column)
                await editor.client.text_document_hover_async(types.HoverParams(editor.document, at))
                await editor.client.text_document_completion_async(types.CompletionParams(editor.document, at))
                await editor.client.text_document_definition_async(types.DefinitionParams(editor.document, at))
                asked += 3
            await editor.client.text_document_document_symbol_async(types.DocumentSymbolParams(editor.document))
            await editor.client.text_document_folding_range_async(types.FoldingRangeParams(editor.document))
        return asked

    assert edit(session) == 12 * len(BROKEN)


def test_hover_where_the_file_ends_in_an_opcode() -> None:
    async def session(editor: Editor) -> object:
        await editor.open(".version 8.0\n.target sm_80\n.entry k() {\nadd.s3")
        asked = types.HoverParams(editor.document, types.Position(3, 6))
        return await editor.client.text_document_hover_async(asked)

    assert edit(session) is not None
