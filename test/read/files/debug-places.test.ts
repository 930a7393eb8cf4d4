import { expect, test } from 'vitest';
import { altPlaces, vdsoPlaces } from '../../../src/read/files/debug-places.ts';

const BUILD_ID = 'abcdef0123456789abcdef0123456789abcdef01';
const places = {
  debugDirectories: ['/sysroot/debug', '/usr/lib/debug'],
  buildIdDirectory: '/home/.debug',
  debuginfodDirectory: '/home/.cache/debuginfod_client',
};

test('an absolute link to what dwz moved out is tried below each tree of debug files', () => {
  const link = '/usr/lib/debug/.dwz/x86_64-linux-gnu/app.debug';
  const found = altPlaces(link, BUILD_ID, ['/usr/bin/app'], places);
  expect(found).toContain(link);
  expect(found).toContain('/sysroot/debug/.dwz/x86_64-linux-gnu/app.debug');
  const other = altPlaces('/opt/dwz/app.debug', BUILD_ID, ['/usr/bin/app'], places);
  expect(other).toContain('/sysroot/debug/opt/dwz/app.debug');
});

test("a vDSO is looked for in perf's cache by a valid build ID only", () => {
  expect(vdsoPlaces(BUILD_ID, places)).toContain(
    `/home/.debug/.build-id/ab/${BUILD_ID.slice(2)}/vdso`,
  );
  expect(vdsoPlaces('../../etc', places)).toEqual([]);
});
