import { defineConfig } from 'vitest/config';
import { ApartSequencer } from './test/helpers/apart-sequencer.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These only end what never ends: live tests share the machine with whatever else runs, and none
    // says how soon something has to happen.
    testTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    // A live test is a new recording each time, beside whatever else runs. What failed once and then
    // passed is marked (retry x1) in the log: worth a look, not a broken build.
    retry: 1,
    // FAIL_FIRST_TRIES=1: each test is tried twice, to see that what a try leaves does not harm the next.
    setupFiles: process.env.FAIL_FIRST_TRIES ? ['test/helpers/fail-first-tries.ts'] : [],
    hookTimeout: 600_000,
    // Two at a time also on small machines; more would only take time from what is being recorded.
    maxWorkers: 2,
    sequence: { sequencer: ApartSequencer },
    // What perf has stored below ~/.debug on this machine is no part of a recording under test.
    env: { PERF_BUILDID_DIR: '/nonexistent' },
    server: { deps: { inline: ['d3-flame-graph'] } },
  },
});
