import { execFileSync } from 'node:child_process';
import {
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openRegularBelow } from '../../../src/system/files/open-below.ts';

let host: string;
let root: string;
beforeEach(() => {
  host = mkdtempSync(join(tmpdir(), 'below-'));
  root = join(host, 'container');
  mkdirSync(join(root, 'usr/lib'), { recursive: true });
  writeFileSync(join(root, 'usr/lib/libx.so'), 'inside');
});
afterEach(() => rmSync(host, { recursive: true, force: true }));

/** The text of the file, or why there is none. */
function read(path: string, flags = 0): string {
  const file = openRegularBelow(root, path, flags);
  if (typeof file === 'string') return `(${file})`;
  const text = new TextDecoder().decode(file.source.read(0, file.source.size));
  file.source.close?.();
  return text;
}

describe('a file in the root of another process', () => {
  test('a file is found where absolute links lead that process, not where they lead us', () => {
    mkdirSync(join(host, 'opt'));
    writeFileSync(join(host, 'opt/app'), 'outside');
    mkdirSync(join(root, host, 'opt'), { recursive: true });
    writeFileSync(join(root, host, 'opt/app'), 'inside');
    symlinkSync(join(host, 'opt'), join(root, 'bin'));
    symlinkSync(join(host, 'opt/app'), join(root, 'app'));
    expect([read('/bin/app'), read('/app')]).toEqual(['inside', 'inside']);
    rmSync(join(root, host), { recursive: true });
    expect([read('/bin/app'), read('/app')]).toEqual(['(ENOENT)', '(ENOENT)']);
  });

  test('a file is never above that root', () => {
    writeFileSync(join(host, 'secret'), 'outside');
    symlinkSync('../../../../secret', join(root, 'usr/lib/up'));
    expect([read('/../secret'), read('/usr/lib/up')]).toEqual(['(ENOENT)', '(ENOENT)']);
    writeFileSync(join(root, 'secret'), 'inside');
    expect([read('/../secret'), read('/usr/lib/up')]).toEqual(['inside', 'inside']);
  });

  test('a file is found over links and dots, and has the path that it really has', () => {
    symlinkSync('usr/lib', join(root, 'lib'));
    symlinkSync('/lib/libx.so', join(root, 'usr/lib/libx.so.1'));
    expect(read('/lib/./../lib/libx.so.1')).toBe('inside');
    const file = openRegularBelow(root, '/lib/libx.so.1');
    expect(file).toMatchObject({ source: { file: { path: join(root, 'usr/lib/libx.so') } } });
    if (typeof file !== 'string') file.source.close?.();
  });

  test('a file is a regular file, and links end somewhere', () => {
    symlinkSync('loop', join(root, 'loop'));
    execFileSync('mkfifo', [join(root, 'fifo')]);
    const refused = [read('/loop'), read('/fifo'), read('/usr'), read('/'), read('/none/x')];
    expect(refused).toEqual([
      '(a symbolic link)',
      '(not a regular file)',
      '(not a regular file)',
      '(not a regular file)',
      '(ENOENT)',
    ]);
    symlinkSync('usr/lib/libx.so', join(root, 'link'));
    const { O_NOFOLLOW } = constants;
    expect([read('/link'), read('/link', O_NOFOLLOW)]).toEqual(['inside', '(a symbolic link)']);
  });

  test('a file in the root of another process leaves no descriptor open', () => {
    symlinkSync('/usr/lib', join(root, 'lib'));
    const before = readdirSync('/proc/self/fd').length;
    for (const path of ['/lib/libx.so', '/lib/none', '/lib/..', '/usr/lib/libx.so/x']) read(path);
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
  });
});
