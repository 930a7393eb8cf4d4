import { defineConfig } from 'vitest/config';
import { hasUnicode } from './src/cli/render/terminal.ts';
import { LongestFirst, testFilesByLane } from './test/helpers/lanes.ts';

/** Packing and installing takes a while: only who asks for it has the lane `installed`. */
const isPacked = process.env.PERF_TS_INSTALLED !== undefined;
const lanes = testFilesByLane(import.meta.dirname, isPacked);
/** These only end what never ends: nothing says how soon something has to happen on a shared machine. */
const PATIENT = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 300_000 } },
};
/** Alone, a unit test that hangs says so within a minute; beside all other lanes it may have to wait for a CPU. */
const UNIT = process.env.PERF_TS_RESULTS
  ? PATIENT
  : { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 60_000 } } };
const AFTER_UNIT = { sequence: { groupOrder: 1 } };
const project = (name: keyof typeof lanes, options: object) => ({
  test: {
    name,
    include: lanes[name],
    // Files that perf has stored below ~/.debug on this machine are no part of a recording under test; what
    // perf-ts prints is compared as UTF-8.
    env: { PERF_BUILDID_DIR: '/nonexistent', ...(hasUnicode() ? {} : { LC_ALL: 'C.UTF-8', TERM: 'xterm' }) },
    server: { deps: { inline: ['d3-flame-graph'] } },
    setupFiles: ['test/helpers/set-up-file.ts'],
    ...options,
  },
});

export default defineConfig({
  test: {
    projects: [
      // Modules are imported once per worker and not once per file: that was half of the lane's time. Files only
      // compute: more workers than CPUs would import them more often. Projects that differ in that are groups, one
      // after the other.
      project('unit', { ...UNIT, isolate: false, maxWorkers: 2, sequence: { groupOrder: 0 } }),
      project('alone', { ...UNIT, ...AFTER_UNIT }),
      project('command', { ...PATIENT, ...AFTER_UNIT, isolate: false }),
      project('core', { ...PATIENT, ...AFTER_UNIT }),
      project('live', { ...PATIENT, ...AFTER_UNIT }),
      // Behind all others: a recorder of all CPUs that asks for build IDs, as perf-ts does, makes Linux 6.18 mark
      // mappings in everybody's records as having one (`perf-event/mmap-build-id.ts`), and perf 6.1 aborts on such.
      project('perf', { ...PATIENT, sequence: { groupOrder: 2 } }),
      project('still', { ...PATIENT, maxWorkers: 1, sequence: { groupOrder: 3 } }),
      project('browser', { ...PATIENT, ...AFTER_UNIT }),
      project('fuzz', { ...PATIENT, ...AFTER_UNIT }),
      ...(isPacked
        ? [
            project('installed', {
              ...PATIENT,
              ...AFTER_UNIT,
              globalSetup: ['test/release/installed.mjs'],
            }),
          ]
        : []),
    ],
    globalSetup: ['test/helpers/own-folders.ts'],
    sequence: { sequencer: LongestFirst },
    // A test that fails now and then is wrong, or has found something.
    retry: 0,
    // Where a test is skipped, its place in the source leads to the condition.
    includeTaskLocation: true,
    // Also on two CPUs: files that record wait for programs, windows and durations, and while two of them wait, two
    // others compute. Recorders of one user share `perf_event_mlock_kb`, and each has its RLIMIT_MEMLOCK besides.
    maxWorkers: 4,
    // What was translated once is kept below node_modules until the file changes.
    experimental: { fsModuleCache: true },
  },
});
