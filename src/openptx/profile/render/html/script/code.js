// The program's source beside its PTX, coloured by a counter; the selected line's counters and pictures below.

class Pane {
  /** `lines`: { file, row, text, instructions }. `select` is called with the line that a person chose. */
  constructor(title, lines, select) {
    this.lines = lines;
    this.select = select;
    this.at = -1;
    this.rows = lines.map((line, i) => {
      line.heat = html("span", { class: "heat number" });
      const kind = line.instructions.some((each) => each.counters.warps) ? "line" : "line cold";
      return html("div", { class: kind, role: "option", onclick: () => this.choose(i) },
        html("span", { class: "row" }, String(line.row)), line.heat, html("span", { class: "text" }, line.text || " "));
    });
    this.element = html("div", { class: "pane code", role: "listbox", tabindex: 0, "aria-label": title, onkeydown: (e) => this.key(e) }, this.rows);
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key];
    if (!step) return;
    event.preventDefault();
    this.choose(Math.min(Math.max(this.at + step, 0), this.lines.length - 1));
  }

  choose(i) {
    this.mark(i);
    this.select(this.lines[i]);
  }

  mark(i) {
    this.rows[this.at]?.classList.remove("selected");
    this.rows[this.at]?.removeAttribute("aria-selected");
    this.at = i;
    this.rows[i]?.classList.add("selected");
    this.rows[i]?.setAttribute("aria-selected", "true");
    this.reveal(i);
  }

  reveal(i) {
    const row = this.rows[i];
    if (row && (row.offsetTop < this.element.scrollTop || row.offsetTop + 20 > this.element.scrollTop + this.element.clientHeight)) {
      this.element.scrollTop = row.offsetTop - this.element.clientHeight / 3;
    }
  }

  /** Marks the lines that have one of these instructions. */
  relate(instructions) {
    const related = this.lines.map((line) => line.instructions.some((each) => instructions.has(each)));
    this.rows.forEach((row, i) => row.classList.toggle("related", related[i]));
    this.reveal(related.indexOf(true));
  }

  colour(heat) {
    const values = this.lines.map((line) => sum(line.instructions, (each) => heat(each.counters)));
    const most = Math.max(...values, 1);
    this.lines.forEach((line, i) => {
      line.heat.style.setProperty("--share", values[i] / most);
      line.heat.textContent = values[i] ? grouped(Math.round(values[i])) : "";
    });
  }

  /** The next or previous line that the counter is not 0 of. */
  hot(heat, step) {
    const isHot = (line) => line.instructions.some((each) => heat(each.counters));
    for (let i = this.at + step; i >= 0 && i < this.lines.length; i += step) {
      if (isHot(this.lines[i])) return this.choose(i);
    }
  }
}

/** The lines of a function's PTX, with their instructions. */
function ptxLines(part, instructions) {
  const at = Map.groupBy(instructions, (each) => each.location.row);
  return part.lines.map((text, i) => ({ row: part.row + i, text, instructions: at.get(part.row + i) ?? [] }));
}

/** The lines of a source file, with the instructions that belong to them. */
function sourceLines(name, text, instructions) {
  const own = instructions.filter((each) => each.source.length);
  const at = Map.groupBy(own.filter((each) => lineOf(each).filename === name), (each) => lineOf(each).row);
  return text.map((line, i) => ({ row: i + 1, text: line, instructions: at.get(i + 1) ?? [] }));
}

const MOST_FACTS = 4;
const MOST_PICTURES = 3;

/** Counters and pictures of what a line's instructions do, the costliest first. */
function details(line) {
  const executed = line.instructions.filter((each) => each.counters.warps)
    .sort((a, b) => HEATS.cost(b.counters) - HEATS.cost(a.counters));
  if (!line.instructions.length) return [html("p", { class: "faint" }, "no instruction")];
  if (!executed.length) return [html("p", { class: "faint" }, "not executed")];
  const more = executed.length - MOST_FACTS;
  return [html("div", {}, executed.slice(0, MOST_FACTS).map(facts), more > 0 ? html("p", { class: "faint" }, `and ${more} more`) : null),
    ...differentAccesses(executed).slice(0, MOST_PICTURES).map(picture)];
}

/** The accesses of instructions, the most wasteful first; of those whose lanes are as far apart, the first. */
function differentAccesses(instructions) {
  const found = new Map();
  for (const memory of instructions.flatMap((each) => each.counters.memory)) {
    if (!memory.example) continue;
    const { offsets } = memory.example;
    const base = offsets.find((offset) => offset !== null);
    const pattern = JSON.stringify([memory.space, memory.op, memory.width, memory.example.taken, offsets.map((offset) => (offset === null ? null : offset - base))]);
    if (!found.has(pattern)) found.set(pattern, memory);
  }
  const waste = ({ example }) => example.taken - example.ideal;
  return [...found.values()].sort((a, b) => waste(b) - waste(a));
}

function facts(instruction) {
  const { counters, source, operand_cost: cost } = instruction;
  const facts = [`${plural(counters.warps, "execution")} by warps, ${grouped(counters.mean_active_lanes)} lanes active`];
  if (counters.branches) facts.push(`${grouped(counters.divergent_branches)} of ${plural(counters.branches, "branch execution")} divergent`);
  if (counters.barrier_wait) facts.push(`others waited for ${plural(counters.barrier_wait, "instruction")}`);
  if (cost) facts.push(`an operand in ${cost.space} memory, ${cost.more ? "more than " : ""}${cost.clocks} clocks (Table 19)`);
  facts.push(`${plural(instruction.registers_live, "register")} live`);
  const chain = source.map((place) => `${place.filename}:${place.row}`).join(", inlined at ");
  return html("div", {}, html("code", {}, instruction.text), html("p", { class: "faint" }, facts.join(" · ")),
    chain ? html("p", { class: "faint" }, chain) : null);
}
