// Vitest runs this anew for each test file, also where files share their modules.

import { afterAll, afterEach } from 'vitest';
import { takeCost } from './file-cost.ts';
import { takeRuns } from './noted-runs.ts';
import { undoAll } from './scratch.ts';

// The last of these hooks is the first to run.
// biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of fixtures from the first parameter
afterAll(({}, { file }) => {
  file.meta.cost = takeCost();
});
afterAll(undoAll);

afterEach(({ task }) => {
  const runs = takeRuns();
  if (task.result?.state === 'fail') for (const run of runs) console.error(run);
});
