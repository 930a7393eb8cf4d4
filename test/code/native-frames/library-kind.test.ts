import { expect, test } from 'vitest';
import {
  isExecutable,
  isSystemLibrary,
  libraryKind,
} from '../../../src/code/native-frames/library-kind.ts';
import type { Dso } from '../../../src/profile/types.ts';

const file = (path: string): Dso => ({
  kind: 'user',
  name: path.slice(path.lastIndexOf('/') + 1),
  path,
  buildId: null,
});

test.each([
  ['libc.so.6', true],
  ['libc-2.31.so', true],
  ['libstdc++.so.6.0.30', true],
  ['ld-musl-x86_64.so.1', true],
  ['[vdso]', true],
  ['libcrypto.so.3', false],
  ['libmagic.so.1', false],
])('%s is a library of the system: %s', (name, is) => {
  expect(isSystemLibrary(name)).toBe(is);
});

test.each([
  ['/lib/x86_64-linux-gnu/libc.so.6', '(libc)', 'libc'],
  ['/lib/libc-2.31.so', '(libc)', 'libc'],
  ['/usr/lib/libstdc++.so.6.0.30', '(libstdc++)', 'standard library'],
  ['/usr/lib/libpython3.11.so.1.0', '(libpython3.11)', 'native'],
  ['/lib64/ld-linux-x86-64.so.2', '(dynamic loader)', 'libc'],
  ['/lib/ld-2.31.so', '(dynamic loader)', 'libc'],
  ['/lib/ld-musl-x86_64.so.1', '(libc)', 'libc'],
  ['/opt/lib/libz.so.1 (deleted)', '(libz)', 'native'],
  ['/srv/sharp.node', '(sharp.node)', 'native'],
  ['/usr/bin/node', '(node)', 'unknown'],
])('functions of %s are %s, %s', (path, kind, category) => {
  expect(libraryKind(file(path))).toEqual({ label: kind, category });
});

test.each([
  ['/home/me/app', true],
  ['/home/me/app (deleted)', true],
  ['/usr/bin/python3.11', true],
  ['/usr/lib/libz.so.1', false],
  ['/usr/lib/libz.so (deleted)', false],
  ['/srv/sharp.node', false],
  ['[heap]', false],
  ['/memfd:sealed (deleted)', false],
])('%s is an executable: %s', (path, is) => {
  expect(isExecutable(file(path))).toBe(is);
});
