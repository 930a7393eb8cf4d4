import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openProfile } from '../../src/read/open-profile.ts';
import { scratchDirectory } from '../helpers/cli.ts';
import { CORPORA, hasCorpora, perfDataCorpora, readExpectedText } from '../helpers/corpora.ts';
import { layOutRecordedMachine } from '../helpers/recorded-machine.ts';

// Folded stacks against `perf script | stackcollapse-perf.pl`: identical stacks and counts.

const machine = hasCorpora ? layOutRecordedMachine(join(scratchDirectory(), 'machine')) : {};

const cases = perfDataCorpora().flatMap(({ file }) => {
  const golden = readExpectedText(file, 'folded');
  // Without callchains the goldens are of what perf unwound from copies of the stack.
  return golden === null || file.includes('-dwarf') ? [] : [[file, golden] as const];
});

/**
 * What perf 6.1 names otherwise, by frame: theirs, ours and the reason.
 */
const RENAMED: readonly (readonly [theirs: string, ours: string, why: string])[] = [
  ['_dl_start_user', '_start', 'the call is the last instruction of _start'],
  ['__pfx_clear_bss', 'startup_64', 'the call is the last instruction of startup_64'],
];

describe.skipIf(!hasCorpora)('folded stacks of the corpora, against stackcollapse-perf.pl', () => {
  test.each(cases)('%s', async (file, golden) => {
    // Where the stacks were made there was no debug information.
    const options = { ...machine, rawScripts: true, inline: false };
    const opened = await openProfile(join(CORPORA, file), options);
    const ours = sumLines(
      opened.export('folded', { weight: 'period', names: 'tidy' }),
      (frame) => frame,
    );
    const theirs = sumLines(golden, rename);
    if (!file.includes('jit-node')) {
      expect(ours).toEqual(theirs);
      return;
    }
    // perf had the program node, which the corpora do not have: its frames are [node] here.
    const named = Object.entries(ours).filter(([stack]) => !stack.includes('[node]'));
    for (const [stack, count] of named) expect(theirs[stack], stack).toBe(count);
    expect(sumOf(ours)).toBe(sumOf(theirs));
  });

  test('the corpora have recordings to fold', () => {
    expect(cases.length).toBeGreaterThanOrEqual(8);
  });
});

function sumOf(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function rename(frame: string): string {
  return RENAMED.find(([theirs]) => theirs === frame)?.[1] ?? frame;
}

function sumLines(folded: string, nameOf: (frame: string) => string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const line of folded.split('\n')) {
    if (line === '') continue;
    const at = line.lastIndexOf(' ');
    const stack = line.slice(0, at).split(';').map(nameOf).join(';');
    sums[stack] = (sums[stack] ?? 0) + Number(line.slice(at + 1));
  }
  return Object.fromEntries(Object.entries(sums).sort(([a], [b]) => (a < b ? -1 : 1)));
}
