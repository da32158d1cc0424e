// What limits a launch, drawn: operations for each byte under the roofs of the memories (Williams, Waterman and Patterson,
// 2009), and how much of each resource the launch takes.
//
// A multiprocessor issues four instructions of a warp in a cycle, and its memories take a sector or a wavefront: so a
// roof's ridge is at 4 * 32 operations for 32 or 128 bytes. Nothing here is a time.

const ISSUES = 4;
const WARP_LANES = 32;
const ROOFS = [
  { name: "global memory", space: "global", bytes: 32, unit: "sectors", line: "roof global" },
  { name: "shared memory", space: "shared", bytes: 128, unit: "wavefronts", line: "roof shared" },
  { name: "local memory", space: "local", bytes: 32, unit: "sectors", line: "roof local" },
];
const CHART = { left: 60, right: 620, top: 16, bottom: 250 };
const LEAST_SHARE = 1 / 256;

/** The memories that the launch uses: what they move, what would do, and where their roofs have their ridges. */
function roofs({ counters }) {
  return ROOFS.map((roof) => {
    const memory = ofSpace(counters, roof.space);
    return { ...roof, moved: sum(memory, taken), needed: sum(memory, ideal), ridge: (ISSUES * WARP_LANES) / roof.bytes };
  }).filter((roof) => roof.moved);
}

function limits(profile) {
  if (!profile.counters.warps) return null;
  const used = roofs(profile);
  const bars = limitBars(profile, used);
  if (!used.length) return section("What limits it", bars);
  return section("What limits it", html("div", { class: "limits" }, roofline(profile, used), bars));
}

/** Operations of lanes for each byte, of the launch and of its classes of instructions, under the roofs. */
function roofline({ classes }, used) {
  const all = sum(classes, (each) => each.active_threads);
  const points = used.map((roof) => ({ roof, x: all / (roof.bytes * roof.moved), best: all / (roof.bytes * Math.max(roof.needed, 1)) }));
  const main = points[0].roof;
  const dots = classes.slice(0, 8).map((each) => ({ ...each, x: each.active_threads / (main.bytes * main.moved) })).filter((each) => each.x);
  const xs = [...points.flatMap((point) => [point.x, point.best]), ...dots.map((dot) => dot.x), 1, ...used.map((roof) => roof.ridge)];
  const [low, high] = [Math.floor(Math.log2(Math.min(...xs))) - 1, Math.ceil(Math.log2(Math.max(...xs))) + 1];
  const x = (value) => CHART.left + ((Math.log2(value) - low) / (high - low)) * (CHART.right - CHART.left);
  const y = (share) => CHART.top + (Math.log2(Math.max(share, LEAST_SHARE)) / Math.log2(LEAST_SHARE)) * (CHART.bottom - CHART.top);
  const under = (value, roof) => Math.min(value / roof.ridge, 1);
  return html("figure", {},
    svg("svg", { width: 640, height: 300, role: "img", "aria-label": "roofline: operations for each byte" },
      axes(low, high, x, y),
      used.map((roof) => roofLine(roof, low, high, x, y)),
      classDots(dots, main, (dot) => ({ x: x(dot.x), y: y(under(dot.x, main)) })),
      points.map((point) => pointOf(point, x, y, under))),
    html("figcaption", { class: "faint" },
      "Filled: operations of lanes for each byte that the memory's sectors or wavefronts could carry. Hollow: if each access took what would do. " +
      `Small dots: classes of instructions, by bytes of ${main.name}. On a slope the memory limits the launch, on the flat roof its instructions do.`));
}

/** Classes on the slope of a roof, from the most to the least frequent; named where there is room. */
function classDots(dots, roof, place) {
  const named = [];
  return dots.map((dot) => {
    const at = place(dot);
    const fits = at.y > CHART.top + 24 && named.every((other) => Math.abs(other - at.y) >= 10);
    if (fits) named.push(at.y);
    return svg("g", { class: "class" }, svg("title", {}, `${dot.class}: ${grouped(round(dot.x))} operations for each byte of ${roof.name}`),
      svg("circle", { cx: at.x, cy: at.y, r: 3 }),
      fits ? svg("text", { x: at.x + 7, y: at.y + 7, class: "faint" }, dot.class) : null);
  });
}

const round = (value) => Math.round(100 * value) / 100;
const powerOf = (exponent) => (exponent < 0 ? `1/${2 ** -exponent}` : String(2 ** exponent));

