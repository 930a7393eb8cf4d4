// node bench/page/wild.mjs OUT.page [SAMPLES]
//
// Page data of a program that nobody has: 100 000 functions, 300 000 paths, 27 frames a sample on
// average, recursion 2 000 frames deep, 2 000 threads on 256 CPUs, an adaptive period. The same
// for each run.

import { writeFileSync } from 'node:fs';
import { importBundled } from './bundle.mjs';

const FUNCS = 100_000;
const STACKS = 300_000;
const THREADS = 2_000;
const CPUS = 256;
const RECURSION = 2_000;
/** Mean depth of a walk from the root. */
const DEPTH = 26;
const NANOSECONDS = 10_000_000_000;

const [out, count = '1000000'] = process.argv.slice(2);
const random = randomNumbers(1);
const { pageOf } = await importBundled('test/helpers/page-of.ts');
const { encodePageData } = await importBundled('src/formats/export/page-data.ts');
writeFileSync(out, encodePageData(pageOf(wildProfile(Number(count)))));

function wildProfile(length) {
  const strings = ['worker'];
  const int = (size) => new Int32Array(size);
  const funcs = {
    length: FUNCS,
    name: int(FUNCS),
    dso: int(FUNCS),
    category: new Uint8Array(FUNCS),
    file: int(FUNCS),
    line: int(FUNCS),
    column: int(FUNCS),
  };
  const files = 1000;
  for (let file = 0; file < files; file++) strings.push(`/src/part${file % 40}/file${file}.cc`);
  for (let func = 0; func < FUNCS; func++) {
    funcs.name[func] = strings.length;
    strings.push(`part${func % 40}::Class${func % 997}::method_${func}(int, std::string const&)`);
    funcs.dso[func] = func % 50;
    funcs.file[func] = 1 + (func % files);
    funcs.line[func] = 1 + (func % 5000);
  }
  // A frame for each function and another one for some: two places in it.
  const frameCount = FUNCS + FUNCS / 2;
  const frames = {
    length: frameCount,
    func: int(frameCount),
    dso: int(frameCount),
    address: new Float64Array(frameCount),
    inlineDepth: new Uint8Array(frameCount),
    file: int(frameCount),
    line: int(frameCount),
    column: int(frameCount),
    tier: new Uint8Array(frameCount),
  };
  for (let frame = 0; frame < frameCount; frame++) {
    const func = frame % FUNCS;
    frames.func[frame] = func;
    frames.dso[frame] = funcs.dso[func];
    frames.address[frame] = 0x1000 + frame * 16;
    frames.inlineDepth[frame] = func % 10 === 0 ? 1 : 0;
    frames.file[frame] = funcs.file[func];
    frames.line[frame] = funcs.line[func] + (frame >= FUNCS ? 3 : 1);
    frames.tier[frame] = func % 7 === 0 ? 1 + (func % 4) : 0;
  }
  const { stacks, leaves } = wildStacks(frameCount);
  const samples = {
    length,
    stack: int(length),
    thread: int(length),
    comm: int(length),
    event: int(length),
    stream: int(length).fill(-1),
    cpu: int(length),
    timeNs: new Float64Array(length),
    periodEvents: new Float64Array(length),
    count: new Float64Array(length).fill(Number.NaN),
  };
  const period = new Float64Array(THREADS).fill(1_000_000);
  const at = int(THREADS);
  for (let i = 0; i < length; i++) {
    // Few threads are busy; each stays in the neighbourhood of a path for a while.
    const thread = Math.floor(random() ** 3 * THREADS);
    if (random() < 0.05) at[thread] = Math.floor(random() ** 2 * leaves.length);
    const leaf = Math.min(leaves.length - 1, at[thread] + Math.floor(random() ** 4 * 200));
    samples.stack[i] = leaves[leaf];
    samples.thread[i] = thread;
    samples.cpu[i] = thread % CPUS;
    samples.timeNs[i] = Math.round((i * NANOSECONDS) / length);
    period[thread] *= 0.9 + random() * 0.2;
    period[thread] = Math.min(1e7, Math.max(1e5, period[thread]));
    samples.periodEvents[i] = Math.round(period[thread]);
  }
  const kinds = ['user', 'user', 'user', 'kernel', 'jit'];
  return {
    meta: {
      commandLine: ['wild'],
      hostname: null,
      kernel: null,
      arch: null,
      startTime: '0',
      clock: 'monotonic',
      notes: [],
    },
    strings,
    events: [
      {
        name: 'cycles',
        type: 0,
        mode: 'frequency',
        frequencyHz: 10_000,
        fixedPeriod: null,
        unit: 'events',
      },
    ],
    dsos: Array.from({ length: 50 }, (_, dso) => ({
      kind: kinds[dso % kinds.length],
      name: `libpart${dso}.so`,
      path: `/usr/lib/libpart${dso}.so`,
      buildId: null,
    })),
    threads: Array.from({ length: THREADS }, (_, thread) => ({
      pid: 100 + Math.floor(thread / 20),
      tid: 10_000 + thread,
      generation: 0,
      comm: `worker-${thread % 30}`,
    })),
    streams: [],
    funcs,
    frames,
    stacks,
    samples,
    losses: [],
    lostStack: -1,
  };
}

/** Walks that share their beginnings, and one function that calls itself. */
function wildStacks(frameCount) {
  const frame = new Int32Array(STACKS);
  const prefix = new Int32Array(STACKS);
  const leaves = [];
  let length = 0;
  const add = (above, own) => {
    frame[length] = own;
    prefix[length] = above;
    return length++;
  };
  let above = add(-1, 0);
  for (let depth = 1; depth < RECURSION; depth++) {
    above = add(above, depth % 3);
    if (depth % 100 === 0) leaves.push(above);
  }
  let path = [0];
  while (length < STACKS) {
    const keep = 1 + Math.floor(random() ** 0.3 * (path.length - 1));
    path = path.slice(0, keep);
    const depth = Math.max(keep + 1, Math.round(DEPTH * (0.5 + random())));
    while (path.length < depth && length < STACKS) {
      const own = Math.floor(random() ** 2 * frameCount);
      path.push(add(path.at(-1), own));
    }
    leaves.push(path.at(-1));
  }
  return { stacks: { length, frame, prefix }, leaves };
}

/** Numbers 0 … 1, the same for the same seed (mulberry32). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
