// Runs the core cases on this machine's kernel, and prints one line of JSON for each. Runs where the
// recordings run: in a guest, with what x86-guest.mjs puts there.
//
//     node core-run.mjs APP_DIR OUT_DIR PROGRAM_DIR [CASE...]      all-but:CASE: all others

import { chmodSync, cpSync, mkdirSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { CORE_CASES } from './core-cases.mjs';
import { PerfTs } from './perf-ts-runs.mjs';

const [app, out, programs, ...names] = process.argv.slice(2);
if (programs === undefined) {
  console.error('usage: node core-run.mjs APP_DIR OUT_DIR PROGRAM_DIR [CASE...]');
  process.exit(2);
}
mkdirSync(out, { recursive: true });
// A case records as another user.
chmodSync(out, 0o777);
// Linux 6.1 writes no build ID of a file on a 9p share without a cache.
const recorded = join(out, 'programs');
cpSync(programs, recorded, { recursive: true });
const [major, minor] = release().split('.').map(Number);
const context = {
  perfTs: new PerfTs(app, out),
  out,
  workload: join(recorded, 'workload'),
  waits: join(recorded, 'waits'),
  /** Whether the kernel is that version or a later one. */
  isSince: (thisMajor, thisMinor) =>
    major > thisMajor || (major === thisMajor && minor >= thisMinor),
};

let failures = 0;
for (const { name, run } of CORE_CASES) {
  const isChosen = names.length === 0 || names.includes(name);
  const isOther = names[0]?.startsWith('all-but:') && names[0] !== `all-but:${name}`;
  if (!isChosen && !isOther) continue;
  const start = Date.now();
  const result = { name, kernel: release() };
  try {
    const { found, missing = [] } = await run(context);
    Object.assign(result, { isOk: true, found, missing });
  } catch (error) {
    failures++;
    Object.assign(result, { isOk: false, found: error.message, missing: [] });
  }
  console.log(JSON.stringify({ ...result, seconds: (Date.now() - start) / 1000 }));
}
process.exitCode = failures > 0 ? 1 : 0;
