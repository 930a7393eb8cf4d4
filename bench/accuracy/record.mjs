// One run: a scenario under perf-ts, and again under perf, each with the truth that its own program
// wrote.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { perfTs, root } from '../measure.mjs';
import { scenarios, scriptOf } from './scenarios.mjs';

export const KINDS = {
  faults: { event: 'page-faults', flags: [] },
  // The tracepoint's own address is in the kernel: the function is in the call stack.
  calls: { event: 'raw_syscalls:sys_enter', flags: ['-g'] },
};

/** Compiles the programs into `directory`. */
export function compilePrograms(directory) {
  mkdirSync(directory, { recursive: true });
  const sources = join(root, 'bench/accuracy/programs');
  for (const program of ['threads', 'forks']) {
    const files = [join(sources, `${program}.c`), join(sources, 'work.c')];
    const flags = ['-O2', '-g', '-fno-omit-frame-pointer', '-pthread'];
    execFileSync('cc', [...flags, '-o', join(directory, program), ...files]);
  }
}

/**
 * Records `run` into its directory: `perf.data`, the script, and the truth. With `peer`, a second
 * run of the same script under `perf record`: `peer.data`, and its truth.
 */
export function record(run, directory, programs, peer) {
  mkdirSync(directory, { recursive: true });
  const { event, flags } = KINDS[run.kind];
  const scenario = scenarios[run.scenario];
  const script = join(directory, 'script');
  writeFileSync(script, scriptOf(scenario, run.kind, run.seed));
  const program = join(programs, scenario.program);
  const rate = ['-e', event, '-F', String(run.hz), ...flags];

  const [command, ...args] = perfTs;
  const counts = run.counts ? ['--counts'] : [];
  const data = join(directory, 'perf.data');
  const target = (truth) => ['--', program, run.kind, script, truth];
  const truth = join(directory, 'truth.json');
  execute(command, [...args, 'record', '-q', ...rate, ...counts, '-o', data, ...target(truth)]);
  if (peer) {
    const theirs = join(directory, 'peer.data');
    const peerTruth = join(directory, 'peer-truth.json');
    execute('perf', ['record', '-q', ...rate, '-o', theirs, ...target(peerTruth)]);
  }
  writeFileSync(join(directory, 'run.json'), `${JSON.stringify(run)}\n`);
}

export function readTruth(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/**
 * The weight of each counted function in `perf report`, in per cent as it prints them: with call
 * stacks that of everything below the function, else its own.
 */
export function perfReport(data, names) {
  const text = execute('perf', [
    ...['report', '--stdio', '-i', data, '-g', 'none', '--sort', 'sym', '--percent-limit', '0'],
    // Field separators take the padding away, not the digits' number: two.
    ...['-t', ';', '-q'],
  ]);
  const weights = new Map(names.map((name) => [name, 0]));
  for (const line of text.split('\n')) {
    // `12.34;[.] fault_a`, with stacks `12.34;0.00;[.] call_a`: children, self.
    const match = /^\s*([\d.]+)%?\s*;.*\[\.\] (\w+)/.exec(line);
    if (match !== null && weights.has(match[2])) {
      weights.set(match[2], weights.get(match[2]) + Number(match[1]));
    }
  }
  return weights;
}

/** Takes a run's recordings away and leaves what they were compared with. */
export function discard(directory) {
  rmSync(directory, { recursive: true, force: true });
}

function execute(command, args) {
  try {
    return execFileSync(command, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 2 ** 28,
    });
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')}\n${error.stderr ?? error.message}`);
  }
}
