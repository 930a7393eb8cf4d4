import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Only against a test that never ends: live tests share the machine with whatever else runs.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    server: { deps: { inline: ['d3-flame-graph'] } },
  },
});
