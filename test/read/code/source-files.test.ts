import { chmodSync, chownSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Profile } from '../../../src/profile/types.ts';
import { SourceFiles } from '../../../src/read/code/source-files.ts';
import { scratchDirectory } from '../../helpers/cli.ts';
import { NOBODY } from '../../helpers/nobody.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';

const directory = scratchDirectory();
const isRoot = process.geteuid?.() === 0;

/** A profile whose one function lies in this file; the file is string 1. */
function naming(path: string, recording = '-'): SourceFiles {
  const profile = profileFromText('period 1\n main');
  const file = profile.strings.length;
  const named = {
    ...profile,
    strings: [...profile.strings, path],
    funcs: { ...profile.funcs, file: new Int32Array(profile.funcs.length).fill(file) },
  } as Profile;
  return new SourceFiles(named, recording);
}

/** The row of the string that `naming` adds. */
const NAMED = profileFromText('period 1\n main').strings.length;

function written(name: string, text: string | Uint8Array, mode = 0o644): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe('source files', () => {
  afterEach(() => {
    delete process.env.SUDO_UID;
    delete process.env.SUDO_USER;
  });

  it('source files are read where the profile names them, also as an address', () => {
    const path = written('a.ts', 'let a = 1;\n');
    expect(naming(path).read(NAMED)).toBe('let a = 1;\n');
    expect(naming(`file://${path}`).read(NAMED)).toBe('let a = 1;\n');
  });

  it('source files are marked as changed where they are newer than the recording', () => {
    const path = written('new.ts', 'let n = 1;\n');
    const recording = written('old.data', '');
    const at = (seconds: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, seconds));
    utimesSync(recording, at(5), at(5));
    const changed = (seconds: number) => {
      utimesSync(path, at(seconds), at(seconds));
      return JSON.parse(naming(path, recording).answer(NAMED));
    };
    expect(changed(4)).toStrictEqual({ text: 'let n = 1;\n', changed: null });
    expect(changed(6)).toStrictEqual({ text: 'let n = 1;\n', changed: '2026-01-02 03:04 UTC' });
    expect(JSON.parse(naming(path, '-').answer(NAMED))).toMatchObject({ changed: null });
  });

  it('strings of the profile that are not source files are not served', () => {
    const sources = naming(written('b.ts', 'let b = 1;\n'));
    for (const string of [0, 1, NAMED + 1, -1]) {
      if (string === NAMED) continue;
      expect(() => sources.read(string)).toThrow('names no such source file');
    }
  });

  it('source files are regular files of a sane size with text in them', () => {
    expect(() => naming('src/relative.ts').read(NAMED)).toThrow('where this file lies');
    expect(() => naming(directory).read(NAMED)).toThrow('not a regular file');
    expect(() => naming('/dev/zero').read(NAMED)).toThrow('not a regular file');
    expect(() => naming(join(directory, 'none')).read(NAMED)).toThrow('ENOENT');
    const binary = written('c.bin', Uint8Array.of(0x7f, 0x45, 0, 1));
    expect(() => naming(binary).read(NAMED)).toThrow('not a text');
    const large = written('d.ts', 'x'.repeat((4 << 20) + 1));
    expect(() => naming(large).read(NAMED)).toThrow('larger than 4 MiB');
  });

  it.skipIf(!isRoot)("source files are not read by root's right where others own them", () => {
    const path = written('theirs.ts', 'secret', 0o600);
    chownSync(path, NOBODY, NOBODY);
    expect(() => naming(path).read(NAMED)).toThrow("another user's");
    const link = join(directory, 'link.ts');
    symlinkSync(path, link);
    expect(() => naming(link).read(NAMED)).toThrow("another user's");
    chmodSync(path, 0o644);
    expect(naming(path).read(NAMED)).toBe('secret');
  });

  it('a private file is served only if its name is that of a source', () => {
    const key = written('id_rsa', 'PRIVATE KEY', 0o600);
    expect(() => naming(key).read(NAMED)).toThrow('by its name not a source file');
    chmodSync(key, 0o644);
    expect(naming(key).read(NAMED)).toBe('PRIVATE KEY');
    expect(naming(written('mine.ts', 'let m;', 0o600)).read(NAMED)).toBe('let m;');
  });

  it('a file name that is not a valid address is refused with a reason', () => {
    expect(() => naming('file:///%zz.ts').read(NAMED)).toThrow('where this file lies is not known');
  });

  it.skipIf(!isRoot)("files are not read by root's right for another user's recording", () => {
    const recording = written('theirs.data', '');
    const path = written('ours.ts', 'secret', 0o600);
    expect(naming(path, recording).read(NAMED)).toBe('secret');
    chownSync(recording, NOBODY, NOBODY);
    expect(() => naming(path, recording).read(NAMED)).toThrow(`can't be read as uid ${NOBODY}`);
    chmodSync(path, 0o644);
    chmodSync(directory, 0o755);
    expect(naming(path, recording).read(NAMED)).toBe('secret');
  });

  it.skipIf(!isRoot)('source files are read as the user who called sudo', () => {
    process.env.SUDO_UID = String(NOBODY);
    process.env.SUDO_USER = 'nobody';
    expect(() => naming('/etc/shadow').read(NAMED)).toThrow(`can't be read as uid ${NOBODY}`);
    expect(naming('/etc/passwd').read(NAMED)).toContain('nobody:');
    const closed = join(directory, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    writeFileSync(join(closed, 'e.ts'), 'x');
    expect(() => naming(join(closed, 'e.ts')).read(NAMED)).toThrow("can't be read as uid");
  });
});
