// The head of the report: what was launched, how it compares with the ideal, and what is wasted.

function head(profile, controls) {
  const { launch } = profile;
  const threads = launch.block.reduce((a, b) => a * b);
  const size = `${plural(launch.blocks, "block")} of ${plural(threads, "thread")} (grid ${launch.grid.join(" × ")}, ` +
    `block ${launch.block.join(" × ")}${launch.cluster ? `, clusters of ${launch.cluster.join(" × ")}` : ""})`;
  return [
    html("h1", {}, profile.kernel),
    html("span", { class: "faint" }, `${profile.filename} · ${profile.target} · ${size}`),
    html("span", { class: "controls" }, controls),
  ];
}

function notes({ notes, fault }) {
  const found = notes.map((note) => html("p", { class: "note", role: "note" }, note));
  if (fault) {
    const where = fault.location ? ` at line ${fault.location.row} of the PTX` : "";
    const who = fault.thread ? `, thread (${fault.thread.join(", ")}) of block (${fault.block.join(", ")})` : "";
    found.push(html("p", { class: "note fault", role: "alert" }, `${fault.code} ${fault.name}: ${fault.message}${where}${who}`));
  }
  return found;
}

function tiles({ counters, registers_live, occupancy, launch }) {
  const lanes = Math.min(32, launch.block.reduce((a, b) => a * b));
  const found = [{ title: "warp instructions of PTX", value: counters.warps }];
  found.push({ title: `active lanes, of ${lanes}`, value: counters.mean_active_lanes, share: counters.mean_active_lanes / lanes });
  for (const [space, unit] of [["global", "sectors"], ["shared", "wavefronts"], ["local", "sectors"]]) {
    const accesses = ofSpace(counters, space);
    const [moved, needed] = [sum(accesses, taken), sum(accesses, ideal)];
    if (moved) found.push({ title: `${space} ${unit}; ${grouped(needed)} would do`, value: moved, share: Math.min(needed / moved, 1) });
  }
  if (counters.branches) {
    const together = 1 - counters.divergent_branches / counters.branches;
    found.push({ title: `of ${plural(counters.branches, "branch execution")} divergent`, value: counters.divergent_branches, share: together });
  }
  if (counters.tensor_steps) found.push({ title: "matrix multiplications, by warp", value: counters.tensor_steps });
  found.push({ title: "32-bit registers live in PTX", value: registers_live });
  if (occupancy.blocks !== null) found.push({ title: "blocks on a multiprocessor, by block size and shared memory", value: occupancy.blocks });
  return html("div", { class: "tiles" }, found.map(({ title, value, share }) => html("div", { class: "tile" },
    html("b", {}, grouped(value)), html("span", { class: "faint" }, title),
    share === undefined ? null : meter(share, grade(share)))));
}

/** The findings, each with a button for each of its lines. */
function findings(profile, show) {
  if (!profile.findings.length) {
    const text = profile.counters.warps ? "None: memory accesses and lanes are used well." : "Nothing was executed.";
    return section("Findings", html("p", { class: "good" }, text));
  }
  const items = profile.findings.map((finding) => html("li", { tabindex: -1 },
    html("b", {}, finding.kind), ` ${finding.message}`,
    finding.lines.slice(0, 6).map((line) => html("button", { onclick: () => show(finding.filename, line) }, `line ${line}`)),
    finding.lines.length > 6 ? ` and ${finding.lines.length - 6} more` : null,
    html("p", { class: "cure" }, withCode(`Cure: ${finding.cure}.`))));
  return section("Findings, the greatest waste first", html("ol", { class: "findings" }, items));
}
