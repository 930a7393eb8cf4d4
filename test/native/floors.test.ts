// The C libraries and the functions that the addon asks for, as readelf prints them.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkFloors } from '../../native/floors.mjs';

const addon = fileURLToPath(new URL('../../build/Release/perf_ts.node', import.meta.url));
const hasReadelf = spawnSync('readelf', ['--version']).status === 0;
const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };

test.skipIf(!hasReadelf || header.glibcVersionRuntime === undefined)(
  'the addon loads with glibc 2.17 and the libstdc++ of GCC 5, and asks for Node-API alone',
  () => {
    expect(checkFloors(addon, 'glibc')).toMatch(/GLIBC 2\.(1\d|\d)\b/);
  },
);

test.skipIf(!hasReadelf)('a program that needs more is refused with what it needs', () => {
  expect(() => checkFloors(process.execPath, 'glibc')).toThrow(/ needs /);
  expect(() => checkFloors(addon, 'musl')).toThrow(/ needs lib/);
});
