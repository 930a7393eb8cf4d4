import type { Spread } from '../../counting/count/spread.ts';
import type { StatReport, StatResult } from '../../counting/stat/stat.ts';
import type { StatRow } from '../../counting/stat/tally.ts';

/** The document of `--json`: counts and durations are numbers, shares 0…1, unknown is null. */
export function statDocument(result: StatResult) {
  const { target, runs, elapsed, userNs, systemNs, notices, exit } = result;
  return {
    schema: 'perf-ts/stat@1' as const,
    target: describeTarget(target),
    runs,
    elapsedNs: elapsed.mean,
    ...(runs > 1 && { elapsed: spreadOf(elapsed), elapsedOfRunsNs: result.elapsedOfRunsNs }),
    userNs,
    systemNs,
    exit: exit === null ? null : { status: exit.status, signal: exit.signal },
    events: result.rows.map(rowOf),
    notices,
  };
}

/** One line of `--json -I`. */
export function intervalDocument(report: StatReport) {
  return {
    schema: 'perf-ts/stat-interval@1' as const,
    timeNs: report.timeNs,
    elapsedNs: report.elapsedNs,
    events: report.rows.map(rowOf),
  };
}

function describeTarget(target: StatResult['target']) {
  switch (target.kind) {
    case 'command':
      return { kind: 'command' as const, command: target.command.argv };
    case 'system':
      return { kind: 'system' as const, command: target.command?.argv ?? null };
    case 'threads':
      return { kind: 'threads' as const, pids: target.pids, tids: target.tids };
  }
}

function rowOf(row: StatRow) {
  const { unit, runningShare, value } = row;
  return {
    ...(unit.label !== '' && { part: unit.label, places: unit.places }),
    event: row.event,
    group: row.group < 0 ? null : row.group,
    count: value,
    unit: row.countUnit,
    scaled: value === null ? null : runningShare !== null && runningShare < 1,
    runningShare,
    enabledNs: row.enabledNs,
    runningNs: row.runningNs,
    ...(row.spread !== null && { spread: spreadOf(row.spread) }),
    metrics: Object.fromEntries(
      row.metrics.map(({ name, value: metric, hint, reason }) => [
        name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
        { value: metric, ...(hint !== null && { hint }), ...(reason !== null && { reason }) },
      ]),
    ),
    ...(row.reason !== null && { reason: row.reason }),
  };
}

function spreadOf({ error, stddev, min, max, runs }: Spread) {
  return { error, stddev, min, max, runs };
}
