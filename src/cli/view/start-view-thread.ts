// Entry of the thread of a recording that `view` shows, in the bundle.

import { loadViewThread } from '../start/load-program.ts';

loadViewThread(import.meta.dirname);
