import { expect, test } from 'vitest';
import { type Absence, Diagnostics } from '../../src/base/diagnostics.ts';
import {
  describeDiagnostics,
  isAboutJitNames,
  isDamage,
} from '../../src/findings/diagnostic-text.ts';

const APP = '/usr/bin/app';

test.each<[Absence, string]>([
  [{ cause: 'unreadable', error: 'ENOENT' }, ': file can not be read (ENOENT)'],
  [
    { cause: 'debug-file-unreadable', file: '/usr/lib/debug/app.debug', error: 'EACCES' },
    ' from its debug file: /usr/lib/debug/app.debug can not be read (EACCES)',
  ],
  [
    { cause: 'other-build', file: APP },
    ': the file there is not the one recorded (build ID differs)',
  ],
  [
    { cause: 'other-build', file: '/proc/7/root/usr/bin/app' },
    ': /proc/7/root/usr/bin/app is not the one recorded (build ID differs)',
  ],
  [
    { cause: 'other-machine', machine: 'build1, 6.8.0' },
    ': recorded on another machine (build1, 6.8.0)',
  ],
  [{ cause: 'unproven' }, ': nothing proves that the file there is the mapped one'],
  [{ cause: 'no-symbols' }, ': the file is stripped of its symbols, and no debug file is at hand'],
  [{ cause: 'failed', message: 'cannot read it' }, ': cannot read it'],
])('an absence %j of names or lines has a sentence', (why, sentence) => {
  const diagnostics = new Diagnostics();
  diagnostics.count({ code: 'names-missing', subject: APP, why });
  diagnostics.count({ code: 'lines-missing', subject: APP, why });
  expect(describeDiagnostics(diagnostics).map(({ reason }) => reason)).toEqual([
    `no names for ${APP}${sentence}`,
    `no inlined calls and lines of ${APP}${sentence}`,
  ]);
});

test('diagnostics are described in the order first met, with the first example', () => {
  const diagnostics = new Diagnostics();
  diagnostics.count('elf-section-cut', '.symtab: 48 stated, 24 there');
  diagnostics.count({ code: 'header-section-unreadable', subject: 'HOSTNAME' }, 'a text is cut');
  diagnostics.count('elf-section-cut', '.strtab: 9 stated, 8 there', 2);
  diagnostics.count({ code: 'describing-record-unreadable', subject: 'HEADER_ATTR' });
  expect(describeDiagnostics(diagnostics)).toEqual([
    {
      code: 'elf-section-cut',
      subject: null,
      reason: 'ELF section cut off',
      count: 3,
      example: '.symtab: 48 stated, 24 there',
      command: null,
    },
    {
      code: 'header-section-unreadable',
      subject: 'HOSTNAME',
      reason: "header section HOSTNAME can't be read",
      count: 1,
      example: 'a text is cut',
      command: null,
    },
    {
      code: 'describing-record-unreadable',
      subject: 'HEADER_ATTR',
      reason: "a HEADER_ATTR record can't be read",
      count: 1,
      example: '',
      command: null,
    },
  ]);
});

test('problems of several subjects, or of one for several reasons, are counted apart', () => {
  const diagnostics = new Diagnostics();
  const missing = (subject: string, error: string) =>
    ({ code: 'names-missing', subject, why: { cause: 'unreadable', error } }) as const;
  diagnostics.count(missing(APP, 'ENOENT'));
  diagnostics.count(missing(APP, 'EACCES'));
  diagnostics.count(missing('/usr/bin/other', 'ENOENT'));
  diagnostics.count(missing(APP, 'ENOENT'));
  expect(diagnostics.entries().map(({ count }) => count)).toEqual([2, 1, 1]);
  expect(diagnostics.has(missing(APP, 'EACCES'))).toBe(true);
  expect(diagnostics.has(missing('/usr/bin/other', 'EACCES'))).toBe(false);
});

test('damage of the file and doubts about JIT names are classes of codes', () => {
  expect([isDamage('header-section-cut'), isDamage('elf-section-cut')]).toEqual([true, false]);
  expect([isAboutJitNames('jitdump-unused'), isAboutJitNames('jitdump-cut')]).toEqual([
    true,
    false,
  ]);
});
