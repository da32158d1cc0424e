// Summaries by instruction class and memory, and every counter as a table.

/** What is executed, by section of the manual, against the bytes that memory moves for it. */
function classTable({ classes, counters }) {
  const every = sum(classes, (each) => each.warps) || 1;
  const bytes = (space) => sum(ofSpace(counters, space), (m) => (space === "shared" ? m.bytes : 32 * m.sectors));
  const [global, shared] = [bytes("global"), bytes("shared")];
  const per = (each, amount) => (amount ? each.active_threads / amount : 0);
  return section("Instruction classes",
    html("p", { class: "faint" }, `Global memory moves ${grouped(global)} bytes in sectors, lanes ask shared memory for ${grouped(shared)}. ` +
      "Operations of lanes for each of these bytes tell which of the two a class of instructions waits for: few operations a byte are bound by memory."),
    sortable([
      { title: "class", value: (each) => each.class },
      { title: "share", kind: "share", value: (each) => each.warps / every, show: (each) => [percent(each.warps / every), meter(each.warps / every)] },
      { title: "executions by warps", value: (each) => each.warps },
      { title: "active lanes", value: (each) => each.active_threads / each.warps },
      { title: "operations / global byte", value: (each) => per(each, global), show: (each) => per(each, global).toFixed(2) },
      { title: "operations / shared byte", value: (each) => per(each, shared), show: (each) => per(each, shared).toFixed(2) },
    ], classes, "executions by warps"));
}

function memoryTable({ counters }) {
  if (!counters.memory.length) return null;
  return section("Memory", sortable([
    { title: "access", value: nameOf },
    { title: "bits", value: (m) => m.width },
    { title: "requests", value: (m) => m.requests },
    { title: "lanes", value: (m) => m.lanes / m.requests },
    { title: "bytes asked for", value: (m) => m.bytes },
    { title: "sectors or wavefronts", value: taken },
    { title: "ideal", value: ideal },
    { title: "efficiency", kind: "share", value: (m) => Math.min(ideal(m) / taken(m), 1) || 0,
      show: (m) => { const share = Math.min(ideal(m) / taken(m), 1); return [percent(share), meter(share, grade(share))]; } },
    { title: "bank conflicts", value: (m) => m.bank_conflicts ?? 0 },
    { title: "collisions", value: (m) => m.collisions ?? 0 },
  ], counters.memory, "sectors or wavefronts"));
}

const folded = (title, table) => html("details", {}, html("summary", {}, title), table);

const COUNTED = ["cost", "executions by warps", "sectors", "shared wavefronts", "bank conflicts", "divergent branches"];
const counted = (of) => COUNTED.map((name) => ({ title: name, value: (each) => Math.round(HEATS[name](of(each))) }));

function allTables(profile, show) {
  const { lines, instructions, totals, operand_costs: costs, occupancy } = profile;
  const go = (file, line) => html("button", { onclick: () => show(file, line) }, String(line));
  const clocks = (each) => `${each.more ? "> " : ""}${each.clocks}`;
  return section("All counters",
    folded(`Lines (${grouped(lines.length)})`, sortable([
      { title: "line", value: (line) => line.line, show: (line) => go(line.filename, line.line) },
      ...counted((line) => line.counters),
      { title: "lanes", value: (line) => line.counters.mean_active_lanes },
      { title: "text", value: (line) => line.text ?? "", kind: "code" },
    ], lines, "cost")),
    folded(`Instructions (${grouped(instructions.length)})`, sortable([
      { title: "PTX line", value: (each) => each.location.row },
      ...counted((each) => each.counters),
      { title: "registers live", value: (each) => each.registers_live },
      { title: "class", value: (each) => each.class },
      { title: "text", value: (each) => each.text, kind: "code" },
    ], instructions, "cost")),
    folded("Operand costs by Table 19 of the manual", sortable([
      { title: "operands in", value: (each) => each.space },
      { title: "reads by warps", value: (each) => each.reads },
      { title: "clocks of each", value: (each) => each.clocks, show: clocks },
      { title: "clocks, if none overlapped", value: (each) => each.reads * each.clocks, show: (each) => `${each.more ? "> " : ""}${grouped(each.reads * each.clocks)}` },
      { title: "note", value: (each) => each.note ?? "" },
    ], costs)),
    folded("Occupancy limits", sortable([
      { title: "limit", value: ([name]) => name.replaceAll("_", " ") },
      { title: "number", value: ([, number]) => number ?? "unknown" },
    ], Object.entries(occupancy))),
    folded("Counters by the names of Nsight Compute", sortable([
      { title: "counter", value: ([name]) => name, kind: "code" },
      { title: "value", value: ([, value]) => value },
    ], Object.entries(totals))));
}
