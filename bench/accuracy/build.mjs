// A build to measure: its `openProfile`, and its report with the interval of every share (older
// builds state none).

import { join, resolve } from 'node:path';

/** Loads a build from its directory (`dist`). */
export async function loadBuild(directory) {
  const { openProfile } = await import(join(resolve(directory), 'index.js'));
  return { open: openProfile, report: (opened) => opened.report() };
}
