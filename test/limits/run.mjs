// Files that are or become large, read by the commands, and how long and how much memory that takes.
// `README.md` describes how to call it.

import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '0' },
    size: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    log: { type: 'string' },
    keep: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    memory: { type: 'string', default: '1e9' },
  },
});

process.env.PERF_TS_CORPORA ??= join(here, '../../../shared/corpora');
process.env.PERF_BUILDID_DIR = '/nonexistent';
const limits = { ms: 1000 * Number(values.seconds), bytes: Number(values.memory) };
const sizes = values.size?.split('-').map(Number);
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'perf-ts-limits-'));
process.on('exit', () => {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
});
const hostPath = await bundle('host');
const { Worker, isWithin } = await import(pathToFileURL(await bundle('worker')).href);

const commands = new Map();
const shapes = new Map();
const worst = { ms: { value: 0 }, peakBytes: { value: 0 } };
let bad = 0;
let cases = 0;
let next = Number(values.seed);
const end = next + Number(values.count);
const started = Date.now();
await Promise.all(Array.from({ length: Number(values.jobs) }, (_unused, job) => runSome(job)));
printAll();
process.exitCode = bad > 0 ? 1 : 0;

async function runSome(job) {
  const own = join(folder, String(job));
  mkdirSync(own, { recursive: true });
  const worker = new Worker(hostPath, own, limits);
  while (next < end) {
    const seed = next++;
    const size = sizeOf(seed);
    note(await worker.try(seed, size), size);
  }
  await worker.close();
}

/** The size of each, or one between two, evenly in its logarithm; null: `cases.ts` draws one. */
function sizeOf(seed) {
  if (sizes === undefined) return null;
  const [least, most = least] = sizes;
  const part = (seed * 0.618033988749895) % 1;
  return Math.round(least * (most / least) ** part);
}

function note({ seed, made, results }, size) {
  cases++;
  if (values.log !== undefined) {
    appendFileSync(values.log, `${JSON.stringify({ seed, made, results })}\n`);
  }
  for (const result of results) {
    const { command, outcome, message, ms, peakBytes } = result;
    count(commands, command.split(' ')[0], outcome);
    count(shapes, made.shape, outcome);
    const what = `${made.shape}, ${(made.size / 1e6).toFixed(1)} MB, ${command}`;
    if (ms > worst.ms.value) worst.ms = { value: ms, seed, what };
    if (peakBytes > worst.peakBytes.value) worst.peakBytes = { value: peakBytes, seed, what };
    if (outcome !== 'failed' && isWithin(result, limits)) continue;
    bad++;
    console.log(
      `--seed ${seed}${size === null ? '' : ` --size ${size}`}: ${what}: ${outcome} after ${(ms / 1000).toFixed(1)} s with ` +
        `${(peakBytes / 1e6).toFixed(0)} MB ${message.split('\n').slice(0, 6).join(' | ')}`,
    );
  }
}

function count(table, row, outcome) {
  const counts = table.get(row) ?? { answered: 0, refused: 0, failed: 0 };
  counts[outcome]++;
  table.set(row, counts);
}

function printAll() {
  for (const [name, { answered, refused, failed }] of [...shapes, ...commands]) {
    console.log(`${name.padEnd(52)} ${answered} answered, ${refused} refused, ${failed} failed`);
  }
  const { ms, peakBytes } = worst;
  console.log(`slowest: ${(ms.value / 1000).toFixed(1)} s, --seed ${ms.seed}: ${ms.what}`);
  console.log(
    `largest: ${(peakBytes.value / 1e6).toFixed(0)} MB, --seed ${peakBytes.seed}: ${peakBytes.what}`,
  );
  const seconds = (Date.now() - started) / 1000;
  console.log(`${cases} cases in ${seconds.toFixed(0)} s, ${bad} commands beyond the limits`);
}
