import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import type { ReadingStage } from '../../src/options/reading.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { finishedRound, perfDataFile, plainSample } from '../helpers/record-builder.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

const folder = scratchDirectory();

/** A file of `rounds` × 20 000 samples, 40 bytes each; without rounds if there is one. */
function recordingOf(rounds: number): string {
  const records: Uint8Array[] = [];
  for (let time = 0; time < rounds * 20_000; time++) {
    records.push(plainSample({ ip: 0x401000, pid: 1, tid: 1, time: 1000 + time }));
    if (rounds > 1 && time % 20_000 === 19_999) records.push(finishedRound());
  }
  const sampleType = PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME;
  const path = join(folder, `${rounds}.data`);
  writeFileSync(
    path,
    perfDataFile({ attrs: [{ attr: newAttr({ sampleType, samplePeriod: 1 }), ids: [] }], records }),
  );
  return path;
}

/** Whose progress is reported while `path` is read, stage by stage. */
async function stagesOf(path: string): Promise<[ReadingStage, (number | null)[]][]> {
  const stages: [ReadingStage, (number | null)[]][] = [];
  const { profile } = await openProfile(path, {
    onProgress(stage, share) {
      if (stages.at(-1)?.[0] !== stage) stages.push([stage, []]);
      stages.at(-1)?.[1].push(share);
    },
  });
  expect(profile.samples.length).toBeGreaterThan(0);
  return stages;
}

test.each([
  ['with rounds', 5],
  ['without rounds, whose samples are sorted at the end', 1],
])('the share of the records that were read grows from 0: a file %s', async (_kind, rounds) => {
  const [[first, shares], ...others] = await stagesOf(recordingOf(rounds));
  expect(first).toBe('records');
  expect(shares[0]).toBe(0);
  expect(shares).toEqual([...shares].sort((a, b) => Number(a) - Number(b)));
  expect(shares.length).toBeGreaterThan(2);
  expect(shares.at(-1)).toBeGreaterThan(0.5);
  expect(shares.at(-1)).toBeLessThanOrEqual(1);
  const [last, ofTables] = others.at(-1) ?? [];
  expect(last).toBe('tables');
  // Their share is not known; each part of the work is heard of.
  expect(new Set(ofTables)).toEqual(new Set([null]));
  expect(ofTables?.length).toBeGreaterThan(3);
});

test('the text of another tool has a share of its bytes', async () => {
  const path = join(folder, 'some.folded');
  writeFileSync(path, 'main;work 3\n'.repeat(1000));
  const [[stage, shares]] = await stagesOf(path);
  expect(stage).toBe('records');
  expect(shares[0]).toBe(0);
});

test.each([
  ['with rounds', () => recordingOf(3)],
  ['without rounds', () => recordingOf(1)],
  ['of a real group of events', () => join(import.meta.dirname, 'fixtures/arm64-group.data')],
])(
  'the profile is the same for who asks for what was read so far: a file %s',
  async (_kind, path) => {
    const weights: number[] = [];
    const asked = await openProfile(path(), {
      onProgress(_stage, _share, soFar) {
        const found = soFar?.();
        if (found) weights.push(found.report.weight);
      },
    });
    expect(weights.length).toBeGreaterThan(0);
    expect(weights).toEqual(weights.toSorted((a, b) => a - b));
    const whole = asked.report().weight;
    expect(whole).toBeGreaterThan(0);
    expect(weights.at(-1)).toBeLessThanOrEqual(whole);
    const plain = await openProfile(path());
    expect(asked.profile).toEqual(plain.profile);
    expect(asked.diagnostics.entries()).toEqual(plain.diagnostics.entries());
  },
);
