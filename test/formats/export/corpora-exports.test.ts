import { gunzipSync } from 'node:zlib';
import { Profile as PprofProfile } from 'pprof-format';
import { describe, expect, test } from 'vitest';
import { PerfDataError } from '../../../src/base/errors.ts';
import { type OpenedProfile, openProfile } from '../../../src/read/open-profile.ts';
import { exportPprof } from '../../../src/read/outputs/export-pprof.ts';
import { CORPORA, hasCorpora, isFuzzed, perfDataCorpora } from '../../helpers/corpora.ts';
import { type FirefoxFile, readFirefox } from '../../helpers/firefox-profile.ts';

/** Σ weights by event, losses included, as `--weight events` has them. */
function weighed({ profile, weights }: OpenedProfile, values: ReturnType<typeof weights>) {
  const sums = profile.events.map(() => 0);
  for (let i = 0; i < profile.samples.length; i++) {
    const event = profile.samples.event[i];
    sums[event] += values.values[i] + (values.lostBefore?.[i] ?? 0);
  }
  return sums;
}

describe.skipIf(!hasCorpora)('every recording of the corpora', () => {
  test.each(perfDataCorpora().filter((entry) => !isFuzzed(entry)))(
    '$file: pprof and Firefox hold its samples and weights',
    async ({ file }) => {
      const opened = await openProfile(`${CORPORA}/${file}`, { symbols: false }).catch((error) => {
        // What no reader takes is the business of the container's tests.
        if (error instanceof PerfDataError) return null;
        throw error;
      });
      if (opened === null) return;
      const { profile } = opened;
      const weights = opened.weights();
      const expected = weighed(opened, weights);

      const pprof = PprofProfile.decode(gunzipSync(await exportPprof(opened)));
      const text = (index: number | bigint) => pprof.stringTable.strings[Number(index)];
      const sums = pprof.sampleType.map((_, column) =>
        pprof.sample.reduce((sum, { value }) => sum + Number(value[column]), 0),
      );
      expect(pprof.sampleType).toHaveLength(profile.events.length * 2);
      for (const [event, { name }] of profile.events.entries()) {
        expect(text(pprof.sampleType[event * 2].type)).toMatch(/samples$/);
        const ofEvent = [...profile.samples.event].filter((of) => of === event).length;
        expect(sums[event * 2], name).toBe(ofEvent);
        expect(sums[event * 2 + 1], name).toBe(Math.round(expected[event]));
      }
      const mappingIds = new Set(pprof.mapping.map(({ id }) => id));
      const locationIds = new Set(pprof.location.map(({ id }) => id));
      for (const { mappingId, address } of pprof.location) {
        if (mappingId === 0) continue;
        expect(mappingIds.has(mappingId)).toBe(true);
        const { memoryStart, memoryLimit } = pprof.mapping.find(({ id }) => id === mappingId)!;
        expect(BigInt(address) >= BigInt(memoryStart)).toBe(true);
        expect(BigInt(address) < BigInt(memoryLimit)).toBe(true);
      }
      for (const { locationId } of pprof.sample) {
        for (const id of locationId) expect(locationIds.has(id)).toBe(true);
      }

      const firefox = readFirefox(opened.export('firefox'));
      const total = expected.reduce((sum, weight) => sum + weight, 0);
      expect(sumOf(firefox)).toBeCloseTo(total, total > 1e9 ? 0 : 2);
    },
  );
});

/** Milliseconds are nanoseconds again. */
function sumOf({ threads }: FirefoxFile): number {
  let sum = 0;
  for (const { samples } of threads) {
    const scale = samples.weightType === 'tracing-ms' ? 1e6 : 1;
    for (const weight of samples.weight ?? []) sum += weight * scale;
  }
  return sum;
}
