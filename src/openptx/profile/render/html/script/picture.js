// Draws one request: which sectors, or which banks of shared memory, its lanes touch.

const BYTE = 4; // pixels of a byte of a sector
const ROW = 128; // bytes of four sectors, or of one word in each bank
const HEIGHT = 15;

const lanesOf = (example) => example.offsets.flatMap((offset, lane) => (offset === null ? [] : [{ lane, offset }]));
const cell = (x, y, width, kind, label, title) => [
  svg("rect", { x, y, width, height: HEIGHT - 1, class: kind }, svg("title", {}, title)),
  width >= 14 ? svg("text", { x: x + width / 2, y: y + HEIGHT - 4, "text-anchor": "middle" }, label) : null,
];

function picture(memory) {
  const { example } = memory;
  const draw = memory.space === "shared" ? banks : sectors;
  const unit = memory.space === "shared" ? "wavefront" : "sector";
  const text = `${nameOf(memory)} of ${memory.width} bits: one request that takes ${plural(example.taken, unit)}, ` +
    `${grouped(example.ideal)} would do`;
  return html("div", { class: "picture" }, html("h3", { class: grade(example.ideal / example.taken) }, text), draw(memory));
}

/** The pieces of memory that lanes access: of local memory the words of 32 lanes lie side by side. */
function pieces({ space, example }) {
  const { size } = example;
  if (space !== "local") return lanesOf(example).map(({ lane, offset }) => ({ lane, start: offset, size }));
  const words = Math.max(size, 4) / 4;
  return lanesOf(example).flatMap(({ lane, offset }) => Array.from({ length: words }, (_, i) =>
    ({ lane, start: 4 * (32 * (Math.floor(offset / 4) + i) + lane), size: Math.min(size, 4) })));
}

/** Rows of 128 bytes with an access: sectors that are moved, and in them what lanes access. */
function sectors(memory) {
  const parts = pieces(memory);
  const touched = new Set(parts.map(({ start }) => Math.floor(start / 32)));
  const rows = [...new Set([...touched].map((sector) => Math.floor(sector / 4)))].sort((a, b) => a - b);
  const left = 96;
  const found = [svg("text", { x: 0, y: 10, class: "faint" }, "byte"), ...[0, 1, 2, 3].map((i) =>
    svg("text", { x: left + 32 * i * BYTE + 4, y: 10, class: "faint" }, `sector ${i}`))];
  const top = 16;
  rows.forEach((row, at) => {
    const y = top + at * HEIGHT;
    found.push(svg("text", { x: 0, y: y + HEIGHT - 4, class: "faint" }, `+${grouped(row * ROW)}`));
    for (let i = 0; i < 4; i++) {
      const moved = touched.has(4 * row + i);
      found.push(svg("rect", { x: left + 32 * i * BYTE, y, width: 32 * BYTE - 2, height: HEIGHT - 1, class: moved ? "unused" : "sector" }));
    }
  });
  const lanesAt = Map.groupBy(parts, ({ start }) => start);
  for (const [start, lanes] of lanesAt) {
    const y = top + rows.indexOf(Math.floor(start / ROW)) * HEIGHT;
    const names = lanes.map(({ lane }) => lane);
    const label = names.length > 1 ? `${names[0]}+` : String(names[0]);
    found.push(...cell(left + (start % ROW) * BYTE, y, lanes[0].size * BYTE, "used", label, `lanes ${names.join(", ")}`));
  }
  return svg("svg", { width: left + ROW * BYTE, height: top + rows.length * HEIGHT, role: "img", "aria-label": "sectors that the lanes touch" }, found);
}

/** A column for each bank; what stands above the first row has to wait. */
function banks(memory) {
  const { example } = memory;
  const lanes = lanesOf(example);
  const atomic = memory.op === "red" || memory.op === "atom";
  const groups = example.size <= 4 ? [lanes] : [...Map.groupBy(lanes, ({ lane }) => Math.floor((lane * example.size) / ROW)).values()];
  return html("div", {}, groups.map((group) => bankColumns(group, example.size, atomic)));
}

function bankColumns(lanes, size, atomic) {
  const width = 20;
  const columns = Array.from({ length: 32 }, () => new Map()); // lanes by the word, or by the lane of an atomic
  for (const { lane, offset } of lanes) {
    for (let word = Math.floor(offset / 4); 4 * word < offset + size; word++) {
      const column = columns[word % 32];
      const key = atomic ? `${word} ${lane}` : word;
      column.set(key, [...(column.get(key) ?? []), lane]);
    }
  }
  const deepest = Math.max(...columns.map((column) => column.size), 1);
  const top = 14;
  const found = columns.flatMap((column, bank) => {
    const x = bank * width;
    const empty = column.size ? [] : [svg("rect", { x, y: top, width: width - 1, height: HEIGHT - 1, class: "bank" })];
    const cells = [...column.values()].flatMap((names, depth) =>
      cell(x, top + depth * HEIGHT, width - 1, depth ? "conflict" : "used", names.length > 1 ? `${names[0]}+` : String(names[0]), `bank ${bank}: lanes ${names.join(", ")}`));
    return [svg("text", { x: x + width / 2, y: 10, "text-anchor": "middle", class: "faint" }, String(bank)), ...empty, ...cells];
  });
  const label = `banks that the lanes touch; ${plural(deepest, "word")} in the fullest`;
  return svg("svg", { width: 32 * width, height: top + deepest * HEIGHT + 4, role: "img", "aria-label": label }, found);
}