function axes(low, high, x, y) {
  const step = Math.ceil((high - low) / 10);
  const marks = Array.from({ length: high - low + 1 }, (_, i) => low + i).filter((exponent) => exponent % step === 0);
  return svg("g", {},
    marks.flatMap((exponent) => [
      svg("line", { x1: x(2 ** exponent), x2: x(2 ** exponent), y1: CHART.top, y2: CHART.bottom, class: "grid" }),
      svg("text", { x: x(2 ** exponent), y: CHART.bottom + 15, class: "faint", "text-anchor": "middle" }, powerOf(exponent)),
    ]),
    [1, 1 / 4, 1 / 16, 1 / 64, LEAST_SHARE].flatMap((share) => [
      svg("line", { x1: CHART.left, x2: CHART.right, y1: y(share), y2: y(share), class: "grid" }),
      svg("text", { x: CHART.left - 6, y: y(share) + 3, class: "faint", "text-anchor": "end" }, share === 1 ? "all" : `1/${1 / share}`),
    ]),
    svg("text", { x: (CHART.left + CHART.right) / 2, y: CHART.bottom + 34, class: "faint", "text-anchor": "middle" }, "operations of lanes for each byte"),
    svg("text", { x: 14, y: (CHART.top + CHART.bottom) / 2, class: "faint", "text-anchor": "middle",
      transform: `rotate(-90 14 ${(CHART.top + CHART.bottom) / 2})` }, "of the issue slots, at most"));
}

function roofLine(roof, low, high, x, y) {
  const begin = Math.max(2 ** low, roof.ridge * LEAST_SHARE);
  const d = `M${x(begin)},${y(begin / roof.ridge)} L${x(roof.ridge)},${y(1)} H${x(2 ** high)}`;
  return svg("g", { class: roof.line }, svg("path", { d, fill: "none" }));
}

/** A launch under one roof; an arrow leads to where it would be without waste. */
function pointOf({ roof, x: value, best }, x, y, under) {
  const [from, to] = [{ x: x(value), y: y(under(value, roof)) }, { x: x(best), y: y(under(best, roof)) }];
  const wasted = to.x - from.x > 6;
  const share = under(value, roof);
  const late = from.x > CHART.right - 180;
  return svg("g", { class: roof.line },
    svg("title", {}, `${roof.name}: ${grouped(round(value))} operations for each byte, ${grouped(round(best))} if each access took what would do`),
    wasted ? svg("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y, class: "waste" }) : null,
    wasted ? svg("circle", { cx: to.x, cy: to.y, r: 5, class: "hollow" }) : null,
    svg("circle", { cx: from.x, cy: from.y, r: 6, class: "point" }),
    svg("text", { x: from.x + (late ? 8 : 10), y: from.y + (late ? 18 : 14), "text-anchor": late ? "end" : "start" }, `${roof.name}: ${share < 1 ? `${percent(share)} of the slots` : "does not limit"}`));
}

/** One bar for each resource, in cycles of one multiprocessor if nothing else took any: the longest limits the launch. */
function limitBars({ classes }, used) {
  const issue = classes.map((each) => ({ name: each.class, amount: each.warps / ISSUES }));
  const rows = [
    { name: "instructions", unit: "issue slots of 4 warp instructions", parts: issue.map((part, i) => ({ ...part, kind: `shade${Math.min(i, 5)}` })) },
    ...used.map((roof) => ({ name: roof.name, unit: roof.unit, parts: [
      { name: "would do", amount: Math.min(roof.needed, roof.moved), kind: "used" },
      { name: roof.space === "shared" ? "bank conflicts" : "more than would do", amount: Math.max(roof.moved - roof.needed, 0), kind: "wasted" },
    ] })),
  ];
  const total = (row) => sum(row.parts, (part) => part.amount);
  const most = Math.max(...rows.map(total));
  const longest = rows.find((row) => total(row) === most);
  const width = 520;
  return html("figure", {},
    svg("svg", { width: width + 20, height: 48 * rows.length + 8, role: "img", "aria-label": "what the launch takes of each resource" },
      rows.map((row, i) => bar(row, 48 * i + 8, width, most, row === longest))),
    html("figcaption", { class: "faint" }, `The longest bar is what limits the launch: ${longest.name}. ` +
      "Lengths are cycles of one multiprocessor that did nothing else: 4 instructions of warps, a sector, or a wavefront in each."));
}

function bar(row, top, width, most, longest) {
  let at = 0;
  const scale = (amount) => (width * amount) / most;
  const total = sum(row.parts, (part) => part.amount);
  const cells = row.parts.map((part) => {
    const [start, wide] = [at, scale(part.amount)];
    at += wide;
    const fits = wide > 7 * part.name.length;
    return svg("g", {}, svg("title", {}, `${part.name}: ${grouped(Math.round(part.amount))} ${row.unit}`),
      svg("rect", { x: start, y: top + 14, width: Math.max(wide, 0), height: 20, class: `cell ${part.kind}` }),
      fits ? svg("text", { x: start + 4, y: top + 28 }, part.name) : null);
  });
  return svg("g", {}, svg("text", { x: 0, y: top + 8, class: longest ? "limit" : "faint" }, `${row.name}: ${grouped(Math.round(total))} ${row.unit}`), cells);
}
