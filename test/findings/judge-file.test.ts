import { expect, test } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.ts';
import { describeDiagnostics } from '../../src/findings/diagnostic-text.ts';
import { isFileDamage, judgeFile } from '../../src/findings/judge-file.ts';
import { WHOLE_FILE } from './every-finding.ts';

const codes = (found: readonly { readonly code: string }[]) => found.map(({ code }) => code);

function ofDiagnostics(
  count: (diagnostics: Diagnostics) => void,
  samples: Pick<Parameters<typeof judgeFile>[0], 'shareOf'> = {},
) {
  const diagnostics = new Diagnostics();
  count(diagnostics);
  return judgeFile({ ...WHOLE_FILE, ...samples, diagnostics: describeDiagnostics(diagnostics) });
}

test('a whole file has no finding', () => {
  expect(judgeFile(WHOLE_FILE)).toEqual([]);
});

test('bytes that could not be read have their share of the records', () => {
  const skipped = (bytes: number) =>
    judgeFile({ ...WHOLE_FILE, skippedBytes: bytes, dataBytes: 1000 });
  expect(skipped(913)).toMatchObject([
    { code: 'bytes-skipped', severity: 'wrong', share: 0.913, label: '91.3% unread' },
  ]);
  expect(skipped(9)).toMatchObject([{ severity: 'doubt' }]);
});

test('the rest of the record in which a file was cut is part of the cut', () => {
  const found = judgeFile({ ...WHOLE_FILE, truncatedAt: 4096, skippedBytes: 7, dataBytes: 1000 });
  expect(found).toMatchObject([{ code: 'recording-cut', place: { offset: 4096 } }]);
  expect(found.every(isFileDamage)).toBe(true);
});

test('three files without names are findings by themselves, the rest is counted', () => {
  const found = ofDiagnostics((diagnostics) => {
    for (const subject of ['a', 'b', 'c', 'd', 'e']) {
      diagnostics.count({ code: 'names-missing', subject, why: { cause: 'no-symbols' } });
    }
  });
  expect(codes(found)).toEqual(Array(4).fill('names-missing'));
  expect(found[3].sentence).toBe('no names for 2 more files');
});

test('an option of record is no help where a damaged file may have had the names', () => {
  const whole = ofDiagnostics((diagnostics) => diagnostics.count('perf-map-missing', 'a.map'));
  expect(codes(whole)).toEqual(['javascript-unnamed']);
  const damaged = ofDiagnostics((diagnostics) => {
    diagnostics.count('perf-map-missing', 'a.map');
    diagnostics.count('appendix-cut');
  });
  expect(codes(damaged)).toEqual(['parts-damaged']);
});

test('a map that is missing is no finding where samples are counted, and none is in its code', () => {
  const found = ofDiagnostics((diagnostics) => diagnostics.count('perf-map-missing', 'a.map'), {
    shareOf: () => 0,
  });
  expect(found).toEqual([]);
});

test('code of a Node under its permission model is named by a launch alone', () => {
  const found = ofDiagnostics((diagnostics) => {
    diagnostics.count(
      { code: 'jit-code-unnamed', subject: 'Node under its permission model' },
      '80.00% of all',
    );
  });
  expect(found).toMatchObject([{ share: 0.8, command: null }]);
  expect(found[0].sentence).toContain('record --node-flags');
  expect(found[0].sentence).not.toContain('while it runs');
});

test('code of a JIT without names is a finding of the program that made it, with its own way to name it', () => {
  const found = ofDiagnostics((diagnostics) => {
    diagnostics.count('perf-map-missing', 'a.map');
    for (const [subject, percent] of [
      ['node', '40.00'],
      ['chromium', '25.02'],
      ['java', '3.00'],
      ['bun', '0.99'],
    ]) {
      diagnostics.count({ code: 'jit-code-unnamed', subject }, `${percent}% of all`, 9);
    }
  });
  expect(found).toMatchObject([
    { share: 0.4, command: 'perf-ts record --attach-js -p PID' },
    { share: expect.closeTo(0.2502), command: null },
    { share: 0.03, command: null },
  ]);
  expect(found[1].sentence).toBe(
    '25.0% of the samples are in code without a name that chromium made as it ran: Chromium names it where it begins ' +
      'with --js-flags=--perf-basic-prof --no-sandbox',
  );
  expect(found[2].sentence).toContain('java made as it ran: it left no perf map of it');
});

