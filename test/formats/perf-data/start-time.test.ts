import { describe, expect, test } from 'vitest';
import { withEqualSizes } from '../../../src/formats/perf-data/attr-sizes.ts';
import { StartTimeVisitor } from '../../../src/formats/perf-data/start-time.ts';
import { encodeAttr, newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { computeParseInfo } from '../../../src/kernel/perf-event/parse-info.ts';
import type { RecordView } from '../../../src/kernel/perf-event/record-view.ts';
import { record, recordOf } from '../../helpers/record-builder.ts';

const NO_TIME = 2n ** 64n - 1n;
const ROUND = 'round';

/** The start of samples with these raw times; `round` ends one. */
function startOf(times: readonly (bigint | typeof ROUND)[], threadFiles: readonly string[] = []) {
  const attr = newAttr({ sampleType: PERF_SAMPLE.TIME });
  const attrs = [{ info: computeParseInfo(attr, true) }];
  const visitor = new StartTimeVisitor({
    lookup: {
      attrIndexOf: ({ type }: RecordView) => (type === PERF_RECORD.SAMPLE ? 0 : -1),
    },
    attrs,
    littleEndian: true,
    threadFiles,
  } as unknown as ConstructorParameters<typeof StartTimeVisitor>[0]);
  for (const time of times) {
    if (visitor.isDone) break;
    const bytes =
      time === ROUND
        ? record(PERF_RECORD.FINISHED_ROUND, 0, () => {})
        : record(PERF_RECORD.SAMPLE, 0, (out) => out.u64(time));
    visitor.record(recordOf(bytes));
  }
  const { high, low } = visitor.startTime;
  return (BigInt(high) << 32n) | BigInt(low);
}

describe('the start of a recording', () => {
  test('the start of a recording is the earliest time, by all 64 bits', () => {
    expect(startOf([0x2_0000_0005n, 0x1_0000_0009n, 0x3_0000_0001n])).toBe(0x1_0000_0009n);
    expect(startOf([0x1_0000_0009n, 0x2_0000_0005n])).toBe(0x1_0000_0009n);
    expect(startOf([7n, 5n, 6n])).toBe(5n);
  });

  test('the start of a recording ignores times 0 and −1', () => {
    expect(startOf([0n, NO_TIME, 9n, 0n])).toBe(9n);
    expect(startOf([0n, NO_TIME])).toBe(0n);
  });

  test('the start of a recording lies in its first two rounds, or in any round of several files', () => {
    expect(startOf([9n, ROUND, 4n, ROUND, 3n, ROUND])).toBe(4n);
    expect(startOf([0n, ROUND, 0n, ROUND, 3n, ROUND, 2n])).toBe(3n);
    expect(startOf([9n, ROUND, 4n, ROUND, 3n, ROUND], ['data.0'])).toBe(3n);
  });
});

test.each([true, false])("attr sizes are written in the file's byte order: %s", (little) => {
  const short = encodeAttr(newAttr(), little);
  const long = encodeAttr(newAttr(), little, 136);
  const sizes = withEqualSizes([short, long], little).map((bytes) => [
    bytes.length,
    new DataView(bytes.buffer).getUint32(4, little),
  ]);
  const most = Math.max(short.length, long.length);
  expect(sizes).toEqual([
    [most, most],
    [most, most],
  ]);
  expect(short.length).toBeLessThan(long.length);
});
