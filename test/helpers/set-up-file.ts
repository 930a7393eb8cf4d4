// Vitest runs this anew for each test file, also where files share their modules.

import { afterAll } from 'vitest';
import { takeCost } from './file-cost.ts';
import { undoAll } from './scratch.ts';

// The last of these hooks is the first to run.
// biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of fixtures from the first parameter
afterAll(({}, { file }) => {
  file.meta.cost = takeCost();
});
afterAll(undoAll);
