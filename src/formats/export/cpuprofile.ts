import { NONE } from '../../base/brand.ts';
import { addToList } from '../../base/group-by.ts';
import { PairInterner } from '../../base/pair-interner.ts';
import { printable } from '../../base/printable.ts';
import { isRestricting, type SampleSelection } from '../../profile/analysis/select/filter.ts';
import { dsoPlace } from '../../profile/dso-place.ts';
import { funcLabel } from '../../profile/func-label.ts';
import { scriptName } from '../../profile/script-name.ts';
import type { Profile, Weights } from '../../profile/types.ts';
import { buildNodes, type CpuProfileNodes, META_NAMES, META_NODE } from './cpuprofile-nodes.ts';
import { type CpuProfilePart, chooseCpuProfilePart } from './cpuprofile-part.ts';
import { type CpuProfileTimeline, isTimed, layOut } from './cpuprofile-timeline.ts';
import { type ExportProvenance, printableProvenance } from './export-provenance.ts';
import { TextBuffer } from './text-buffer.ts';

export type CpuProfileOptions = {
  readonly select?: SampleSelection;
  /** Program and version that made the file. */
  readonly exporter?: string;
  /** The origin of the weights; in an extra key that readers of the format ignore. */
  readonly provenance?: ExportProvenance;
};

/**
 * Writes the format of Chrome DevTools, VS Code and `node --cpu-prof`: `Profiler.Profile` of the
 * DevTools protocol, one thread and one event (`chooseCpuProfilePart`).
 *
 *   { "nodes": [{ "id", "callFrame": { "functionName", "scriptId", "url",
 *                                      "lineNumber", "columnNumber" },    from 0; −1: not known
 *                 "hitCount", "children": [id],
 *                 "positionTicks": [{ "line", "ticks" }] }],              from 1
 *     "startTime", "endTime",                                             microseconds
 *     "samples": [id], "timeDeltas": [microseconds],
 *     "perf-ts": { "exporter", "event", "unit", "thread", "provenance" } }
 *
 * `timeDeltas[i]` leads to sample i, whose node then runs until sample i + 1; so the first one is 0, and a
 * last sample `(idle)` at `endTime` ends the one before it, since readers differ in how long the last is.
 * `nodes` has to be the first key: DevTools knows the format by it. A function of JavaScript has its file's
 * URL; native code stays where it was called, its `url` is the path of its DSO. Lost samples are the node
 * `[lost]`.
 */
export function writeCpuProfile(
  profile: Profile,
  weights: Weights,
  options: CpuProfileOptions,
  write: (text: string) => void,
): void {
  const part = chooseCpuProfilePart(profile, weights, options.select);
  const nodes = buildNodes(profile, usedStacks(profile, part));
  const gapNode = gapNodeOf(part.weights, options.select);
  const timeline = layOut(profile, part.weights, part.rows, nodes, gapNode);
  const buffer = new TextBuffer(write);
  buffer.add('{"nodes":[');
  writeNodes(profile, nodes, timeline, buffer);
  writeTimeline(timeline, startMicroseconds(profile, part, timeline), buffer);
  buffer.add(`,"perf-ts":${JSON.stringify(describePart(profile, part, options))}}\n`);
  buffer.flush();
}

/**
 * The node of the time that no weight covers: the thread was off the CPU, or beside waits on it, unless
 * samples of the thread are left out.
 */
function gapNodeOf({ areWaits }: Weights, select: SampleSelection = {}): number {
  const { event: _, thread: _thread, pids: _pids, tids: _tids, ...ofSamples } = select;
  if (isRestricting(ofSamples)) return META_NODE.unselected;
  return areWaits ? META_NODE.program : META_NODE.idle;
}

function usedStacks({ samples, stacks, lostStack }: Profile, { rows }: CpuProfilePart): Uint8Array {
  const used = new Uint8Array(stacks.length);
  if (lostStack !== NONE) used[lostStack] = 1;
  for (let i = 0; i < rows.length; i++) {
    const stack = samples.stack[rows[i]];
    if (stack !== NONE) used[stack] = 1;
  }
  return used;
}

/** Time on the recording's clock, as V8's is on the monotonic one; 0 where the axis is no time. */
function startMicroseconds(
  { meta }: Profile,
  { weights }: CpuProfilePart,
  { startNs }: CpuProfileTimeline,
): number {
  if (!isTimed(weights)) return 0;
  return Math.max(0, Number((BigInt(meta.startTime) + BigInt(Math.round(startNs))) / 1000n));
}

function describePart(
  { threads, events }: Profile,
  { thread, event, weights }: CpuProfilePart,
  { exporter, provenance }: CpuProfileOptions,
): Record<string, unknown> {
  const { comm, pid, tid } = threads[thread] ?? { comm: '', pid: NONE, tid: NONE };
  return {
    exporter: exporter ?? 'perf-ts',
    event: printable(events[event]?.name ?? ''),
    unit: weights.unit,
    thread: { comm: printable(comm), pid, tid },
    ...(provenance !== undefined && { provenance: printableProvenance(provenance) }),
  };
}

