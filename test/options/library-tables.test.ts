import { resolve } from 'node:path';
import { expect, test, vi } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { asPerfMeans } from '../../src/cli/report/perf-flags.ts';
import { exportPprof, openProfile, readInfo, rewriteRecording } from '../../src/index.ts';
import { EXPORT_FORMATS } from '../../src/options/export.ts';
import { readFlags } from '../../src/options/read-flags.ts';
import { REPORT } from '../../src/options/report.ts';

const path = resolve(import.meta.dirname, '../read/fixtures/arm64-group.data');
const opened = await openProfile(path, { symbols: false, kallsyms: '/nonexistent' });

test.each<[string, (options: never) => unknown, object, string]>([
  [
    'openProfile',
    (given) => openProfile(path, given),
    { symfsd: '/x' },
    '"symfsd" is no option of openProfile',
  ],
  [
    'openProfile',
    (given) => openProfile(path, given),
    { frames: 'most' },
    'frames "most": expected auto, all, main, javascript, own',
  ],
  [
    'openProfile',
    (given) => openProfile(path, given),
    { maxUnpacked: '4G' },
    'maxUnpacked "4G": expected a whole number of bytes',
  ],
  [
    'export',
    (given) => opened.export('folded', given),
    { name: 'tidy' },
    '"name" is no option of an export',
  ],
  [
    'export',
    (given) => opened.export('folded', given),
    { select: { cpu: 0 } },
    '"cpu" is no option of select',
  ],
  [
    'export',
    (given) => opened.export('folded', given),
    { select: { pids: [1] } },
    'pids [1]: expected a Set of whole numbers',
  ],
  [
    'exportPprof',
    (given) => exportPprof(opened, given),
    { weight: 'sum' },
    'weight "sum": expected samples, period, events, time',
  ],
  [
    'rewriteRecording',
    (given) => rewriteRecording(path, '/nonexistent/o', given),
    { salt: 'x' },
    'salt goes with anonymize',
  ],
  [
    'rewriteRecording',
    (given) => rewriteRecording(path, '/nonexistent/o', given),
    { stripkernel: true },
    '"stripkernel" is no option of a rewrite',
  ],
  [
    'readInfo',
    (given) => readInfo(path, given),
    { commands: 1 },
    '"commands" is no option of readInfo',
  ],
])(
  '%s of the library refuses an option that is none, before it does anything',
  async (_name, call, given, message) => {
    const refused = await Promise.resolve()
      .then(() => call(given as never))
      .then(
        () => null,
        (error: unknown) => error,
      );
    expect(refused).toBeInstanceOf(UsageError);
    expect((refused as UsageError).message).toContain(message);
  },
);

test('the memory that a recording may take is an option, and no variable of the process', async () => {
  vi.stubEnv('PERF_TS_MAX_UNPACKED', '1');
  try {
    expect((await openProfile(path, { symbols: false })).profile.samples.length).toBe(432);
  } finally {
    vi.unstubAllEnvs();
  }
  await expect(openProfile(path, { symbols: false, maxUnpacked: 1 })).rejects.toThrow(
    /more than 1 bytes/,
  );
});

test('the words behind -n and -g of report are read after it is clear whether they are the recording', () => {
  const { file, flags } = asPerfMeans(undefined, { sort: 'sym', limit: import.meta.filename });
  expect(file).toBe(import.meta.filename);
  expect(readFlags(REPORT, flags).limit).toBeUndefined();
});

test('two spellings of one option are one value', () => {
  const select = (flags: object) => readFlags(REPORT, { sort: 'sym', ...flags });
  expect(select({ comms: 'a,b' }).comms).toEqual(new Set(['a', 'b']));
  expect(select({ comm: 'a' }).comms).toEqual(new Set(['a']));
  expect(select({ vmlinux: '/vmlinux' }).kallsyms).toBe('/vmlinux');
  expect(select({ rows: '7' }).limit).toBe(7);
});

test.each(EXPORT_FORMATS)(
  'a profile can be exported as %s, of the one list of formats',
  (format) => {
    expect(opened.export(format).length).toBeGreaterThan(0);
  },
);
