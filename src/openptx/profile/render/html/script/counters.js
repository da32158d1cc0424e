// What can be read off the counters of an instruction, a line or a launch.

const taken = (memory) => memory.sectors ?? memory.wavefronts ?? 0;
const ideal = (memory) => memory.ideal_sectors ?? memory.ideal_wavefronts ?? 0;
const ofSpace = (counters, space) => counters.memory.filter((memory) => memory.space === space);
const OPERATIONS = { ld: "load", st: "store", red: "reduction", atom: "atomic" };
const nameOf = (memory) => `${memory.space} ${OPERATIONS[memory.op]}`;

/** Counters that lines can be coloured by. */
const HEATS = {
  "cost": (c) => c.warps / 4 + sum(c.memory, taken),
  "executions by warps": (c) => c.warps,
  "executions by threads": (c) => c.active_threads,
  "idle lanes": (c) => 32 * c.warps - c.active_threads,
  "sectors": (c) => sum(c.memory, (m) => m.sectors ?? 0),
  "sectors beyond the ideal": (c) => sum(c.memory, (m) => Math.max((m.sectors ?? 0) - (m.ideal_sectors ?? 0), 0)),
  "shared wavefronts": (c) => sum(c.memory, (m) => m.wavefronts ?? 0),
  "bank conflicts": (c) => sum(c.memory, (m) => m.bank_conflicts ?? 0),
  "divergent branches": (c) => c.divergent_branches,
  "collisions of atomics": (c) => sum(c.memory, (m) => m.collisions ?? 0),
  "waits at barriers": (c) => c.barrier_wait,
};

/** The line that an instruction belongs to: of calls that were inlined, the innermost in the kernel's own file. */
function lineOf(instruction) {
  const { source, location } = instruction;
  if (!source.length) return location;
  const own = source[source.length - 1].filename;
  return source.find((place) => place.filename === own);
}
