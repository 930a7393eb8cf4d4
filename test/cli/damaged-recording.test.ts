import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../src/base/byte-source.ts';
import { openPerfData, walkRecords } from '../../src/formats/perf-data/reader.ts';
import { PERF_RECORD } from '../../src/kernel/perf-event/constants.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { builtRecordings } from '../helpers/recordings.ts';

const scratch = scratchDirectory();
const recordings = new Map(builtRecordings());

/** Sum of the samples in folded stacks. */
const samplesOf = (folded: string) =>
  folded.split('\n').reduce((sum, line) => sum + Number(/ (\d+)$/.exec(line)?.[1] ?? 0), 0);

function folded(path: string) {
  return perfTs([
    'export',
    '--format',
    'folded',
    '--weight',
    'samples',
    '-e',
    'cycles',
    '-o',
    '-',
    path,
  ]);
}

describe('a recording that can be read in part', () => {
  test.each([...recordings.keys()])(
    'an undamaged recording is read without a warning: %s',
    (name) => {
      const path = join(scratch, `${name}.data`);
      writeFileSync(path, recordings.get(name)!);
      const run = folded(path);
      expect(run.status).toBe(0);
      expect(run.stderr).not.toMatch(/damaged|cut|ends inside/);
      expect(samplesOf(run.stdout)).toBe(40);
    },
  );

  test('a recording is exported up to damaged compressed data, with one warning', () => {
    const bytes = Uint8Array.from(recordings.get('little-endian file, compressed')!);
    const offsets: number[] = [];
    walkRecords(openPerfData(memorySource(bytes)), {
      record(record) {
        const { type, fileOffset } = record;
        if (type === PERF_RECORD.COMPRESSED) offsets.push(fileOffset);
      },
    });
    const [damagedAt] = offsets.slice(offsets.length >> 1);
    bytes.fill(0xff, damagedAt + 8, damagedAt + 200);
    const path = join(scratch, 'damaged.data');
    writeFileSync(path, bytes);
    const run = folded(path);
    expect(run.status).toBe(0);
    const warnings = run.stderr.split('\n').filter((line) => / is damaged; | cut off /.test(line));
    expect(warnings).toEqual([
      expect.stringMatching(/^perf-ts: the compressed data is damaged; .* bytes skipped\)$/),
    ]);
    const samples = samplesOf(run.stdout);
    expect(samples).toBeGreaterThan(10);
    expect(samples).toBeLessThan(30);
  });

  test('a directory that is not a recording is refused, with a hint', () => {
    const path = mkdtempSync(join(scratch, 'a-directory-'));
    const run = perfTs(['info', path]);
    expect(run.status).toBe(125);
    expect(run.stderr).toContain('it is a directory without a file named data');
  });
});
