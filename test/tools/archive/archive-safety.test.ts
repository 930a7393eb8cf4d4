// What an archive may hold, and what its making may touch: a recording names any file, and its owner is
// at work beside it.

import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FailedError } from '../../../src/base/errors.ts';
import { describeDiagnostics } from '../../../src/findings/diagnostic-text.ts';
import { actAs } from '../../../src/system/accounts/file-identity.ts';
import { ArchiveOutput } from '../../../src/tools/archive/archive-output.ts';
import { archiveRecording } from '../../../src/tools/archive/archive-recording.ts';
import { writeCodeRecording, writeProgram } from '../../helpers/code-recording.ts';
import { NOBODY } from '../../helpers/nobody.ts';

const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-archive-'));
chmodSync(scratch, 0o755);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const isRoot = process.geteuid?.() === 0;
const nobody = { uid: NOBODY, gid: NOBODY };

function folderOf(uid?: number): string {
  const folder = mkdtempSync(join(scratch, 'place-'));
  chmodSync(folder, 0o755);
  if (uid !== undefined) chownSync(folder, uid, uid);
  return folder;
}

/** A recording, of `uid` if it is said, with a sample in each of the `files`. */
function recordingOf(folder: string, files: string, uid?: number): string {
  const path = join(folder, 'r.data');
  writeCodeRecording(path, files, [['work', [0x90, 0x90]]], [[['work', 1]]]);
  if (uid !== undefined) chownSync(path, uid, uid);
  return path;
}

function program(folder: string, mode: number): string {
  const path = join(folder, 'app');
  writeProgram(path, [['work', [0x90, 0x90]]]);
  chmodSync(path, mode);
  return path;
}

/** Reasons why files are missing. */
function reasons({ diagnostics }: ReturnType<typeof archiveRecording>): string {
  return JSON.stringify(describeDiagnostics(diagnostics));
}

describe('an archive', () => {
  it('an archive has nothing that is not an ELF file', () => {
    const folder = folderOf();
    const secret = join(folder, 'id_rsa');
    writeFileSync(secret, '-----BEGIN OPENSSH PRIVATE KEY-----\n');
    chmodSync(secret, 0o644);
    const path = recordingOf(folder, secret);
    const archived = archiveRecording(path, { full: true });
    expect(readdirSync(`${path}.symbols`)).toEqual(['perf-ts-archive.json']);
    expect(archived.files).toBe(0);
    expect(reasons(archived)).toContain('not stored: it is not an ELF file');
  });

  it('an archive has no private program that nothing proves to be the recorded one', () => {
    const folder = folderOf();
    const app = program(folder, 0o700);
    // Mapped without an inode, and the program has no build ID.
    const path = recordingOf(folder, app);
    const archived = archiveRecording(path);
    expect(existsSync(join(`${path}.symbols`, app))).toBe(false);
    expect(reasons(archived)).toContain('nothing proves that the file there is the mapped one');
    chmodSync(app, 0o755);
    archiveRecording(path);
    expect(existsSync(join(`${path}.symbols`, app))).toBe(true);
  });

  it.skipIf(!isRoot)(
    'an archive made by root has what the owner of the recording may read, and is the owner’s',
    () => {
      const folder = folderOf(NOBODY);
      const path = recordingOf(folder, program(folderOf(), 0o755), NOBODY);
      expect(archiveRecording(path).files).toBe(1);
      const inside = readdirSync(`${path}.symbols`, { recursive: true }) as string[];
      expect(inside.length).toBeGreaterThan(3);
      for (const name of ['', ...inside]) {
        const { uid, gid } = lstatSync(join(`${path}.symbols`, name));
        expect([name, uid, gid]).toEqual([name, NOBODY, NOBODY]);
      }
      const closed = folderOf();
      const app = program(closed, 0o755);
      chmodSync(closed, 0o700);
      const other = recordingOf(folderOf(NOBODY), app, NOBODY);
      const archived = archiveRecording(other);
      expect(archived.files).toBe(0);
      expect(reasons(archived)).toContain('EACCES');
    },
  );

  it.skipIf(!isRoot)(
    'an archive where its owner may not write is made by root, and given away complete',
    () => {
      const folder = folderOf();
      const app = program(folder, 0o755);
      const path = recordingOf(folder, app, NOBODY);
      for (const output of [`${path}.symbols`, join(folder, 'r.tar.gz')]) {
        expect(archiveRecording(path, { output }).files).toBe(1);
        expect(statSync(output).uid).toBe(NOBODY);
        // Again: the earlier one is replaced.
        expect(archiveRecording(path, { output }).files).toBe(1);
      }
      expect(lstatSync(join(`${path}.symbols`, app)).uid).toBe(NOBODY);
      expect(readdirSync(folder).sort()).toEqual(['app', 'r.data', 'r.data.symbols', 'r.tar.gz']);
    },
  );
});

