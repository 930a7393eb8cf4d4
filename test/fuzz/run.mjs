// Runs many cases of every target, or of some. Bundles the readers first, so that what runs is one
// state of the sources. `README.md` says how to call it.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';

/** Nothing happens any more: a case waits for what never comes. */
const IDLE_LIMIT_MS = 120_000;
const HEAP_MB = 1024;
const MOST_BYTES = 2 ** 30;
const WATCH_MS = 250;
const MOST_SHOWN = 12;
/** Milliseconds of a clock tick, the unit of CPU time in /proc/PID/stat. */
const TICK_MS = 10;
const PAGE_BYTES = 4096;

const here = dirname(fileURLToPath(import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: process.env.PERF_TS_FUZZ ?? '1000' },
    seed: { type: 'string', default: '1' },
    write: { type: 'string' },
    bundle: { type: 'string' },
    limit: { type: 'string', default: '10' },
    file: { type: 'string', multiple: true },
  },
});
/** CPU time of one case. */
const caseLimitMs = 1000 * Number(values.limit);
const first = Number(values.seed);
const count = Number(values.count);
if (
  !(caseLimitMs > 0) ||
  !Number.isSafeInteger(first) ||
  !Number.isSafeInteger(count) ||
  count < 1
) {
  console.error(
    'usage: node test/fuzz/run.mjs [--count N] [--seed N] [--limit SECONDS] [--file FILE] [TARGET…]',
  );
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
let running = null;
process.on('exit', () => running?.kill('SIGKILL'));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

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

/**
 * Cases [from, to) of a target in a process of their own, as far as they go; where the next ones begin. A case
 * that takes too long or too much ends with its process.
 */
async function runPart(target, from, to, result) {
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, bundlePath], {
    stdio: ['ignore', 'inherit', 'pipe', 'pipe'],
    env: { ...process.env, PERF_TS_FUZZ_TASK: JSON.stringify({ target, from, to }) },
  });
  running = child;
  let current = null;
  let cpuAtStart = 0;
  let done = null;
  let killed = null;
  let lastWords = '';
  let seen = { cpuMs: 0, since: Date.now() };
  child.stderr.on('data', (text) => {
    lastWords = (lastWords + text).slice(-4000);
  });
  const reports = createInterface({ input: child.stdio[3] });
  reports.on('line', (line) => {
    const message = JSON.parse(line);
    if (message.done === true) done = message;
    else if (message.begins !== undefined) {
      current = message.begins;
      cpuAtStart = message.cpuMs;
    } else fail(result, message.seed, message.error);
  });
  const end = (reason) => {
    killed = reason;
    child.kill('SIGKILL');
  };
  const watch = setInterval(() => {
    const usage = usageOf(child.pid);
    if (usage === null || killed !== null || done !== null) return;
    if (usage.cpuMs !== seen.cpuMs) seen = { cpuMs: usage.cpuMs, since: Date.now() };
    if (current !== null && usage.cpuMs - cpuAtStart > caseLimitMs) {
      end(`no end after ${caseLimitMs / 1000} s of CPU time`);
    } else if (usage.bytes > 2 * MOST_BYTES) {
      end(`it took ${Math.round(usage.bytes / 2 ** 20)} MiB of memory`);
    } else if (Date.now() - seen.since > IDLE_LIMIT_MS) {
      end(`it waits for something since ${IDLE_LIMIT_MS / 1000} s`);
    }
  }, WATCH_MS);
  const [status] = await Promise.all([
    new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code))),
    new Promise((resolve) => reports.once('close', resolve)),
  ]);
  clearInterval(watch);
  if (done !== null) {
    result.cases += done.seeds === 0 ? 0 : done.next - from;
    result.read += done.counts.read;
    const { worst } = done;
    if (worst.cpuMs > result.worst.cpuMs) {
      Object.assign(result.worst, { cpuMs: worst.cpuMs, ofCpu: worst.ofCpu });
    }
    if (worst.bytes > result.worst.bytes) {
      Object.assign(result.worst, { bytes: worst.bytes, ofBytes: worst.ofBytes });
    }
    result.seeds = done.seeds;
    return done.next;
  }
  if (current === null) {
    fail(result, from, `the process did not begin: ${status}\n${lastWords}`);
    return to;
  }
  fail(result, current, killed ?? `its process ended with ${status}\n${lastWords}`);
  result.cases += current + 1 - from;
  return current + 1;
}

/** CPU time and memory of a process; null once it has ended. */
function usageOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
      bytes: Number(fields[21]) * PAGE_BYTES,
    };
  } catch {
    return null;
  }
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
    worst: { cpuMs: 0, ofCpu: -1, bytes: 0, ofBytes: -1 },
    seeds: 0,
    places: new Map(),
  };
  const started = Date.now();
  let from = first;
  while (from < first + count) from = await runPart(target, from, first + count, result);
  const seconds = (Date.now() - started) / 1000;
  const { worst } = result;
  console.log(
    `${target.padEnd(18)} ${String(result.cases).padStart(8)} cases of ${result.seeds} seeds in ${seconds.toFixed(0)} s, ` +
      `${result.read} read, ${result.failures} failures; most CPU time ${worst.cpuMs.toFixed(0)} ms ` +
      `(${worst.ofCpu}), most memory ${(worst.bytes / 2 ** 20).toFixed(0)} MiB (${worst.ofBytes})`,
  );
  for (const { count: times, seed, text } of [...result.places.values()].slice(0, MOST_SHOWN)) {
    console.log(`  ${times}× --seed ${seed}: ${text.split('\n').slice(0, 8).join('\n    ')}`);
  }
  return result.failures;
}

const { ALL, TARGETS, makeCase } = await import(bundlePath);
const unknown = positionals.find((name) => !ALL.some((target) => target.name === name));
if (unknown !== undefined) {
  console.error(`no target ${unknown}: ${TARGETS.map(({ name }) => name).join(' ')}`);
  process.exit(2);
}
let failures = 0;
if (values.write !== undefined) {
  // The input of one case as a file, to look at.
  const target = ALL.find(({ name }) => name === positionals[0]);
  writeFileSync(values.write, makeCase(target, target.seeds(), first));
} else {
  const names = positionals.length > 0 ? positionals : TARGETS.map(({ name }) => name);
  for (const name of names) failures += await runTarget(name);
}
process.exitCode = failures > 0 ? 1 : 0;
