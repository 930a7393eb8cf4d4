// What of the error is bias: the mean of ln(share / true share) over repetitions. Noise averages
// out over runs; what stays is the estimator's, and no longer recording takes it away.

import { formatTable } from './distribution.mjs';

/** Per scenario, rate and function: mean ± standard error of each weight, `!` where it is bias. */
export function biasTable(results) {
  const groups = new Map();
  for (const { run, rows } of results) {
    for (const row of rows) {
      const key = `${run.scenario} | ${run.hz} Hz | ${row.name}`;
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
  }
  const lines = [];
  for (const [key, rows] of groups) {
    const meanShare = rows.reduce((sum, row) => sum + row.trueShare, 0) / rows.length;
    const ess = rows.reduce((sum, row) => sum + row.functionEss, 0) / rows.length;
    const cells = ['events', 'period'].map((weight) =>
      formatMean(rows.map((row) => Math.log(row.shares[weight] / row.trueShare))),
    );
    lines.push([
      key,
      String(rows.length),
      `${(100 * meanShare).toFixed(1)} %`,
      ess.toFixed(0),
      ...cells,
    ]);
  }
  const head = [
    'scenario',
    'rate',
    'function',
    'runs',
    'true share',
    'own ESS',
    'events',
    'period',
  ];
  return formatTable(head, lines);
}

/** Three standard errors from zero are taken for bias. */
function formatMean(logs) {
  const values = logs.filter(Number.isFinite);
  if (values.length < 2) return '';
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const error = Math.sqrt(squares / (values.length - 1) / values.length);
  const sign = mean < 0 ? '−' : '+';
  const figure = `${sign}${Math.abs(100 * mean).toFixed(1)} ± ${(100 * error).toFixed(1)} %`;
  return Math.abs(mean) > 3 * error ? `${figure} !` : figure;
}
