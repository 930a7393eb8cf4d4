// Entry of the thread of a recording that `view` shows, in the bundle.

import { loadViewThread } from '../code-cache/load-program.ts';

loadViewThread(import.meta.dirname);
