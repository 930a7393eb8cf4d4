#!/usr/bin/env node
import { whyNodeTooOld } from '../system/node-version.ts';

// An older Node would fail while it loads the program: that is imported only by one that can run it.
const tooOld = whyNodeTooOld();
if (tooOld === null) {
  await import('./program.ts');
} else {
  console.error(tooOld.replace(/^perf-ts /, 'perf-ts: '));
  // EXIT.FAILED, whose module is the program's.
  process.exitCode = 125;
}
