// Makes the case of a seed: a file with changed bytes. Then every reader of recordings reads it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

const from = (path) => import(new URL(`../../dist/${path}`, import.meta.url));
const { FailedError, PerfDataError, UsageError } = await from('base/errors.js');
const { formatDump } = await from('cli/script/dump-text.js');
const { formatRecord } = await from('cli/script/record-text.js');
const { rewriteRecording } = await from('session/inject/rewrite-recording.js');
const { openProfile } = await from('session/read/open-profile.js');
const { describeRecords } = await from('session/read/record-stream.js');
const { readInfo } = await from('session/read/facts/recording-info.js');
const { dumpRecords } = await from('session/script/dump-records.js');

const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-fuzz-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const wholes = workerData.files.map((path) => readFileSync(path));
const input = join(scratch, 'damaged');
const output = join(scratch, 'written');

/** Numbers in [0, 1) by a seed: mulberry32. */
function randomOf(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const INTERESTING = [0, 1, 7, 8, 0x7f, 0x80, 0xfe, 0xff];

function damage(whole, random) {
  const below = (count) => Math.floor(random() * count);
  let bytes = Uint8Array.from(whole);
  const places = 1 + below(8);
  for (let i = 0; i < places; i++) {
    const range = random() < 0.3 ? Math.min(1024, bytes.length) : bytes.length;
    const at = below(range);
    const length = 1 + below(random() < 0.7 ? 8 : 256);
    const kind = below(10);
    if (kind < 5) bytes.fill(INTERESTING[below(INTERESTING.length)], at, at + length);
    else if (kind < 7) for (let k = at; k < at + length; k++) bytes[k] = below(256);
    else if (kind === 7) bytes.copyWithin(at, below(bytes.length), below(bytes.length));
    else if (kind === 8) bytes = cut(bytes, at, at + 8 * length);
    else if (random() < 0.3) bytes = bytes.slice(0, at);
  }
  return bytes;
}

/** Without the bytes [start, end): everything behind lies elsewhere. */
function cut(bytes, start, end) {
  const behind = bytes.subarray(end);
  const rest = new Uint8Array(start + behind.length);
  rest.set(bytes.subarray(0, start));
  rest.set(behind, start);
  return rest;
}

const STYLE = { fields: [new Set(['comm', 'tid', 'time'])], nanoseconds: true, nameWidth: 8 };

const READERS = {
  info: () => void readInfo(input),
  dump: () => void dumpRecords(input, (record) => void formatDump(record)),
  script: () =>
    void describeRecords(input, {}, (described) => {
      if (described.record !== undefined) formatRecord(described, STYLE);
      JSON.stringify(described, (_key, value) =>
        typeof value === 'bigint' ? String(value) : value,
      );
    }),
  profile: async () => {
    const opened = await openProfile(input, { symbols: false });
    for (const kind of ['samples', 'period', 'events']) opened.weights(kind);
    opened.periods({ streams: 'all' });
    for (const format of ['folded', 'pprof', 'firefox', 'speedscope']) opened.export(format);
  },
  inject: () =>
    void rewriteRecording(input, output, { stripKernel: true, anonymize: true, buildIds: 'keep' }),
};

parentPort.on('message', async (seed) => {
  const random = randomOf(seed);
  writeFileSync(input, damage(wholes[Math.floor(random() * wholes.length)], random));
  const failed = [];
  let isOpened = false;
  for (const [name, read] of Object.entries(READERS)) {
    try {
      await read();
      isOpened = true;
    } catch (error) {
      const isSaid =
        error instanceof PerfDataError ||
        error instanceof FailedError ||
        error instanceof UsageError;
      if (!isSaid) failed.push(`${name}: ${error.stack}`);
    }
  }
  parentPort.postMessage({ failed, isOpened });
});
