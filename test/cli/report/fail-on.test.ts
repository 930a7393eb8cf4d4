import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseFailOn } from '../../../src/cli/report/fail-on.ts';
import { createFinding } from '../../../src/findings/finding.ts';
import { perfTs, scratchDirectory } from '../../helpers/cli.ts';

const few = createFinding('samples-few', 'wrong', 'few samples', 'few');
const cut = createFinding('stacks-cut', 'doubt', 'stacks cut', 'cut');
const off = createFinding('sampling-off', 'note', 'off', 'off');

describe('--fail-on', () => {
  test.each([
    ['samples-few', [true, false, false]],
    ['samples-few, sampling-off', [true, false, true]],
    ['wrong', [true, false, false]],
    ['doubt', [true, true, false]],
    ['note', [true, true, true]],
  ])('%s tolerates the others', (text, refused) => {
    expect([few, cut, off].map(parseFailOn(text))).toEqual(refused);
  });

  test('a word that is no finding is refused with those that are', () => {
    expect(() => parseFailOn('samples-lots')).toThrow('there is no finding "samples-lots"');
    const { status, stderr } = perfTs(['report', '--fail-on', 'nothing', 'no-such-file']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('samples-lost')]);
  });

  test('a report that meets one ends with status 3, and is printed', () => {
    const path = join(scratchDirectory(), 'few.folded');
    writeFileSync(path, 'main;f 3\nmain;g 2\n');
    const met = perfTs(['report', '--fail-on', 'sampling-unknown', path]);
    expect([met.status, met.stderr]).toEqual([3, expect.stringContaining('sampling-unknown: ')]);
    expect(met.stdout).toContain('60.00%');
    expect(perfTs(['report', '--fail-on', 'samples-lost', path]).status).toBe(0);
  });
});
