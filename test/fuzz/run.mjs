// Runs many cases of every target, or of some. Bundles the readers first, so that what runs is one
// state of the sources. `README.md` says how to call it.

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { rolldown } from 'rolldown';

const CASE_LIMIT_MS = 15_000;
const HEAP_MB = 1500;
const MOST_SHOWN = 12;

const here = dirname(fileURLToPath(import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    write: { type: 'string' },
    bundle: { type: 'string' },
    file: { type: 'string', multiple: true },
  },
});
const first = Number(values.seed);
const count = Number(values.count);
if (!Number.isSafeInteger(first) || !Number.isSafeInteger(count) || count < 1) {
  console.error('usage: node test/fuzz/run.mjs [--count N] [--seed N] [--file FILE] [TARGET…]');
  process.exit(2);
}

process.env.PERF_TS_CORPORA ??= join(here, '../../../shared/corpora');
process.env.PERF_BUILDID_DIR = '/nonexistent';
if (values.file !== undefined) process.env.PERF_TS_FUZZ_FILES = values.file.join(delimiter);
// As deep below the repository as this folder: what looks for its files finds them.
const ownBundle = join(here, `../build/fuzz-${process.pid}.mjs`);
const bundlePath = values.bundle === undefined ? ownBundle : resolve(values.bundle);
if (!existsSync(bundlePath)) await writeBundle();
if (values.bundle === undefined) process.on('exit', () => rmSync(bundlePath, { force: true }));

async function writeBundle() {
  const bundle = await rolldown({
    input: join(here, 'worker.ts'),
    platform: 'node',
    external: [/^[^./]/],
    logLevel: 'silent',
  });
  await bundle.write({ file: bundlePath, format: 'esm', codeSplitting: false });
  await bundle.close();
}

function startWorker(workerData) {
  return new Worker(bundlePath, {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
}

async function targetNames() {
  const worker = startWorker({ names: true });
  const names = await new Promise((resolve) => worker.once('message', resolve));
  await worker.terminate();
  return names;
}

/** Cases [from, to) of a target, as far as they go; where the next ones begin. */
function runPart(target, from, to, result) {
  return new Promise((resolve) => {
    const progress = new SharedArrayBuffer(8);
    const slots = new Int32Array(progress);
    Atomics.store(slots, 0, -1);
    const worker = startWorker({ target, from, to, progress });
    let seen = -1;
    let since = Date.now();
    const end = (next) => {
      clearInterval(watch);
      resolve(worker.terminate().then(() => next));
    };
    const watch = setInterval(() => {
      const current = Atomics.load(slots, 1);
      // A worker that has not begun is the machine's affair.
      if (current !== seen || Atomics.load(slots, 0) < 0) {
        seen = current;
        since = Date.now();
      } else if (Date.now() - since > CASE_LIMIT_MS) {
        const seed = Atomics.load(slots, 0);
        fail(result, seed, `no end after ${CASE_LIMIT_MS / 1000} s`);
        result.cases += seed + 1 - from;
        end(seed + 1);
      }
    }, 500);
    worker.on('message', (message) => {
      if (message.done !== true) {
        fail(result, message.seed, message.error);
        return;
      }
      const { counts, worstMs, worstCase, peakBytes, seeds } = message;
      result.cases += seeds === 0 ? 0 : to - from;
      result.read += counts.read;
      if (worstMs > result.worstMs) Object.assign(result, { worstMs, worstCase });
      result.peakBytes = Math.max(result.peakBytes, peakBytes);
      result.seeds = seeds;
      end(to);
    });
    worker.on('error', (error) => {
      const seed = Atomics.load(slots, 0);
      fail(result, seed, `the worker died: ${error.stack}`);
      result.cases += seed + 1 - from;
      end(seed + 1);
    });
  });
}

function fail(result, seed, text) {
  result.failures++;
  // Failures at one place are one.
  const place = text.split('\n').slice(0, 3).join('\n').replace(/\d+/g, '#');
  const known = result.places.get(place);
  if (known !== undefined) known.count++;
  else result.places.set(place, { count: 1, seed, text });
}

async function runTarget(target) {
  const result = {
    cases: 0,
    read: 0,
    failures: 0,
    worstMs: 0,
    worstCase: -1,
    peakBytes: 0,
    seeds: 0,
    places: new Map(),
  };
  const started = Date.now();
  let from = first;
  while (from < first + count) from = await runPart(target, from, first + count, result);
  const seconds = (Date.now() - started) / 1000;
  console.log(
    `${target.padEnd(18)} ${String(result.cases).padStart(8)} cases of ${result.seeds} seeds in ${seconds.toFixed(0)} s, ` +
      `${result.read} read, ${result.failures} failures; worst ${result.worstMs.toFixed(0)} ms ` +
      `(${result.worstCase}), peak ${(result.peakBytes / 2 ** 20).toFixed(0)} MiB`,
  );
  for (const { count: times, seed, text } of [...result.places.values()].slice(0, MOST_SHOWN)) {
    console.log(`  ${times}× --seed ${seed}: ${text.split('\n').slice(0, 8).join('\n    ')}`);
  }
  return result.failures;
}

/** The input of one case as a file, to look at. */
async function writeCase(target) {
  const { makeCase, TARGETS } = await import(bundlePath);
  const found = TARGETS.find(({ name }) => name === target);
  writeFileSync(values.write, makeCase(found, found.seeds(), first));
}

let failures = 0;
const all = await targetNames();
const unknown = positionals.find((name) => !all.includes(name));
if (unknown !== undefined) {
  console.error(`no target ${unknown}: ${all.join(' ')}`);
  process.exit(2);
}
if (values.write !== undefined) await writeCase(positionals[0]);
else
  for (const target of positionals.length > 0 ? positionals : all)
    failures += await runTarget(target);
process.exitCode = failures > 0 ? 1 : 0;
