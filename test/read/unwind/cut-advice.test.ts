import { expect, test } from 'vitest';
import { adviceForCut, adviceTextForCut, placeOfCut } from '../../../src/read/unwind/cut-advice.ts';
import { CHAIN_ENDS } from '../../../src/read/unwind/stack-roots.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';

const cut = { reason: CHAIN_ENDS, dso: 0, samples: 50 };

/** A recording made by this command. */
function recordedBy(...commandLine: string[]) {
  const profile = profileFromText('main@vips.node');
  const dsos = profile.dsos.map((dso) => ({ ...dso, path: '/srv/app/vips.node' }));
  return { ...profile, dsos, meta: { ...profile.meta, commandLine } };
}

test('stacks that were dumped are not advised to be dumped', () => {
  const record = ['perf-ts', 'record'];
  const command = 'perf-ts record --call-graph auto -- COMMAND';
  const others = recordedBy(...record, '-g', '--', 'x', '--call-graph', 'auto');
  expect(adviceForCut(cut, others)?.command).toBe(command);
  const auto = recordedBy(...record, '--call-graph', 'auto,256', '--', 'x');
  expect(adviceForCut(cut, auto)?.command).toBeNull();
  const dwarf = recordedBy(...record, '--call-graph=dwarf', '--', 'x');
  expect(adviceTextForCut(cut, dwarf)).toBe('build with -fno-omit-frame-pointer');
  expect(adviceTextForCut(cut, others)).toBe(`${command}, or build with -fno-omit-frame-pointer`);
});

test('nobody is advised to build a library of the system', () => {
  const ofSystem = {
    ...recordedBy('perf-ts', 'record'),
    dsos: profileFromText('main@libc.so.6').dsos,
  };
  expect(adviceForCut(cut, ofSystem)?.text).toBeNull();
});

test('memory of no file is called so', () => {
  expect(placeOfCut(profileFromText('main@//anon'), cut)).toBe('memory of no file');
});
