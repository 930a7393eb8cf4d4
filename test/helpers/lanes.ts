// The lanes of the tests, by what a file needs: `npm test` is the unit lane, `test/run.sh --all` runs all.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export type Lane =
  | 'unit'
  | 'alone'
  | 'core'
  | 'still'
  | 'live'
  | 'perf'
  | 'command'
  | 'browser'
  | 'fuzz'
  | 'installed';

/** Files that take seconds of computing and need nothing else. */
const LONG = new Set([
  'test/code/dwarf/programs.test.ts',
  'test/formats/export/corpora-exports.test.ts',
  'test/formats/export/viewers.test.ts',
  'test/formats/perf-data/corpora.test.ts',
  'test/formats/perf-data/cut-anywhere.test.ts',
  'test/formats/perf-data/compressed.test.ts',
  'test/period/coverage.test.ts',
  'test/period/uncertainty-coverage.test.ts',
  'test/read/ordered-records.test.ts',
  'test/rewrite/corpora.test.ts',
]);

/** Files that show whether recording, reading and the page work at all: the others go into what each has of cases. */
const CORE = new Set([
  'test/browser/page.test.ts',
  'test/examples/quickstart.test.ts',
  'test/live/command-start.test.ts',
  'test/live/jit-maps.test.ts',
  'test/live/off-cpu.test.ts',
  'test/live/output-safety.test.ts',
  'test/live/sideband.test.ts',
  'test/live/top.test.ts',
]);

/** Files whose rates of events are compared with a model: what runs beside them takes caches and the host's time. */
const STILL = new Set(['test/live/model.test.ts']);

/** Files that try the package where one is made, and the checkout otherwise. */
const OF_THE_PACKAGE = new Set([
  'test/docs/run-commands.test.ts',
  'test/live/command-start.test.ts',
  'test/live/command-stdio.test.ts',
  'test/live/jit-maps.test.ts',
  'test/live/node-typescript.test.ts',
]);

/** Files in which perf records. */
const PERF_RECORDS = new Set([
  'test/code/unwind/programs.test.ts',
  'test/formats/perf-data/perf-compatibility.test.ts',
  'test/formats/perf-data/perf-recordings.test.ts',
  'test/kernel/tracepoint/live.test.ts',
  'test/live/lbr-callchain.test.ts',
  'test/live/perf-agreement-options.test.ts',
  'test/live/perf-dump.test.ts',
  'test/live/script-text.test.ts',
  'test/read/perf-attrs.test.ts',
]);

/**
 * Files of most time, the longest first (`test/summarize.mjs` prints it): one that began last would leave the other CPUs
 * without work.
 */
const LONGEST = [
  'test/docs/run-commands.test.ts',
  'test/live/doors.test.ts',
  'test/live/agent-faults.test.ts',
  'test/live/agent.test.ts',
  'test/live/attach-js.test.ts',
  'test/live/perf-agreement-options.test.ts',
  'test/period/coverage.test.ts',
  'test/live/ledger.test.ts',
  'test/cli/stdio-flags.test.ts',
  'test/browser/screens.test.ts',
  'test/cli/expectations.test.ts',
  'test/live/output-switch.test.ts',
  'test/fuzz/supervisor.test.ts',
  'test/faults/faults.test.ts',
  'test/limits/limits.test.ts',
  'test/cli/habits/perf-invocations.test.ts',
];

/** The order in which vitest runs files of one group: the longest first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const longest = LONGEST.flatMap((path) =>
      sorted.filter(({ moduleId }) => moduleId.endsWith(`/${path}`)),
    );
    return [...longest, ...sorted.filter((file) => !longest.includes(file))];
  }
}

/** Files that need the addon or the built page. */
const BUILT = new Set([
  'test/kernel/events/libpfm-tools.test.ts',
  'test/read/open-import.test.ts',
  'test/system/files/file-identity.test.ts',
  'test/tools/archive/archive-safety.test.ts',
  'test/view/assembly.test.ts',
]);

/**
 * `core` is a slice of `live` and `browser`, `still` has those that need the machine for themselves. `live` records on this
 * kernel, in `perf` perf does, and nothing else beside it, `command` runs the built command, the addon or a compiler,
 * `browser` opens the page in Chromium and Firefox, `fuzz` reads hostile input, `installed` runs what was packed; all else is
 * pure code: `alone` changes what a process has once (its user, a module), the files of `unit` share their process and
 * its modules. Those of `command` do so, too.
 */
export function laneOf(path: string, text: string, isPacked: boolean): Lane {
  if (path.startsWith('test/release/') || (isPacked && OF_THE_PACKAGE.has(path)))
    return 'installed';
  if (CORE.has(path)) return 'core';
  if (STILL.has(path)) return 'still';
  if (PERF_RECORDS.has(path)) return 'perf';
  if (path.startsWith('test/browser/')) return 'browser';
  if (/^test\/(?:fuzz|limits|faults)\//.test(path)) return 'fuzz';
  if (/^test\/(?:live|examples)\//.test(path) || text.includes('helpers/live.ts')) return 'live';
  if (LONG.has(path) || BUILT.has(path) || path.startsWith('test/native/')) return 'command';
  if (/helpers\/(?:cli|compile|both-tools|recordings|query-tables)\.ts/.test(text))
    return 'command';
  return /vi\.mock\(|process\.sete[ug]id/.test(text) ? 'alone' : 'unit';
}

/** All test files below `root`, by lane; `isPacked`: a package is made and tried as well. */
export function testFilesByLane(root: string, isPacked: boolean): Record<Lane, string[]> {
  const lanes: Record<Lane, string[]> = {
    unit: [],
    alone: [],
    core: [],
    still: [],
    live: [],
    perf: [],
    command: [],
    browser: [],
    fuzz: [],
    installed: [],
  };
  const names = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((file) => file.endsWith('.test.ts'))) {
    const path = join('test', name);
    lanes[laneOf(path, readFileSync(join(root, path), 'utf8'), isPacked)].push(path);
  }
  return lanes;
}
