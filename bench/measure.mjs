// How the bench measures: whole processes, their user + system time as the shell's `time` sees it,
// ours and the peer's in turn, the median of the ratios pair by pair. These machines are shared:
// only ratios of the same run mean something.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
export const outDirectory = join(root, 'bench/out');
export const perfTs = [process.execPath, join(root, 'dist/bin/main.js')];

mkdirSync(outDirectory, { recursive: true });
// Names that an earlier run has found in files are not kept, so that each run finds them anew. The code that V8 has
// compiled is: only the first run after an installation has none.
process.env.PERF_TS_NO_CACHE = 'names';

/** Compiles the workload that the live tests use, once per run. */
export function workload() {
  const binary = join(outDirectory, 'workload');
  const source = join(root, 'test/helpers/workload.c');
  execFileSync('cc', ['-O2', '-g', '-fno-omit-frame-pointer', '-pthread', '-o', binary, source]);
  return binary;
}

/** True when Debian's perf (the peer) is here. */
export function hasPerf() {
  try {
    execFileSync('perf', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** FlameGraph's scripts are in no package: FLAMEGRAPH_DIR says where a checkout lies. */
export function stackcollapse() {
  const directory = process.env.FLAMEGRAPH_DIR;
  if (directory === undefined) return null;
  const script = join(directory, 'stackcollapse-perf.pl');
  return existsSync(script) ? script : null;
}

/** Runs a shell command; its output is thrown away. Seconds of user + system and of wall time. */
export function time(command) {
  const timed = `TIMEFORMAT='%U %S %R'; time { ${command} ; } >/dev/null 2>/dev/null`;
  const text = execFileSync('bash', ['-c', `{ ${timed} ; } 2>&1`], { encoding: 'utf8' });
  const [user, system, wall] = text.trim().split('\n').pop().split(' ').map(Number);
  return { cpu: user + system, wall };
}

/** A background command; `stop()` ends it and waits. */
export function background(command, args) {
  const child = spawn(command, args, { stdio: 'ignore' });
  const ended = new Promise((done) => child.on('exit', done));
  return {
    pid: child.pid,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The page of a recording, served: its address and its server's pid; `stop()` ends it and waits. */
export async function servePage(...files) {
  const [command, ...args] = perfTs;
  const child = spawn(command, [...args, 'view', '--no-open', ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((done) => child.once('exit', done));
  const url = await new Promise((done) =>
    child.stdout.once('data', (text) => done(String(text).trim())),
  );
  return {
    url,
    pid: child.pid,
    stop: async () => {
      child.kill('SIGINT');
      await ended;
    },
  };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * Measures `ours` and `peer` in turn (A B A B …) and compares them pair by pair: the medians, the
 * median of the ratios ours / peer, and the least and the greatest ratio.
 */
export async function compare(pairs, ours, peer) {
  const a = [];
  const b = [];
  for (let i = 0; i < pairs; i++) {
    a.push(await ours());
    b.push(await peer());
  }
  const ratios = a.map((value, i) => value / b[i]);
  return {
    ours: median(a),
    peer: median(b),
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
  };
}

/** A row for a time in seconds that must be at least `factor` times shorter than the peer's. */
export function fasterRow(what, compared, factor) {
  const { ours, peer, ratio, spread } = compared;
  return {
    what,
    ours: `${ours.toFixed(2)} s`,
    peer: `${peer.toFixed(2)} s`,
    ratio: 1 / ratio,
    spread: [1 / spread[1], 1 / spread[0]],
    reach: `≥ ${factor}× faster`,
    met: 1 / ratio >= factor,
  };
}

/** A row for seconds that may be at most `factor` times the peer's. */
export function costRow(what, compared, factor) {
  const { ours, peer, ratio, spread } = compared;
  return {
    what,
    ours: `${ours.toFixed(2)} s`,
    peer: `${peer.toFixed(2)} s`,
    ratio,
    spread,
    reach: `≤ ${factor}×`,
    met: ratio <= factor,
  };
}

const HOW_TO_GET = {
  perf: "Debian's package linux-perf",
  stackcollapse: 'a checkout of brendangregg/FlameGraph, named by FLAMEGRAPH_DIR',
  chromium: "Debian's package chromium",
};

/** A row that could not be measured, with the way to get what it needs. */
export function missingRow(what, ...peers) {
  const needs = peers.map((peer) => HOW_TO_GET[peer]).join(' and ');
  return { what, ours: 'not measured', note: `needs ${needs}` };
}

/**
 * Records the workload, two threads with stacks of `depth` + 5 frames, until the file has `least`
 * samples, unless it has them: how many a second brings depends on what else the machine does.
 * Returns their number.
 */
export function recordAtLeast(least, hz, depth, file) {
  const [command, ...args] = perfTs;
  const count = () => (existsSync(file) ? info(file).records.SAMPLE : 0);
  let seconds = 4;
  let samples = count();
  while (samples < least && seconds <= 256) {
    const record = ['record', '-q', '-F', `${hz}`, '-g', '-o', file, '--'];
    execFileSync(command, [...args, ...record, workload(), 'burn', '2', `${seconds}`, `${depth}`]);
    samples = count();
    seconds = Math.ceil((seconds * least * 1.1) / samples);
  }
  return samples;
}

/** Counts of `perf report --stats`: record name -> how many. */
export function perfStats(file) {
  const text = execFileSync('perf', ['report', '--stats', '-i', file], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const counts = {};
  const firstBlock = /Aggregated stats:\n([\s\S]*?)(\n\S+ stats:|$)/.exec(text)?.[1] ?? '';
  for (const [, name, count] of firstBlock.matchAll(/^\s*(\w+) events:\s+(\d+)/gm)) {
    counts[name] = Number(count);
  }
  return counts;
}

/** `perf-ts info --json` of a file. */
export function info(file) {
  const [command, ...args] = perfTs;
  return JSON.parse(execFileSync(command, [...args, 'info', '--json', file], { encoding: 'utf8' }));
}

/** What `perf report` says was lost in all: the last line of its header. */
export function perfLost(file) {
  const text = execFileSync('perf', ['report', '-i', file, '--stdio', '-g', 'none'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return Number(/Total Lost Samples: (\d+)/.exec(text)?.[1] ?? 0);
}

/** Records the same command with both; samples, losses and FORK records of each. */
export function recordBoth(base, flags, target) {
  const [command, ...args] = perfTs;
  const ours = `${base}.data`;
  execFileSync(command, [...args, 'record', ...flags, '-o', ours, '--', ...target], {
    stdio: 'ignore',
  });
  const mine = info(ours);
  const result = {
    ours: { samples: mine.records.SAMPLE, lost: mine.loss.best, forks: mine.records.FORK ?? 0 },
    peer: { samples: 0, lost: 0, forks: 0 },
  };
  if (!hasPerf()) return result;
  const theirs = `${base}-perf.data`;
  execFileSync('perf', ['record', ...flags, '-o', theirs, '--', ...target], { stdio: 'ignore' });
  const stats = perfStats(theirs);
  result.peer = { samples: stats.SAMPLE, lost: perfLost(theirs), forks: stats.FORK ?? 0 };
  return result;
}
