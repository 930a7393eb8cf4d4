// Whether the intervals of recordings of `work` hold what it counted itself.
//
//     node bench/coverage/counted/measure.mjs DIR [DIST]

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadBuild } from '../../accuracy/build.mjs';
import { measure } from '../../accuracy/measure.mjs';

const [directory, dist = join(import.meta.dirname, '../../../dist')] = process.argv.slice(2);
const build = await loadBuild(dist);
const scenarios = new Map();
for (const file of readdirSync(directory).sort()) {
  const [, scenario] = /^(.*)-\d+\.data$/.exec(file) ?? [];
  if (scenario === undefined) continue;
  const text = readFileSync(join(directory, file.replace(/\.data$/, '.json')), 'utf8');
  const { rows, samples } = await measure(build, join(directory, file), {
    events: JSON.parse(text),
  });
  const own = scenarios.get(scenario) ?? {
    runs: 0,
    samples: [],
    held: 0,
    all: 0,
    errors: [],
    widths: [],
    periods: [],
  };
  own.runs++;
  own.samples.push(samples);
  for (const { trueShare, shares, interval } of rows) {
    own.all++;
    if (interval === null) continue;
    const [low, high] = interval;
    if (trueShare >= low && trueShare <= high) own.held++;
    own.errors.push(shares.events - trueShare);
    own.periods.push(shares.period - trueShare);
    own.widths.push((high - low) / 2);
  }
  scenarios.set(scenario, own);
}

const rootMean = (values) => Math.sqrt(values.reduce((sum, v) => sum + v * v, 0) / values.length);
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const points = (value) => (100 * value).toFixed(2);
console.log(
  '| scenario | runs | samples | held | error, points | by period | half width | width |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const [name, { runs, samples, held, all, errors, widths, periods }] of scenarios) {
  const width = median(widths) / (1.96 * rootMean(errors));
  const cells = [
    name,
    runs,
    median(samples),
    `${((100 * held) / all).toFixed(0)} % of ${all}`,
    points(rootMean(errors)),
    points(rootMean(periods)),
    points(median(widths)),
    width.toFixed(2),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
