// A build to measure: its `openProfile`, and its report with the interval of every share, as the
// command `report` prints it.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Loads a build from its directory (`dist`). */
export async function loadBuild(directory) {
  const load = (path) => import(join(resolve(directory), path));
  const { openProfile } = await load('index.js');
  const { computeFlatReport } = await load('profile/flat-report.js');
  // Builds that state no interval have no such file.
  const estimates = existsSync(join(directory, 'session/share-estimator.js'))
    ? await load('session/share-estimator.js')
    : null;
  return {
    open: openProfile,
    report(opened) {
      const event = opened.eventIndex();
      const weights = opened.weights('events', event);
      const estimator = estimates?.estimateShares(opened.profile, weights, event);
      const wanted = estimator && { estimator, tables: ['bySymbol'], totals: true };
      return computeFlatReport(opened.profile, weights, opened.samplesOf(event), wanted);
    },
  };
}
