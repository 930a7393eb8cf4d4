// Where the thread of a recording that `view` shows begins, in the bundle.

import { loadViewThread } from '../start/load-program.ts';

loadViewThread(import.meta.dirname);
