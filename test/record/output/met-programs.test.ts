import { copyFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CodeRange, HeldPrograms } from '../../../src/record/output/held-programs.ts';
import { collectPrograms } from '../../../src/record/output/met-programs.ts';
import { scratchDirectory } from '../../helpers/scratch.ts';

const scratch = scratchDirectory();
const owner = statSync(scratch);

/** Copies of a program, each mapped at a page of its own. */
function programs(count: number): CodeRange[] {
  return Array.from({ length: count }, (_, index) => {
    const path = join(scratch, `program-${index}`);
    copyFileSync('/bin/true', path);
    const [start, end] = [index << 12, (index + 1) << 12];
    const { dev, ino } = statSync(path);
    const fileId = `${(dev >> 8) & 0xfff}:${dev & 0xff}:${ino}`;
    return { start, end, program: { path, pid: process.pid, fileId, buildId: null, start, end } };
  });
}

/** The names of what is kept of the programs, and what is reported, where time is over after so many. */
function keep(ranges: readonly CodeRange[], most: number) {
  const notices: string[] = [];
  const held = new HeldPrograms();
  let looks = 0;
  const attachments = collectPrograms(
    ranges,
    (starts) => new Uint8Array(starts.length).fill(1),
    held,
    owner,
    false,
    (notice) => notices.push(notice),
    () => ++looks >= most,
  );
  return { names: attachments.map(({ name }) => name.split('/').pop()), notices };
}

test('programs are kept as long as there is time, and the number of the others is reported', () => {
  const descriptors = readdirSync('/proc/self/fd').length;
  const ranges = programs(5);
  expect(keep(ranges, 3)).toEqual({
    names: ['program-0', 'program-1', 'program-2'],
    notices: [expect.stringContaining('symbols of 2 of 5 programs are not in the recording')],
  });
  expect(keep(ranges, 6)).toEqual({
    names: ['program-0', 'program-1', 'program-2', 'program-3', 'program-4'],
    notices: [],
  });
  expect(readdirSync('/proc/self/fd')).toHaveLength(descriptors);
});