function writeNodes(
  profile: Profile,
  nodes: CpuProfileNodes,
  timeline: CpuProfileTimeline,
  buffer: TextBuffer,
): void {
  const { length, parent } = nodes;
  const firstChild = new Int32Array(length).fill(NONE);
  const nextChild = new Int32Array(length).fill(NONE);
  for (let node = length - 1; node > 0; node--) {
    nextChild[node] = firstChild[parent[node]];
    firstChild[parent[node]] = node;
  }
  const hits = new Int32Array(length);
  for (let i = 0; i < timeline.length; i++) hits[timeline.node[i]]++;
  // The sample that ends the last one.
  hits[META_NODE.idle]++;
  const callFrames = new CallFrames(profile);
  const ticks = new PositionTicks(profile, timeline, length);
  // V8 writes its own nodes only where something was in them.
  const isEmpty = (node: number) =>
    node > META_NODE.root && hits[node] === 0 && firstChild[node] === NONE;
  // Hot: once per node.
  for (let node = 0; node < length; node++) {
    if (isEmpty(node)) continue;
    let children = '';
    for (let child = firstChild[node]; child !== NONE; child = nextChild[child]) {
      if (isEmpty(child)) continue;
      children += children === '' ? `${child + 1}` : `,${child + 1}`;
    }
    buffer.add(
      `${node === 0 ? '\n' : ',\n'}{"id":${node + 1},"callFrame":${callFrames.textOf(nodes.func[node])},` +
        `"hitCount":${hits[node]},"children":[${children}]${ticks.textOf(node)}}`,
    );
  }
  buffer.add('\n]');
}

function writeTimeline(
  { length, node, microseconds }: CpuProfileTimeline,
  startTime: number,
  buffer: TextBuffer,
): void {
  let endTime = startTime;
  for (let i = 0; i < length; i++) endTime += microseconds[i];
  buffer.add(`,"startTime":${startTime},"endTime":${endTime},\n"samples":[`);
  // Hot: once per span.
  for (let i = 0; i < length; i++) buffer.add(`${node[i] + 1},`);
  buffer.add(`${META_NODE.idle + 1}],\n"timeDeltas":[0`);
  for (let i = 0; i < length; i++) buffer.add(`,${microseconds[i]}`);
  buffer.add(']');
}

/** The `callFrame` of each function, made once. */
class CallFrames {
  readonly #profile: Profile;
  readonly #isScript: Uint8Array;
  readonly #texts: (string | undefined)[];
  /** V8's numbers of scripts: here by file, from 1; 0 is what has none. */
  readonly #scriptIds = new Map<number, number>();

  constructor(profile: Profile) {
    this.#profile = profile;
    this.#isScript = profile.funcs.isScript;
    this.#texts = new Array(profile.funcs.length).fill(undefined);
  }

  /** `func` as in `CpuProfileNodes`. */
  textOf(func: number): string {
    if (func < 0) return callFrame(META_NAMES[-2 - func] ?? '', 0, '', NONE, NONE);
    let text = this.#texts[func];
    if (text === undefined) {
      text = this.#isScript[func] === 1 ? this.#script(func) : this.#native(func);
      this.#texts[func] = text;
    }
    return text;
  }

  #script(func: number): string {
    const { funcs, strings } = this.#profile;
    const label = strings[funcs.name[func]];
    const file = funcs.file[func];
    if (file === NONE) return callFrame(label, 0, '', NONE, NONE);
    const id = this.#scriptIds.get(file) ?? this.#scriptIds.size + 1;
    this.#scriptIds.set(file, id);
    const path = strings[file];
    const name = scriptName(label, path);
    const line = funcs.line[func];
    // A column without a line means nothing.
    const column = line === 0 ? NONE : Math.max(0, funcs.column[func] - 1);
    return callFrame(name === '(anonymous)' ? '' : name, id, urlOf(path), line - 1, column);
  }

  #native(func: number): string {
    const { funcs, dsos } = this.#profile;
    const path = dsoPlace(dsos[funcs.dso[func]]);
    return callFrame(funcLabel(this.#profile, func), 0, path, NONE, NONE);
  }
}

function callFrame(
  name: string,
  scriptId: number,
  url: string,
  lineNumber: number,
  columnNumber: number,
): string {
  const functionName = printable(name);
  const frame = { functionName, scriptId: `${scriptId}`, url: printable(url) };
  return JSON.stringify({ ...frame, lineNumber, columnNumber });
}

/** A path as the URL that V8 has for it; `node:fs`, `https://…` as they are. */
function urlOf(path: string): string {
  if (!path.startsWith('/')) return path;
  try {
    return `file://${encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23')}`;
  } catch {
    // Half of a surrogate pair is in no URL.
    return path;
  }
}

/** How many samples each line of a node's function has, where frames of JavaScript have lines. */
class PositionTicks {
  /** first = node, second = line. */
  readonly #pairs = new PairInterner();
  readonly #ticks: number[] = [];
  readonly #rowsOfNode = new Map<number, number[]>();

  constructor(profile: Profile, timeline: CpuProfileTimeline, nodes: number) {
    const { stacks, frames, funcs } = profile;
    const { isScript } = profile.funcs;
    const { node, stack } = timeline;
    // Hot: once per span.
    for (let i = 0; i < timeline.length; i++) {
      const row = stack[i];
      if (row === NONE || node[i] < META_NAMES.length || node[i] >= nodes) continue;
      const frame = stacks.frame[row];
      const func = frames.func[frame];
      const line = frames.line[frame];
      if (line === 0 || isScript[func] === 0 || frames.file[frame] !== funcs.file[func]) continue;
      const pair = this.#pairs.intern(node[i], line);
      if (pair === this.#ticks.length) {
        this.#ticks.push(0);
        addToList(this.#rowsOfNode, node[i], pair);
      }
      this.#ticks[pair]++;
    }
  }

  /** `,"positionTicks":[…]`, empty for a node without any. */
  textOf(node: number): string {
    const rows = this.#rowsOfNode.get(node);
    if (rows === undefined) return '';
    const ticks = rows
      .map((row) => ({ line: this.#pairs.second.array[row], ticks: this.#ticks[row] }))
      .sort((a, b) => a.line - b.line);
    return `,"positionTicks":${JSON.stringify(ticks)}`;
  }
}