describe('an archive that is being made', () => {
  function swapped(output: string, folder: string): { victim: string } {
    const victim = join(folder, 'victim');
    mkdirSync(join(victim, 'FILE.symbols', 'usr', 'bin'), { recursive: true });
    const holder = readdirSync(folder).find((name) => name.includes('.unfinished-')) as string;
    renameSync(join(folder, holder), join(folder, 'moved'));
    symlinkSync(victim, join(folder, holder));
    expect(existsSync(output)).toBe(false);
    return { victim };
  }

  it('an archive stays in its folder when another one is put at the name of that', () => {
    const folder = folderOf();
    const place = join(folder, 'FILE.symbols');
    const output = ArchiveOutput.create(place, 'FILE.symbols', null);
    const { victim } = swapped(place, folder);
    output.add('/usr/bin/app', (fd) => writeSync(fd, 'code'));
    output.finish('FILE');
    output.close();
    expect(readdirSync(join(victim, 'FILE.symbols', 'usr', 'bin'))).toEqual([]);
    expect(readFileSync(join(place, 'usr/bin/app'), 'utf8')).toBe('code');
  });

  it.skipIf(!isRoot)('an archive changes nothing of root’s, whatever the user puts into it', () => {
    const folder = folderOf(NOBODY);
    const place = join(folder, 'FILE.symbols');
    const closed = folderOf();
    writeFileSync(join(closed, 'app'), 'of root', { mode: 0o600 });
    actAs(nobody, () => {
      const output = ArchiveOutput.create(place, 'FILE.symbols', nobody);
      // The user may enter the folder, and puts links where directories and files will be.
      const holder = readdirSync(folder).find((name) => name.includes('.unfinished-')) as string;
      symlinkSync(closed, join(folder, holder, 'FILE.symbols', 'usr'));
      expect(() => output.add('/usr/new', () => {})).toThrow('EACCES');
      expect(() => output.add('/usr/app', () => {})).toThrow('EEXIST');
      rmSync(join(folder, holder, 'FILE.symbols', 'usr'));
      symlinkSync(closed, join(folder, holder, 'FILE.symbols', 'lib'));
      output.finish('FILE');
      output.close();
    });
    expect(readdirSync(closed)).toEqual(['app']);
    const { uid, mode } = statSync(join(closed, 'app'));
    expect([statSync(closed).uid, uid, mode & 0o777]).toEqual([0, 0, 0o600]);
  });

  it('an archive stores no path above its folder', () => {
    const folder = folderOf();
    const output = ArchiveOutput.create(join(folder, 'FILE.symbols'), 'FILE.symbols', null);
    output.add('/../../../escaped', () => {});
    output.finish('FILE');
    output.close();
    expect(readdirSync(folder)).toEqual(['FILE.symbols']);
    expect(readdirSync(join(folder, 'FILE.symbols'))).toContain('escaped');
  });

  it('an abandoned archive leaves the earlier one only', () => {
    const folder = folderOf();
    const place = join(folder, 'FILE.symbols');
    for (const text of ['first', 'second']) {
      const output = ArchiveOutput.create(place, 'FILE.symbols', null);
      output.add('/app', (fd) => writeSync(fd, text));
      if (text === 'first') output.finish('FILE');
      output.close();
    }
    expect(readdirSync(folder)).toEqual(['FILE.symbols']);
    expect(readFileSync(join(place, 'app'), 'utf8')).toBe('first');
  });

  it.skipIf(!isRoot)('an archive neither replaces nor empties one of another user', () => {
    const folder = folderOf();
    chmodSync(folder, 0o777);
    const place = join(folder, 'FILE.symbols');
    const theirs = actAs(nobody, () => {
      const output = ArchiveOutput.create(place, 'FILE.symbols', null);
      output.finish('FILE');
      output.close();
      return statSync(place).ino;
    });
    expect(() => ArchiveOutput.create(place, 'FILE.symbols', null)).toThrow(FailedError);
    expect(statSync(place).ino).toBe(theirs);
    expect(readdirSync(folder)).toEqual(['FILE.symbols']);
  });
});
