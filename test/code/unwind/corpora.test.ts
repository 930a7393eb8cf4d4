// Stacks of recordings that others made, against what their peers make of them.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CORPORA, hasCorpora, readExpectedText } from '../../helpers/corpora.ts';
import { unwindRecording } from '../../helpers/unwind-recording.ts';

/** One sample: the chain of a peer that reached the program's start; null where none did. */
type ExpectedChain = {
  readonly tid: number;
  /** Seconds with 9 decimals. */
  readonly time: string;
  readonly ips: readonly string[] | null;
};

/** Recorded files lie by their names in one folder. */
function fileOf(path: string): string | null {
  const name = path === '[vdso]' ? 'vdso.so' : (path.split('/').pop() as string);
  const file = join(CORPORA, 'own/bin', name);
  return existsSync(file) ? file : null;
}

function expectedChains(recording: string): ExpectedChain[] {
  const text = readExpectedText(recording, 'chains.jsonl');
  if (text === null) throw new Error(`no expected chains of ${recording}`);
  const lines = text.trim().split('\n');
  return lines.map((line) => JSON.parse(line) as ExpectedChain);
}

describe.skipIf(!hasCorpora)('stacks of the corpora', () => {
  test.each(['own/cpu-clock-u-F400-dwarf4k-nofp.data', 'own/cpu-clock-u-F400-dwarf8k-cxx-z.data'])(
    '%s',
    (recording) => {
      const stacks = unwindRecording(join(CORPORA, recording), { fileOf });
      const ours = new Map(stacks.map(({ tid, time, ips }) => [`${tid} ${time}`, ips]));
      const chains = expectedChains(recording);
      expect(stacks).toHaveLength(chains.length);
      for (const { tid, time, ips } of chains) {
        if (ips === null) continue;
        const found = ours.get(`${tid} ${BigInt(time.replace('.', ''))}`);
        expect(found, `sample of ${tid} at ${time}`).toEqual(ips);
      }
      // One sample, at a ret in libgcc_s, has no peer that gets through.
      expect(new Set(stacks.map(({ stop }) => stop))).toEqual(new Set(['root']));
    },
  );
});
