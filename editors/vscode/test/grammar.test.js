// VS Code's own engine (vscode-textmate with vscode-oniguruma) colours PTX with the grammar.
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const { loadWASM, OnigScanner, OnigString } = require("vscode-oniguruma");
const { INITIAL, parseRawGrammar, Registry } = require("vscode-textmate");

const file = path.join(__dirname, "..", "syntaxes", "ptx.tmLanguage.json");
const registry = new Registry({
  onigLib: loadWASM(fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer).then(() => ({
    createOnigScanner: (patterns) => new OnigScanner(patterns),
    createOnigString: (text) => new OnigString(text),
  })),
  loadGrammar: async () => parseRawGrammar(fs.readFileSync(file, "utf8"), file),
});

// The innermost scope of each piece of text that has one beside the file's.
const coloured = async (text) => {
  const grammar = await registry.loadGrammar("source.ptx");
  let stack = INITIAL;
  const found = [];
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    for (const { startIndex, endIndex, scopes } of tokens.filter(({ scopes }) => scopes.length > 1)) {
      found.push([line.slice(startIndex, endIndex), scopes.at(-1).replace(/\.ptx$/, "")]);
    }
  }
  return found;
};

for (const [text, ...wanted] of [
  ["// add.s32", ["// add.s32", "comment.line.double-slash"]],
  ["/* a\nb */ ret;",
    ["/*", "comment.block"], [" a", "comment.block"], ["b ", "comment.block"], ["*/", "comment.block"],
    ["ret", "keyword.control"]],
  [
    ".visible .entry scale(.param .u64 p)",
    [".visible", "storage.modifier"],
    [".entry", "storage.type.function"],
    ["scale", "entity.name.function"],
    [".param", "storage.modifier"],
    [".u64", "storage.type"],
  ],
  [
    "@!%p1 bra DONE;",
    ["@!", "keyword.control"],
    ["%p1", "variable.parameter"],
    ["bra", "keyword.control"],
  ],
  [
    "fma.rn.f32 %f1, %f2, 0f3F800000, 1.5;",
    ["fma", "keyword.operator.word"],
    [".rn.f32", "support.type"],
    ["%f1", "variable.other"],
    ["%f2", "variable.other"],
    ["0f3F800000", "constant.numeric.float"],
    ["1.5", "constant.numeric.float"],
  ],
  ["L1: mov.u32 %r1, %tid.x;", ["L1", "entity.name.label"], ["mov", "keyword.operator.word"], [".u32", "support.type"],
    ["%r1", "variable.other"], ["%tid.x", "variable.language"]],
  ['.file 1 "a // b.cu"', [".file", "keyword.other.directive"], ["1", "constant.numeric.integer"],
    ['"a // b.cu"', "string.quoted.double"]],
]) {
  test(text, async () => assert.deepStrictEqual(await coloured(text), wanted));
}
