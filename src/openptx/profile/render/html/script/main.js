// Draws the report from the profile's JSON, and answers keys.

/** The data, which is JSON, gzip, base64. */
async function read(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

const choice = (title, names, change) =>
  html("label", {}, `${title} `, html("select", { onchange: (e) => change(e.target.value) }, names.map((name) => html("option", { value: name }, name))));

/** Source and PTX, which know of each other. `show(file, line)` selects a line, `showBlock` a basic block. */
class CodeView {
  constructor({ profile, ptx, sources }) {
    Object.assign(this, { profile, ptx, sources, heat: HEATS.cost, source: null });
    this.panes = html("div", { class: "panes" });
    this.details = html("div", { class: "details", "aria-live": "polite" });
    const functions = ptx.map((part) => part.function);
    const readable = Object.keys(sources).filter((name) => sources[name]);
    const missing = Object.keys(sources).filter((name) => !sources[name]);
    const note = !Object.keys(sources).length
      ? "The PTX has no line information (compile with -lineinfo): its own lines are shown."
      : missing.length ? `Not readable here: ${missing.join(", ")}.` : null;
    this.openPtx(functions[0]);
    this.openSource(readable[0] ?? null);
    this.element = section("Source and PTX",
      html("div", { class: "toolbar" },
        choice("Colour by", Object.keys(HEATS), (name) => this.colour(HEATS[name])),
        functions.length > 1 ? choice("Function", functions, (name) => this.openPtx(name)) : null,
        readable.length > 1 ? choice("Source", readable, (name) => this.openSource(name)) : null),
      note ? html("p", { class: "faint" }, note) : null, this.panes, this.details);
  }

  openPtx(name) {
    const part = this.ptx.find((each) => each.function === name);
    if (!part) return;
    const instructions = this.profile.instructions.filter((each) => each.function === name);
    this.name = name;
    this.code = new Pane(`PTX of ${name}`, ptxLines(part, instructions), (line) => this.selected(line, this.source));
    this.arrange();
  }

  openSource(name) {
    if (name === null) return;
    this.sourceName = name;
    const lines = sourceLines(name, this.sources[name], this.profile.instructions);
    this.source = new Pane(name, lines, (line) => this.selected(line, this.code));
    this.arrange();
  }

  arrange() {
    const panes = [this.source, this.code].filter((pane) => pane);
    this.panes.replaceChildren(...panes.map((pane) => pane.element));
    this.panes.classList.toggle("single", panes.length === 1);
    this.colour(this.heat);
  }

  colour(heat) {
    this.heat = heat;
    this.source?.colour(heat);
    this.code?.colour(heat);
  }

  selected(line, other) {
    other?.relate(new Set(line.instructions));
    this.details.replaceChildren(...details(line));
  }

  /** Selects a line; `move` brings it into view and gives it the focus. */
  show(file, line, move = true) {
    const isSource = this.sources[file];
    if (!isSource && file !== this.profile.filename) { // not readable: its PTX
      const made = this.profile.instructions.find((each) => lineOf(each).filename === file && lineOf(each).row === line);
      if (made) this.show(made.location.filename, made.location.row, move);
      return;
    }
    if (isSource && this.sourceName !== file) this.openSource(file);
    const pane = isSource ? this.source : this.paneOf(line);
    const at = pane?.lines.findIndex((each) => each.row === line) ?? -1;
    if (at < 0) return;
    pane.choose(at);
    if (!move) return;
    this.element.scrollIntoView({ block: "start" });
    pane.element.focus({ preventScroll: true });
  }

  /** The pane of PTX, with the function that has the line. */
  paneOf(line) {
    const part = this.ptx.find((each) => each.row <= line && line < each.row + each.lines.length);
    if (part && part.function !== this.name) this.openPtx(part.function);
    return this.code;
  }

  showInstruction(instruction) {
    this.show(instruction.location.filename, instruction.location.row);
  }
}

const KEYS = [
  ["n", "p", "next and previous finding"],
  ["j", "k", "next and previous line that the colour's counter is not 0 of"],
  ["↓", "↑", "next and previous line, in the pane that has the focus"],
  ["t", "", "light or dark"],
  ["?", "", "this list"],
];

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

function showHelp() {
  document.getElementById("help").showModal();
}

function keys(profile, code) {
  let finding = -1;
  const move = (step) => {
    const known = profile.findings;
    if (!known.length) return;
    finding = (finding + step + known.length) % known.length;
    const { filename, lines } = known[finding];
    if (lines.length) code.show(filename, lines[0]);
  };
  const hot = (step) => (document.activeElement === code.source?.element ? code.source : code.code)?.hot(code.heat, step);
  const actions = {
    n: () => move(1), p: () => move(finding < 0 ? 0 : -1), j: () => hot(1), k: () => hot(-1), t: switchTheme, "?": showHelp,
  };
  document.addEventListener("keydown", (event) => {
    const busy = event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT";
    if (!busy && Object.hasOwn(actions, event.key)) actions[event.key]();
  });
}

function flows(profile, code) {
  return profile.functions.map((flow) => {
    const own = profile.instructions.filter((each) => each.function === flow.function);
    return html("details", flow.kind === "entry" ? { open: "" } : {}, html("summary", {}, flow.function),
      graph(flow, (block) => code.showInstruction(own[block.start])));
  });
}

/** The line that costs most, in the way of a finding. */
function costliest({ lines }) {
  const [most] = lines.toSorted((a, b) => HEATS.cost(b.counters) - HEATS.cost(a.counters));
  return most && { filename: most.filename, lines: [most.line] };
}

async function main() {
  const data = await read("data");
  const { profile } = data;
  const code = new CodeView(data);
  const show = (file, line) => code.show(file, line);
  const controls = [html("button", { onclick: switchTheme }, "Light / dark"), html("button", { onclick: showHelp }, "Keys")];
  document.getElementById("head").append(...head(profile, controls));
  document.getElementById("help").append(html("h2", {}, "Keys"), html("table", {}, KEYS.map(([one, two, what]) =>
    html("tr", {}, html("td", {}, html("kbd", {}, one), " ", two ? html("kbd", {}, two) : null), html("td", {}, what)))),
    html("form", { method: "dialog" }, html("button", {}, "Close")));
  document.getElementById("report").append(...[
    ...notes(profile), tiles(profile), findings(profile, show), limits(profile), code.element,
    section("Control flow", html("p", { class: "faint" }, "Threads on the edges; a box is as dark as its warps are many; dashed edges were never taken."), flows(profile, code)),
    classTable(profile), memoryTable(profile), allTables(profile, show),
  ].filter((part) => part));
  keys(profile, code);
  const first = profile.findings.find((finding) => finding.lines.length) ?? costliest(profile);
  if (first) code.show(first.filename, first.lines[0], false);
  document.documentElement.dataset.ready = "yes";
}

main();
