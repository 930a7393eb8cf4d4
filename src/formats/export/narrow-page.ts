// Hot: once per sample and column.

import type { IntColumn, NumberColumn } from '../../base/int-column.ts';
import type { SampleTable, WeightKind, Weights } from '../../profile/types.ts';
import type { PageProfile } from './page-profile.ts';

/**
 * The page of these samples only, rows in time order. Their weights stay those of the whole
 * recording, and so do the reports; tables that samples refer to are kept whole.
 */
export function narrowPage(page: PageProfile, rows: Int32Array): PageProfile {
  const { samples } = page.profile;
  if (rows.length === samples.length) return page;
  const narrowed: SampleTable = {
    length: rows.length,
    stack: pickInt32(samples.stack, rows),
    thread: pickInt32(samples.thread, rows),
    comm: pickInt32(samples.comm, rows),
    event: pickInt32(samples.event, rows),
    stream: pickInt32(samples.stream, rows),
    cpu: pickInt32(samples.cpu, rows),
    timeNs: pickFloat64(samples.timeNs, rows),
    periodEvents: pickFloat64(samples.periodEvents, rows),
    count: samples.count && pickFloat64(samples.count, rows),
  };
  const { runningNs, threadsRunning } = page.periodInput.samples;
  const weights: Partial<Record<WeightKind, Weights>> = {};
  for (const whole of Object.values(page.weights)) {
    weights[whole.kind] = {
      ...whole,
      values: pickFloat64(whole.values, rows),
      ...(whole.tails !== undefined && { tails: pickFloat64(whole.tails, rows) }),
      ...(whole.lostBefore !== undefined && { lostBefore: pickFloat64(whole.lostBefore, rows) }),
    };
  }
  return {
    ...page,
    isPart: true,
    profile: { ...page.profile, samples: narrowed },
    weights,
    periodInput: {
      ...page.periodInput,
      samples: {
        ...narrowed,
        ...(runningNs !== undefined && { runningNs: pickFloat64(runningNs, rows) }),
        ...(threadsRunning !== undefined && {
          threadsRunning: pickFloat64(threadsRunning, rows),
        }),
      },
    },
  };
}

function pickInt32(column: IntColumn, rows: Int32Array): Int32Array {
  const picked = new Int32Array(rows.length);
  for (let i = 0; i < rows.length; i++) picked[i] = column[rows[i]];
  return picked;
}

function pickFloat64(column: NumberColumn, rows: Int32Array): Float64Array {
  const picked = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) picked[i] = column[rows[i]];
  return picked;
}
