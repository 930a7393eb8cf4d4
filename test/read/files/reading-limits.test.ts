import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { mostFramesOf } from '../../../src/read/files/reading-limits.ts';
import { openProfile } from '../../../src/read/open-profile.ts';
import { perfDataFile, plainSample } from '../../helpers/record-builder.ts';

const folder = mkdtempSync(join(tmpdir(), 'perf-ts-limits-'));
const path = join(folder, 'perf.data');
afterAll(() => rmSync(folder, { recursive: true }));

/** A sample at each of so many addresses. */
function writeSamples(places: number): void {
  const { IP, TID, TIME } = PERF_SAMPLE;
  const attr = newAttr({ samplePeriod: 1, sampleType: IP | TID | TIME });
  const records = Array.from({ length: places }, (_unused, index) =>
    plainSample({ ip: 0x1000 + index, pid: 10, tid: 10, time: index }),
  );
  writeFileSync(path, perfDataFile({ attrs: [{ attr, ids: [1] }], records }));
}

describe('a recording or text with more events than a kernel has', () => {
  const attr = newAttr({ samplePeriod: 1 });
  const attrs = Array.from({ length: 5001 }, (_unused, index) => ({ attr, ids: [index] }));
  const lines = attrs.map(
    (_attr, index) => `app 1 [000] 1.${index}: 1 event-${index}: \n\t10 f (/a)\n`,
  );

  test.each([
    ['recording', perfDataFile({ attrs, records: [] })],
    ['text', lines.join('\n')],
  ])('too many events are refused unless the user allows them: %s', async (_what, bytes) => {
    writeFileSync(path, bytes);
    await expect(openProfile(path)).rejects.toThrow(
      'it has more than 5000 events, which are not read unless maxUnpacked allows it',
    );
    expect((await openProfile(path, { maxUnpacked: 1e9 })).profile.events.length).toBe(5001);
  });
});

describe('a text with more threads than a machine has', () => {
  test.each([
    ['perf script', (i: number) => `app ${i + 1} [000] 1.${i}: 1 cycles: \n\t10 f (/a)\n\n`],
    ['folded stacks', (i: number) => `app${i};f 1\n`],
  ])('too many threads are refused unless the user allows them: %s', async (_what, line) => {
    writeFileSync(path, Array.from({ length: 100 }, (_unused, i) => line(i)).join(''));
    await expect(openProfile(path, { maxUnpacked: 99_000 })).rejects.toThrow(
      'it has more than 99 threads, which are not read unless maxUnpacked allows it',
    );
    expect((await openProfile(path, { maxUnpacked: 100_000 })).profile.threads.length).toBe(100);
  });
});

describe('a text with more different stacks than are shown', () => {
  test('too many different stacks are refused unless the user allows them', async () => {
    writeFileSync(path, Array.from({ length: 50 }, (_unused, i) => `app;f${i};g 1\n`).join(''));
    await expect(openProfile(path, { maxUnpacked: 99 * 256 })).rejects.toThrow(
      'it has more than 99 different stacks and beginnings of stacks, which are not read unless ' +
        'maxUnpacked allows it',
    );
    expect((await openProfile(path, { maxUnpacked: 100 * 256 })).profile.stacks.length).toBe(100);
  });
});

describe('a recording with samples at more places than a program has', () => {
  const open = () => openProfile(path, { kallsyms: '/nonexistent', maxUnpacked: 100 * 256 });

  test('too many sampled places are refused, with the limit and the option that lifts it', async () => {
    writeSamples(101);
    await expect(open()).rejects.toThrow(
      'its stacks have more than 100 different places in code, as no program has, which is not read ' +
        'unless maxUnpacked allows it',
    );
    writeSamples(100);
    expect((await open()).profile.frames.length).toBe(100);
  });

  test("the limit of places follows the recording's own size, and the user may lift it", () => {
    const mostOf = (size: number, mostUnpacked: number | null) =>
      mostFramesOf({ source: { size, read: () => new Uint8Array() }, mostUnpacked });
    expect(mostOf(100e6, null)).toBe(2_000_000);
    expect(mostOf(1e9, null)).toBe(15_625_000);
    expect(mostOf(100e6, Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
  });
});
