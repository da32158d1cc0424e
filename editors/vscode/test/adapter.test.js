// VS Code's own test client (@vscode/debugadapter-testsupport) drives `openptx debug --dap`.
const assert = require("node:assert");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { after, afterEach, beforeEach, test } = require("node:test");
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const PYTHON = process.env.OPENPTX_PYTHON || "python3";
const KERNEL = `.version 8.0
.target sm_80
.address_size 64
.func (.reg .u32 d) twice(.reg .u32 a) {
    add.u32 d, a, a;
    ret;
}
.visible .entry reduce(.param .u64 out) {
    .shared .align 4 .u32 tile[32];
    .reg .b64 p; .reg .u32 i, v, s;
    ld.param.u64 p, [out];
    mov.u32 i, %tid.x;
    call (v), twice, (i);
    mov.u32 s, tile;
    mad.lo.u32 s, i, 4, s;
    st.shared.u32 [s], v;
    bar.sync 0;
    mad.wide.u32 p, i, 4, p;
    st.global.u32 [p], v;
    ret;
}
`;
const line = (text) => KERNEL.slice(0, KERNEL.indexOf(text)).split("\n").length;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "openptx-"));
const program = path.join(folder, "reduce.ptx");
fs.writeFileSync(program, KERNEL);
const adapter = path.join(folder, "adapter.py"); // the client starts a program with one argument
fs.writeFileSync(adapter, 'import sys\nfrom openptx.cli import main\nsys.exit(main(["debug", "--dap"]))\n');
const launch = { program, grid: 1, block: 32, args: ["zeros:u32:32"], stopOnEntry: true };

let client;
beforeEach(() => {
  client = new DebugClient(PYTHON, adapter, "openptx");
  client.defaultTimeout = 60000;
  return client.start();
});
afterEach(() => client.stop());
after(() => fs.rmSync(folder, { recursive: true }));

const ask = async (command, args) => (await client.customRequest(command, args)).body;
const top = async (threadId) => (await client.stackTraceRequest({ threadId })).body.stackFrames[0];
// Does a request, and waits for the stop that it leads to.
const stopped = async (request, args) => {
  const stop = client.waitForEvent("stopped");
  await client.customRequest(request, args);
  return (await stop).body;
};
const begin = async (more = {}) => {
  const stop = client.waitForEvent("stopped");
  await Promise.all([client.configurationSequence(), client.launch({ ...launch, ...more })]);
  return (await stop).body;
};

test("says what it can do", async () => {
  const { body } = await client.initializeRequest();
  for (const name of ["StepBack", "DataBreakpoints", "SetVariable", "SetExpression", "DisassembleRequest"]) {
    assert.ok(body[`supports${name}`], name);
  }
});

test("the helper of its authors for a breakpoint", () =>
  client.hitBreakpoint({ ...launch, stopOnEntry: false }, { path: program, line: line("st.shared") }));

test("steps forward and back through calls", async () => {
  assert.strictEqual((await begin()).reason, "entry");
  for (const text of ["mov.u32 i", "call (v)", "add.u32 d"]) {
    await stopped("stepIn", { threadId: 1 });
    assert.strictEqual((await top(1)).line, line(text));
  }
  assert.strictEqual((await top(1)).name, "twice");
  await stopped("stepOut", { threadId: 1 });
  assert.strictEqual((await top(1)).line, line("mov.u32 s"));
  await stopped("stepBack", { threadId: 1 });
  assert.strictEqual((await top(1)).name, "twice");
});

test("lanes are threads with values of their own, which can be changed", async () => {
  await begin();
  await client.setBreakpointsRequest({ source: { path: program }, breakpoints: [{ line: line("st.shared") }] });
  await stopped("continue", { threadId: 1 });
  assert.strictEqual((await client.threadsRequest()).body.threads.length, 32);
  const frameId = (await top(7)).id;
  const { scopes } = (await client.scopesRequest({ frameId })).body;
  const { variablesReference } = scopes.find((scope) => scope.name === "Registers");
  const { variables } = (await client.variablesRequest({ variablesReference })).body;
  assert.strictEqual(variables.find((variable) => variable.name === "v").value, "12");
  await client.setVariableRequest({ variablesReference, name: "v", value: "100" });
  await ask("setExpression", { expression: "tile[0]", value: "3", frameId });
  assert.strictEqual((await client.evaluateRequest({ expression: "v + tile[0]", frameId })).body.result, "103");
});

test("a change of data stops", async () => {
  await begin();
  const frameId = (await top(1)).id;
  const { dataId } = (await client.dataBreakpointInfoRequest({ name: "tile[2]", frameId })).body;
  await client.setDataBreakpointsRequest({ breakpoints: [{ dataId, accessType: "write" }] });
  const stop = await stopped("continue", { threadId: 1 });
  assert.strictEqual(stop.reason, "data breakpoint");
  assert.match(stop.description, /tile\[2\]: 0 -> 4/);
});

test("code by address", async () => {
  await begin();
  const memoryReference = (await top(1)).instructionPointerReference;
  const { instructions } = (await client.disassembleRequest({ memoryReference, instructionCount: 3 })).body;
  assert.deepStrictEqual(
    instructions.map((one) => one.instruction),
    ["ld.param.u64 p, [out];", "mov.u32 i, %tid.x;", "call (v), twice, (i);"],
  );
});

test("a fault is an exception", async () => {
  await begin({ args: ["zeros:u32:16"] });
  assert.strictEqual((await stopped("continue", { threadId: 1 })).reason, "exception");
  const { exceptionId } = (await client.exceptionInfoRequest({ threadId: 17 })).body;
  assert.match(exceptionId, /out-of-bounds/);
});

test("what is wrong with a request is said", async () => {
  await assert.rejects(client.launch({ ...launch, program: path.join(folder, "none.ptx") }), /No such file/);
});
