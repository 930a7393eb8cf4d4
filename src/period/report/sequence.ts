// Hot: once per sample.

import type { IntColumn, NumberColumn } from '../../base/int-column.ts';
import type { PeriodSequence } from '../period-sequence.ts';
import { offCpuNs } from '../switched-out.ts';
import type { PeriodInput } from '../types.ts';

/** The samples of one group as a sequence. `elapsedEvents` is parallel to the sample table. */
export function sequenceOf(
  input: PeriodInput,
  rows: Int32Array,
  elapsedEvents: Float64Array,
): PeriodSequence {
  const { length } = rows;
  const { runningNs } = input.samples;
  const timeNs = gather(input.samples.timeNs, rows);
  return {
    length,
    timeNs,
    offCpuNs: runningNs ? offCpuNs(timeNs, gather(runningNs, rows)) : null,
    periodEvents: gather(input.samples.periodEvents, rows),
    elapsedEvents: gather(elapsedEvents, rows),
  };
}

/** The values of `column` in ascending `rows`: a view where these are neighbours, else a copy. */
export function gather(column: NumberColumn, rows: Int32Array): Float64Array {
  const { length } = rows;
  const first = length > 0 ? rows[0] : 0;
  if (column instanceof Float64Array && length > 0 && rows[length - 1] - first === length - 1) {
    return column.subarray(first, first + length);
  }
  const values = new Float64Array(length);
  for (let k = 0; k < length; k++) values[k] = column[rows[k]];
  return values;
}

/** The distinct values ≥ 0 of `column` in `rows`, ascending. */
export function distinctIn(rows: Int32Array, column: IntColumn): number[] {
  const values = new Set<number>();
  let last = -1;
  for (let k = 0; k < rows.length; k++) {
    const value = column[rows[k]];
    if (value === last || value < 0) continue;
    values.add(value);
    last = value;
  }
  return [...values].sort((a, b) => a - b);
}
