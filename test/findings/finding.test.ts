import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import {
  createFinding,
  FINDINGS,
  type Finding,
  findingsOfEvent,
  findingText,
  sortFindings,
  worstSeverity,
} from '../../src/findings/finding.ts';

const few = createFinding('samples-few', 'wrong', 'few samples', '3 samples are few', { event: 1 });
const cut = createFinding('stacks-cut', 'doubt', 'stacks cut', 'stacks lack callers');
const off = createFinding('sampling-off', 'note', 'off', 'nothing was sampled');

test('findings come the worst first, those of one severity in the order given', () => {
  const other: Finding = { ...cut, code: 'stacks-unknown' };
  expect(sortFindings([off, cut, few, other])).toEqual([few, cut, other, off]);
  expect(worstSeverity([off, few, cut])).toBe('wrong');
  expect(worstSeverity([])).toBeNull();
});

test('findings about the whole recording are about each of its events', () => {
  expect(findingsOfEvent([few, cut], 0)).toEqual([cut]);
  expect(findingsOfEvent([few, cut], 1)).toEqual([few, cut]);
});

test('a line has the command that helps', () => {
  expect(findingText(cut)).toBe('stacks lack callers');
  expect(findingText({ ...cut, command: 'perf-ts doctor' })).toBe(
    'stacks lack callers (perf-ts doctor)',
  );
});

test('a sentence shows the control characters of a stranger as text', () => {
  expect(createFinding('recorder-note', 'note', '', 'a\x1b[2J').sentence).toBe('a\\x1b[2J');
});

test('the contract lists each finding', () => {
  const contract = readFileSync(
    join(resolve(import.meta.dirname, '../..'), 'docs/contract.md'),
    'utf8',
  );
  const rows = contract.match(
    /^\| `[a-z-]+` \| (?:file|names|sampling|stacks|recorder) \| .* \|$/gm,
  );
  const expected = Object.entries(FINDINGS).flatMap(([subject, codes]) =>
    Object.entries(codes).map(([code, meaning]) => `| \`${code}\` | ${subject} | ${meaning} |`),
  );
  expect(rows).toEqual(expected);
});
