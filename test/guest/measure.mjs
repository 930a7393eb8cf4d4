// Records every case of cases.mjs on this machine and prints one JSON document of what was found.
// Runs where the recordings run: in the guest, with a directory made by build-app.mjs.
//
//     node measure.mjs APP_DIR OUT_DIR PROGRAM [stat]      stat: only what is counted

import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { CASES } from './cases.mjs';
import { measureStat } from './stat-cases.mjs';

const [app, out, program, part] = process.argv.slice(2);
if (program === undefined) {
  console.error('usage: node measure.mjs APP_DIR OUT_DIR PROGRAM [stat]');
  process.exit(2);
}
const { openProfile } = await import(join(app, 'dist/index.js'));
const { finish } = await import(join(app, 'dist/base/slices.js'));
const { fitRules } = await import(join(app, 'dist/period/period-rule.js'));
const { groupByStream } = await import(join(app, 'dist/period/streams.js'));

mkdirSync(out, { recursive: true });
const results = [];
if (part !== 'stat') for (const one of CASES) results.push(await measure(one));
const stat = measureStat(app, program);
console.log(JSON.stringify({ kernel: release(), arch: process.arch, results, stat }));

async function measure(one) {
  const path = join(out, `${one.name.replace(/[^a-z0-9]+/gi, '-')}.data`);
  rmSync(path, { force: true });
  const options = ['-e', one.event, '-F', String(one.hz), '--json', '-o', path];
  if (one.counts) options.push('--counts');
  if (!one.inherit) options.push('-i');
  if (one.ringPages !== undefined) options.push('-m', String(one.ringPages));
  const run = spawnSync(
    process.execPath,
    [join(app, 'dist/bin/main.js'), 'record', ...options, '--', program, ...one.steps],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  );
  if (run.status !== 0) {
    return { name: one.name, failed: `record ended with ${run.status}: ${run.stderr.trim()}` };
  }
  const summary = JSON.parse(run.stderr.trim().split('\n').at(-1));
  const opened = await openProfile(path);
  const { profile } = opened;
  const [event] = opened.periods({ streams: 'all' }).events;
  const weights = opened.weights('events').values;
  const { bySymbol } = opened.report({ weight: 'events' });
  const [fit] = finish(fitRules(profile, finish(groupByStream(profile))));
  return {
    name: one.name,
    notices: summary.notices,
    samples: event.samples,
    streams: event.streamCount,
    lostSamples: event.lost.samples,
    hasCounts: !Number.isNaN(profile.samples.count?.[0] ?? Number.NaN),
    rule: event.reportedPeriod,
    fit: { rule: fit.rule, z: fit.z, noise: fit.noise },
    weighed: weights.reduce((sum, weight) => sum + weight, 0),
    lastCounts: sumLastCounts(profile),
    ledger: event.ledger ?? null,
    counted: event.eventsCounted,
    effectiveSamples: effectiveSamples(weights),
    self: Object.fromEntries(
      Object.keys(one.shares).map((name) => [name, selfOf(opened, bySymbol, name)]),
    ),
    models: event.streams.map(({ model }) => model).filter((model) => model !== null),
    firstPeriods: event.streams[0]?.firstPeriods.slice(0, 12) ?? [],
    firstCounts: Array.from(profile.samples.count?.subarray(0, 12) ?? []),
  };
}

/** Σ over the streams of the counter at their last sample; NaN without counts. */
function sumLastCounts(profile) {
  const { count } = profile.samples;
  if (count === null) return Number.NaN;
  const groups = finish(groupByStream(profile));
  let sum = 0;
  for (let g = 0; g < groups.length; g++) {
    sum += count[groups.rows[groups.offsets[g + 1] - 1]];
  }
  return sum;
}

function effectiveSamples(weights) {
  let sum = 0;
  let squares = 0;
  for (const weight of weights) {
    sum += weight;
    squares += weight * weight;
  }
  return squares > 0 ? (sum * sum) / squares : 0;
}

function selfOf(opened, bySymbol, name) {
  return bySymbol.find(({ func }) => opened.nameOf(func) === name)?.self ?? 0;
}
