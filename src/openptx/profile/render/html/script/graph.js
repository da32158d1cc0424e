// The control-flow graph of a function with counts: drawn in layers, or as a table where it is large.

const MOST_BLOCKS = 60;
const BOX = { width: 190, height: 38, across: 24, down: 46 };

/** The layer of each block: one below the lowest of the blocks before it in the text that lead to it. */
function layers(blocks) {
  const found = blocks.map(() => 0);
  blocks.forEach((block, i) => {
    for (const { to } of block.edges) if (to !== null && to > i) found[to] = Math.max(found[to], found[i] + 1);
  });
  return found;
}

function graph(flow, show) {
  return flow.blocks.length > MOST_BLOCKS ? edgeTable(flow) : drawing(flow, show);
}

const titleOf = (block, i) => block.label ?? `block ${i}`;

function edgeTable({ blocks }) {
  const rows = blocks.flatMap((block, i) => block.edges.map((edge) => ({ block, i, ...edge })));
  return html("div", {}, html("p", { class: "faint" }, `${blocks.length} blocks: as a table`), sortable([
    { title: "from", value: (row) => titleOf(row.block, row.i) },
    { title: "to", value: (row) => (row.to === null ? "end" : titleOf(blocks[row.to], row.to)) },
    { title: "kind", value: (row) => row.kind },
    { title: "threads", value: (row) => row.threads },
    { title: "divergent", value: (row) => row.block.divergent_branches },
  ], rows, "threads"));
}

function drawing({ blocks }, show) {
  const depth = layers(blocks);
  const placed = [];
  const used = [];
  depth.forEach((layer) => placed.push({ layer, column: (used[layer] = (used[layer] ?? -1) + 1) }));
  const columns = Math.max(...used.map((last) => last + 1));
  const margin = 60;
  const place = (i) => ({
    x: margin + (placed[i].column + (columns - used[placed[i].layer] - 1) / 2) * (BOX.width + BOX.across),
    y: 10 + placed[i].layer * (BOX.height + BOX.down),
  });
  const most = Math.max(...blocks.map((block) => block.warps), 1);
  const busiest = Math.max(...blocks.flatMap((block) => block.edges.map((edge) => edge.threads)), 1);
  const right = margin + columns * (BOX.width + BOX.across);
  const width = right + 30 + 12 * blocks.length;
  const height = 20 + (Math.max(...depth) + 1) * (BOX.height + BOX.down);
  let detours = 0;
  const edges = blocks.flatMap((block, i) => block.edges.map((edge, n) => {
    const from = place(i);
    const start = { x: from.x + BOX.width * (n + 1) / (block.edges.length + 1), y: from.y + BOX.height };
    const end = edge.to === null ? { x: start.x, y: start.y + 22 } : { x: place(edge.to).x + BOX.width / 2, y: place(edge.to).y };
    const straight = edge.to === null || depth[edge.to] === depth[i] + 1;
    return arrow(edge, start, end, straight ? null : right + 12 * detours++, edge.to !== null && edge.to <= i, edge.threads / busiest);
  }));
  const boxes = blocks.map((block, i) => {
    const { x, y } = place(i);
    const facts = `${plural(block.stop - block.start, "instruction")}, ${plural(block.warps, "warp")}`;
    return svg("a", { tabindex: 0, role: "button", onclick: () => show(block), onkeydown: (e) => e.key === "Enter" && show(block) },
      svg("rect", { x, y, width: BOX.width, height: BOX.height, rx: 5, class: "block" }),
      svg("rect", { x, y, width: BOX.width, height: BOX.height, rx: 5, class: "block-heat", "fill-opacity": 0.55 * block.warps / most }),
      svg("text", { x: x + 8, y: y + 15 }, shorter(titleOf(block, i))), svg("text", { x: x + 8, y: y + 30, class: "faint" }, facts));
  });
  return html("div", { class: "graph" }, svg("svg", { width, height, role: "group", "aria-label": "control-flow graph" }, edges, boxes));
}

const shorter = (text) => (text.length > 28 ? `${text.slice(0, 27)}…` : text);

/** An edge with the number of its threads. One that skips layers goes along `detour`, on the right. */
function arrow(edge, start, end, detour, back, share) {
  const kind = edge.threads ? (back ? "edge back" : "edge") : "edge never";
  const path = detour === null
    ? `M${start.x},${start.y} C${start.x},${start.y + 24} ${end.x},${end.y - 24} ${end.x},${end.y}`
    : `M${start.x},${start.y} q0,12 12,12 H${detour - 8} Q${detour},${start.y + 12} ${detour},${start.y + (back ? 4 : 20)} ` +
      `V${end.y - (back ? 6 : 22)} Q${detour},${end.y - 14} ${detour - 8},${end.y - 14} H${end.x + 8} Q${end.x},${end.y - 14} ${end.x},${end.y}`;
  const tip = svg("path", { d: `M${end.x - 4},${end.y - 6} h8 l-4,6 z`, class: "tip" });
  return svg("g", {}, svg("title", {}, `${edge.kind}: ${plural(edge.threads, "thread")}`),
    svg("path", { d: path, class: kind, "stroke-width": 1 + 3 * share }), tip,
    svg("text", { x: start.x + 5, y: start.y + 11, class: "faint" }, edge.to === null ? `${grouped(edge.threads)} end` : grouped(edge.threads)));
}
