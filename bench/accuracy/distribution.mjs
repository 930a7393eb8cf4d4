// Errors as distributions: what is printed and written down is all rows, never the best.

/** The value below which `part` (0…1) of the sorted values lie. */
export function quantile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}

/** Median, p90, p95, maximum and the part of the factors that is at most 1.03. */
export function distribution(factors) {
  const sorted = [...factors].sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  return {
    count: sorted.length,
    median: quantile(sorted, 0.5),
    p90: quantile(sorted, 0.9),
    p95: quantile(sorted, 0.95),
    max: sorted[sorted.length - 1],
    within: sorted.filter((factor) => factor <= 1.03).length / sorted.length,
  };
}

/** How many of the stated intervals hold the truth; null where none is stated. */
export function coverage(rows) {
  const stated = rows.filter((row) => row.interval !== null);
  if (stated.length === 0) return null;
  const held = stated.filter(({ interval, trueShare }) => holds(interval, trueShare)).length;
  return { held, stated: stated.length, part: held / stated.length };
}

export function holds([low, high], trueShare) {
  return low <= trueShare && trueShare <= high;
}

export function formatFactor(factor) {
  if (factor === undefined) return '';
  if (factor === Number.POSITIVE_INFINITY) return 'missed';
  return factor >= 10 ? factor.toFixed(0) : factor.toFixed(3);
}

export function formatPart(part) {
  return `${(part * 100).toFixed(0)} %`;
}

/** A Markdown table of rows of text. */
export function formatTable(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
