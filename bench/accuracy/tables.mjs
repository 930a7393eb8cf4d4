// The tables of a set of results: `{ run, samples, ess, rows }`, where a row's `factors` has one
// entry per way of weighing ('samples', 'period', 'events', 'perf', 'perf on our file').

import { coverage, distribution, formatFactor, formatPart, formatTable } from './distribution.mjs';

/** What the bench must reach from here on: an effective sample size of the recording. */
export const ENOUGH_ESS = 400;

export const WAYS = ['events', 'period', 'samples', 'perf on our file', 'perf'];
const NAMES = { events: '**events** (default)', perf: '`perf record` + `perf report`' };

/** All tables, as Markdown. */
export function formatTables(results) {
  const enough = results.filter((result) => result.ess >= ENOUGH_ESS);
  const few = results.filter((result) => result.ess < ENOUGH_ESS);
  return [
    title(`Recordings with an effective sample size of at least ${ENOUGH_ESS}`, enough),
    waysTable(enough),
    title(`Recordings with less than that`, few),
    waysTable(few),
    '### The default, by the effective sample size of the function itself',
    functionsTable(results),
    '### The default, by scenario, kind of event, rate and counter',
    groupsTable(results),
  ].join('\n\n');
}

/** The default weight of two builds over the same runs, by scenario. */
export function comparisonTable(results, others) {
  const byScenario = new Map();
  results.forEach(({ run, rows }, i) => {
    const pairs = rows.map((row, k) => [row.factors.events, others[i].rows[k].factors.events]);
    byScenario.set(run.scenario, [...(byScenario.get(run.scenario) ?? []), ...pairs]);
  });
  const lines = [...byScenario, ['all', [...byScenario.values()].flat()]].map(([name, pairs]) => {
    const ours = distribution(pairs.map(([factor]) => factor));
    const theirs = distribution(pairs.map(([, factor]) => factor));
    const column = (key) => `${formatFactor(theirs[key])} → ${formatFactor(ours[key])}`;
    // A hundredth of a per cent is no change.
    const nearer = pairs.filter(([our, their]) => our < their - 1e-4).length;
    const further = pairs.filter(([our, their]) => our > their + 1e-4).length;
    const figures = [column('median'), column('p90'), column('max'), nearer, further];
    return [name, String(pairs.length), ...figures.map(String)];
  });
  const head = ['other → this build', 'functions', 'median', 'p90', 'worst', 'nearer', 'further'];
  return formatTable(head, lines);
}

function title(text, results) {
  const rows = results.reduce((sum, result) => sum + result.rows.length, 0);
  return `### ${text}: ${results.length} runs, ${rows} functions`;
}

function rowsOf(results) {
  return results.flatMap((result) => result.rows);
}

function waysTable(results) {
  const rows = rowsOf(results);
  const lines = [];
  for (const way of WAYS) {
    const found = distribution(rows.map((row) => row.factors[way]).filter((f) => f !== undefined));
    if (found === null) continue;
    const worst = results.map((result) =>
      Math.max(...result.rows.map((row) => row.factors[way] ?? Number.NaN)),
    );
    const runs = worst.filter((factor) => !Number.isNaN(factor));
    const good = runs.filter((factor) => factor <= 1.03).length;
    lines.push([
      NAMES[way] ?? way,
      ...[found.median, found.p90, found.p95, found.max].map(formatFactor),
      formatPart(found.within),
      `${good} of ${runs.length}`,
      way === 'events' ? formatCoverage(rows) : '',
    ]);
  }
  const head = [
    'weight',
    'median',
    'p90',
    'p95',
    'worst',
    '≤ 1.03',
    'runs all ≤ 1.03',
    'in interval',
  ];
  return formatTable(head, lines);
}

function formatCoverage(rows) {
  const found = coverage(rows);
  return found === null ? 'none stated' : `${formatPart(found.part)} of ${found.stated}`;
}

/** The samples in a function are what its share rests on, so its own number of them tells most. */
function functionsTable(results) {
  const classes = [
    [`≥ ${ENOUGH_ESS}`, ENOUGH_ESS, Number.POSITIVE_INFINITY],
    [`100 to ${ENOUGH_ESS}`, 100, ENOUGH_ESS],
    ['20 to 100', 20, 100],
    ['< 20', 0, 20],
  ];
  const lines = [];
  for (const [name, low, high] of classes) {
    const rows = rowsOf(results).filter((row) => row.functionEss >= low && row.functionEss < high);
    const found = distribution(rows.map((row) => row.factors.events));
    if (found === null) continue;
    const figures = [found.median, found.p90, found.p95, found.max].map(formatFactor);
    const part = formatPart(found.within);
    lines.push([name, String(rows.length), ...figures, part, formatCoverage(rows)]);
  }
  const head = ['own ESS', 'functions', 'median', 'p90', 'p95', 'worst', '≤ 1.03', 'in interval'];
  return formatTable(head, lines);
}

function groupsTable(results) {
  const keys = [
    ['scenario', (run) => run.scenario],
    ['event', (run) => run.kind],
    ['rate', (run) => `${run.hz} Hz`],
    ['counter', (run) => (run.counts ? 'with --counts' : 'without')],
  ];
  const lines = [];
  for (const [, keyOf] of keys) {
    const groups = Map.groupBy
      ? Map.groupBy(results, ({ run }) => keyOf(run))
      : groupBy(results, ({ run }) => keyOf(run));
    for (const [key, group] of groups) {
      const rows = rowsOf(group);
      const ours = distribution(rows.map((row) => row.factors.events));
      if (ours === null) continue;
      const theirs = distribution(
        rows.map((row) => row.factors.perf).filter((f) => f !== undefined),
      );
      const ess = group.map((result) => result.ess).sort((a, b) => a - b);
      lines.push([
        key,
        String(group.length),
        ess[Math.floor(ess.length / 2)].toFixed(0),
        // Of the events made, what the weights sum to: the rest came after the last sample.
        formatPart(Math.min(...group.map((result) => result.sumRatio))),
        ...[ours.median, ours.p95, ours.max].map(formatFactor),
        formatPart(ours.within),
        formatCoverage(rows),
        ...[theirs?.median, theirs?.p95, theirs?.max].map(formatFactor),
      ]);
    }
  }
  const head = ['', 'runs', 'ESS', 'least Σ', 'median', 'p95', 'worst', '≤ 1.03', 'in interval'];
  return formatTable([...head, 'perf median', 'perf p95', 'perf worst'], lines);
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  }
  return groups;
}
