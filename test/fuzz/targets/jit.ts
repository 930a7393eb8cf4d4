// What JITs and Node write of their code: jitdumps, perf maps, the map log of a recording, notes.

import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { CodeLayer } from '../../../src/code/jit/code-layer.ts';
import type { CodeTable } from '../../../src/code/jit/code-table.ts';
import { JitCode } from '../../../src/code/jit/jit-code.ts';
import { readJitdump } from '../../../src/code/jit/jitdump.ts';
import { encodeMapLog, readMapLog } from '../../../src/code/jit/map-log.ts';
import { readWholePerfMap } from '../../../src/code/jit/perf-map.ts';
import { DsoTable } from '../../../src/code/process/dso-table.ts';
import { parseNotes } from '../../../src/read/jit/node-notes.ts';
import { withDumpedLines } from '../../../src/read/jit/v8-lines.ts';
import { hasCorpora, readCorpus } from '../../helpers/corpora.ts';
import { below, mutateBytes, pick, type Random } from '../mutate-bytes.ts';
import { mutateText } from '../mutate-text.ts';
import { type Target, toBytes, toText } from '../target.ts';

const PID = 77;
const NAMES = [
  'JS:^fib /srv/fib.js:3:13',
  'JS:*main /srv/main.js:1:20',
  "JS:+'fib /srv/fib.js:3:13",
  'Builtin:ArrayMap',
  'größe',
  '',
];
const CODE = [0x55, 0x48, 0x89, 0xe5, 0x5d, 0xc3];

/** A jitdump of loads, moves, lines and unwinding tables. */
function builtDump(): Uint8Array {
  const bytes: number[] = [];
  const u32 = (value: number) =>
    bytes.push(...[0, 8, 16, 24].map((bits) => (value >>> bits) & 255));
  const u64 = (value: number) => {
    u32(value % 2 ** 32);
    u32(Math.floor(value / 2 ** 32));
  };
  const record = (id: number, time: number, body: () => void) => {
    const at = bytes.length;
    u32(id);
    u32(0);
    u64(time);
    body();
    const size = bytes.length - at;
    for (let i = 0; i < 4; i++) bytes[at + 4 + i] = (size >>> (8 * i)) & 255;
  };
  for (const word of [0x4a695444, 1, 40, 62, 0, PID]) u32(word);
  u64(0);
  u64(0);
  NAMES.forEach((name, i) => {
    const address = 0x7f0000 + i * 0x100;
    record(2, 100 + i, () => {
      u64(address);
      u64(2);
      u64(address);
      u32(3);
      u32(0);
      bytes.push(...toBytes('/srv/fib.js'), 0);
      u64(address + 3);
      u32(4);
      u32(0);
      bytes.push(0xff, 0);
    });
    record(4, 100 + i, () => {
      u64(24);
      u64(8);
      u64(0);
      for (let k = 0; k < 24; k++) bytes.push(k);
    });
    record(0, 110 + i, () => {
      u32(PID);
      u32(PID);
      for (const word of [address, address, CODE.length, i]) u64(word);
      bytes.push(...toBytes(name), 0, ...CODE);
    });
  });
  record(1, 200, () => {
    u32(PID);
    u32(PID);
    for (const word of [0x7f0400, 0x7f0000, 0x7f0400, CODE.length, 0]) u64(word);
  });
  record(3, 300, () => {});
  return Uint8Array.from(bytes);
}

/** Everything that is asked of a table, and the frames that addresses in it get. */
function useTable(table: CodeTable, random: Random): void {
  const rows = Math.min(table.length, 50);
  for (let row = 0; row < rows; row++) {
    table.name(row);
    table.hasSameName(row, below(random, rows));
  }
  const layer = new CodeLayer(table);
  if (layer.table !== table) throw new Error('a layer of another table');
  const dsos = new DsoTable();
  const jit = new JitCode(dsos, () => [table]);
  const dso = dsos.intern({ kind: 'jit', pid: PID });
  const times = Array.from({ length: 4 }, () => table.timeNs[below(random, table.length)] ?? 0);
  for (const timeNs of times.sort((a, b) => a - b)) {
    jit.advance(timeNs);
    for (let i = 0; i < 4; i++) {
      const address = table.start[below(random, table.length)] ?? 0x1000;
      jit.place(dso, address);
      jit.resolve(dso, address);
    }
  }
}

