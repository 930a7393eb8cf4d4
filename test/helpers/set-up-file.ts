// Vitest runs this anew for each test file, also where files share their modules.

import { afterAll } from 'vitest';
import { undoAll } from './scratch.ts';

afterAll(undoAll);
