#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { whyNodeTooOld } from '../system/node-version.ts';
import { packageVersion } from '../system/version.ts';

/** Returns false where the version is not asked for, or can't be written: the program says why. */
function printVersion(): boolean {
  const [, , word, ...rest] = process.argv;
  if (rest.length > 0 || (word !== '--version' && word !== '-V')) return false;
  try {
    writeSync(1, `${packageVersion()}\n`);
    return true;
  } catch {
    return false;
  }
}

// An older Node would fail while it loads the program: that is imported only by one that can run it.
const tooOld = whyNodeTooOld();
if (tooOld !== null) {
  console.error(tooOld.replace(/^perf-ts /, 'perf-ts: '));
  // EXIT.FAILED, whose module is the program's.
  process.exitCode = 125;
} else if (!printVersion()) {
  void import('./code-cache/load-program.ts').then(({ loadProgram }) =>
    loadProgram(import.meta.dirname),
  );
}
