import { defineConfig } from 'vitest/config';
import { ApartSequencer } from './test/helpers/apart-sequencer.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/own-folders.ts'],
    // These only end what never ends: live tests share the machine with whatever else runs, and none
    // says how soon something has to happen.
    testTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    // A test that fails now and then is wrong, or has found something.
    retry: 0,
    // Where a test is skipped, its place in the source leads to the condition.
    includeTaskLocation: true,
    hookTimeout: 600_000,
    // Two at a time also on small machines; more would only take time from what is being recorded.
    maxWorkers: 2,
    sequence: { sequencer: ApartSequencer },
    // What perf has stored below ~/.debug on this machine is no part of a recording under test.
    env: { PERF_BUILDID_DIR: '/nonexistent' },
    server: { deps: { inline: ['d3-flame-graph'] } },
  },
});