const MAP = `7f0000 40 JS:*fib /srv/fib.js:3:13
7f0040 20 JS:~main file:///srv/app.mjs:1:20
7f0060 10 Builtin:ArrayMap
0x7f0100 0x80 with spaces in it
7f0000 40 JS:^fib /srv/fib.js:3:13
`;

const NOTES = [
  { kind: 'process', pid: PID, node: 'v20.1.0', cwd: '/srv', recording: 'abc' },
  { kind: 'worker', tid: 78, number: 1, script: '/srv/worker.js', name: 'w' },
  {
    kind: 'sourceMap',
    url: 'file:///srv/app.ts',
    map: { version: 3, sources: ['a.ts'], names: ['f'], mappings: 'AAAAA;IAAI' },
  },
].map((note) => JSON.stringify(note));

const mutateBinary = (all: readonly Uint8Array[], random: Random) =>
  mutateBytes(pick(random, all), pick(random, all), random);
const mutateLines = (all: readonly Uint8Array[], random: Random) =>
  random() < 0.2
    ? mutateBinary(all, random)
    : toBytes(mutateText(toText(pick(random, all)), toText(pick(random, all)), random));

const ofCorpora = (...files: string[]) => (hasCorpora ? files.map(readCorpus) : []);

export const jitTargets: readonly Target[] = [
  {
    name: 'jitdump',
    seeds: () => [
      builtDump(),
      ...ofCorpora('DataDog+ddprof/jit-simple-julia.dump', 'DataDog+ddprof/jit-julia-partial.dump'),
    ],
    mutate: mutateBinary,
    read(bytes, random) {
      const diagnostics = new Diagnostics();
      const startTime = random() < 0.5 ? { high: 0, low: 100 } : null;
      // The pid is the file's own, or nothing of it would be read.
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const pid = bytes.length > 24 ? view.getUint32(20, bytes[0] === 0x44) : PID;
      const dump = readJitdump(memorySource(bytes), { diagnostics, name: 'd', pid, startTime });
      if (dump === null) return;
      useTable(dump, random);
      const v8 = withDumpedLines(dump);
      for (let row = 0; row < Math.min(dump.length, 50); row++) {
        const { offset, size } = dump.code(row);
        const start = dump.start[row];
        for (const table of [dump, v8]) {
          for (const at of [start - 1, start, start + below(random, 64)]) table.line?.(row, at);
        }
        if (!(offset >= 0 && size >= 0)) throw new RangeError(`code at ${offset}, ${size}`);
      }
    },
  },
  {
    name: 'perf-map',
    seeds: () => [toBytes(MAP), ...ofCorpora('DataDog+ddprof/perf-1.map')],
    mutate: mutateLines,
    read: (bytes, random) => useTable(readWholePerfMap(bytes, new Diagnostics()), random),
  },
  {
    name: 'map-log',
    seeds: () => [
      Buffer.concat(
        encodeMapLog([
          { fromNs: 0n, toNs: 0n, isRestart: false, lines: toBytes(MAP) },
          { fromNs: 100n, toNs: 200n, isRestart: true, lines: toBytes(MAP) },
          { fromNs: 150n, toNs: 900n, isRestart: false, lines: toBytes(MAP.slice(0, 40)) },
        ]),
      ),
    ],
    mutate: mutateBinary,
    read: (bytes, random) =>
      useTable(readMapLog(bytes, { high: 0, low: 50 }, new Diagnostics()), random),
  },
  {
    name: 'node-notes',
    seeds: () => [toBytes(NOTES.join('\n'))],
    mutate: mutateLines,
    read: (bytes) => void parseNotes(bytes, new Diagnostics()),
  },
];