test('JavaScript from before the recording is a finding from 2% of the samples on', () => {
  const share = (percent: string) =>
    ofDiagnostics((diagnostics) => {
      diagnostics.count('javascript-from-before', `${percent}% of all`, 9);
    });
  expect(share('1.99')).toEqual([]);
  expect(share('2.40')).toMatchObject([
    { code: 'javascript-unnamed', share: expect.closeTo(0.024) },
  ]);
});

test('a fact without influence on a result is no finding', () => {
  expect(ofDiagnostics((diagnostics) => diagnostics.count('elf-section-cut'))).toEqual([]);
});

test('a name that a stranger wrote is printable', () => {
  const [found] = ofDiagnostics((diagnostics) => {
    const why = { cause: 'no-symbols' } as const;
    diagnostics.count({ code: 'names-missing', subject: 'a\x1b[2Jb', why });
  });
  expect(found.sentence).toContain('a\\x1b[2Jb');
});

test('lost ends of waits are a finding, with how many they are', () => {
  const lost = (count: number) =>
    ofDiagnostics((diagnostics) => diagnostics.count('wait-end-lost', 'nothing', count));
  expect(lost(1)).toMatchObject([{ code: 'waits-lost', severity: 'doubt', label: 'waits lost' }]);
  expect(lost(1)[0].sentence).toContain('the ends of 1 wait off the CPU were lost');
  expect(lost(1200)[0].sentence).toMatch(/^the ends of 1\s200 waits /);
});

test('a wait without a recorded wake-up is a note, since no sum changes', () => {
  const lost = (count: number) =>
    ofDiagnostics((diagnostics) => diagnostics.count('wake-up-unrecorded', 'waiting', count));
  expect(lost(9)).toMatchObject([{ code: 'wake-ups-lost', severity: 'note' }]);
  expect(lost(9)[0].sentence).toContain('the wake-ups of 9 waits were not recorded');
  expect(lost(9)[0].command).toContain('record -m');
  expect(lost(1)[0].sentence).toContain('of 1 wait were');
});

test('a file without names is a finding where its share of the samples makes a row', () => {
  const diagnostics = new Diagnostics();
  const why = { cause: 'no-symbols' } as const;
  diagnostics.count({ code: 'names-missing', subject: '/usr/lib/small.so', why });
  diagnostics.count({ code: 'names-missing', subject: '/usr/lib/large.so', why });
  // Most of the samples of a stripped library may be in the functions that it exports, which have names.
  const shareOf = (file: string, isUnnamed: boolean) =>
    file.includes('large') || !isUnnamed ? 0.2 : 0.009;
  const found = judgeFile({
    truncatedAt: null,
    diagnostics: describeDiagnostics(diagnostics),
    shareOf,
  });
  expect(found).toMatchObject([{ code: 'names-missing', share: 0.2 }]);
});

test.each(['kernel-assumed', 'kernel-place-unknown', 'kernel-of-other-build'] as const)(
  'names of a kernel that may be another one (%s) are doubtful, with a recording that carries its own',
  (code) => {
    const found = ofDiagnostics((diagnostics) => diagnostics.count(code));
    expect(found).toMatchObject([
      { code: 'names-doubtful', severity: 'doubt', command: 'perf-ts record -- COMMAND' },
    ]);
    expect(found[0].sentence).toMatch(/^names of kernel code may be wrong: /);
  },
);

test('modules of another boot without names are a note', () => {
  const found = ofDiagnostics((diagnostics) => diagnostics.count('kernel-modules-moved'));
  expect(found).toMatchObject([{ code: 'kernel-unnamed', severity: 'note' }]);
});

test.each([
  ['event-ids-missing', '', 'events-mixed', 'doubt'],
  ['sample-fields-newer', 'weight', 'samples-left-out', 'doubt'],
  ['sample-without-time', 'they count as taken with the sample before', 'samples-untimed', 'note'],
  ['recording-unfinished', '', 'recorder-note', 'note'],
] as const)(
  'a file whose samples or end nobody knows whole (%s) has a finding of it',
  (counted, detail, code, severity) => {
    const found = ofDiagnostics((diagnostics) => diagnostics.count(counted, detail, 3));
    expect(found).toMatchObject([{ code, severity }]);
    expect(found[0].sentence).toContain(detail);
  },
);
