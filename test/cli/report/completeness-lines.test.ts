import { expect, test } from 'vitest';
import { completenessLines } from '../../../src/cli/report/completeness-lines.ts';
import type { OpenedProfile } from '../../../src/read/open-profile.ts';
import { CHAIN_ENDS } from '../../../src/read/unwind/stack-roots.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';

/** The line about stacks that end in `dso`, of a recording made by this command. */
function line(dso: string, ...commandLine: string[]): string {
  const drawn = profileFromText(`main@${dso}`);
  const profile = { ...drawn, meta: { ...drawn.meta, commandLine } };
  const cut = [{ reason: CHAIN_ENDS, dso: 0, samples: 50 }];
  const completeness = { samples: 100, complete: 50, unknown: 0, cut };
  return completenessLines({ profile, completeness } as unknown as OpenedProfile, false).join();
}

test('stacks that were dumped are not advised to be dumped', () => {
  const record = ['perf-ts', 'record'];
  const advice = 'record with --call-graph auto';
  expect(line('libvips.so', ...record, '-g', '--', 'x', '--call-graph', 'auto')).toContain(advice);
  expect(line('libvips.so', ...record, '--call-graph', 'auto,256', '--', 'x')).not.toContain(
    advice,
  );
  expect(line('libvips.so', ...record, '--call-graph=dwarf', '--', 'x')).toMatch(
    /frame pointers lead no further \(build with -fno-omit-frame-pointer\)$/,
  );
});

test('memory of no file is called so', () => {
  expect(line('//anon')).toContain('50.00% end in memory of no file: ');
});
