import {
  closeSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FailedError } from '../../../src/base/errors.ts';
import { Folder } from '../../../src/system/files/folder.ts';
import { NOBODY } from '../../helpers/nobody.ts';

const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-folder-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const itAsRoot = it.skipIf(process.geteuid?.() !== 0);

const place = () => mkdtempSync(join(scratch, 'place-'));

describe('an open folder', () => {
  it('an open folder stays the same when another is put at its path', () => {
    const parent = place();
    const [path, victim] = [join(parent, 'out'), join(parent, 'victim')];
    for (const folder of [path, victim]) mkdirSync(folder);
    writeFileSync(join(victim, 'precious'), '');
    const folder = Folder.open(path);
    renameSync(path, join(parent, 'moved'));
    symlinkSync(victim, path);
    closeSync(folder.create('made'));
    folder.makeFolder('inner').close();
    folder.rename('made', 'precious');
    folder.remove('precious');
    folder.close();
    expect(readdirSync(victim)).toEqual(['precious']);
    expect(readdirSync(join(parent, 'moved'))).toEqual(['inner']);
  });

  it('an open folder makes no file and enters no folder through a link at the name', () => {
    const parent = place();
    mkdirSync(join(parent, 'victim'));
    symlinkSync(join(parent, 'victim'), join(parent, 'folder'));
    symlinkSync(join(parent, 'victim', 'file'), join(parent, 'file'));
    const folder = Folder.open(parent);
    expect(() => folder.create('file')).toThrow('EEXIST');
    expect(() => folder.makeFolder('folder')).toThrow('EEXIST');
    expect(() => folder.folder('folder')).toThrow('ENOTDIR');
    expect(() => folder.at('folder/file')).toThrow('not a name');
    expect(() => folder.at('..')).toThrow('not a name');
    folder.close();
    expect(readdirSync(join(parent, 'victim'))).toEqual([]);
  });

  it('a folder is reached through our own links, relative and absolute', () => {
    const parent = place();
    mkdirSync(join(parent, 'a', 'b'), { recursive: true });
    symlinkSync('a', join(parent, 'relative'));
    symlinkSync(join(parent, 'relative', 'b'), join(parent, 'absolute'));
    const folder = Folder.open(`${parent}/absolute/./../b`);
    closeSync(folder.create('made'));
    folder.close();
    expect(readdirSync(join(parent, 'a', 'b'))).toEqual(['made']);
  });

  itAsRoot('an open folder is not reached through a link that another user has made', () => {
    const parent = place();
    const link = join(parent, 'link');
    mkdirSync(join(parent, 'victim'));
    symlinkSync('victim', link);
    lchownSync(link, NOBODY, NOBODY);
    expect(() => Folder.open(join(link, 'below'))).toThrow(FailedError);
    expect(() => Folder.open(link)).toThrow(
      `link is a symbolic link of another user (uid ${NOBODY})`,
    );
  });

  it('a folder behind a loop of links is an error', () => {
    const parent = place();
    symlinkSync('two', join(parent, 'one'));
    symlinkSync('one', join(parent, 'two'));
    expect(() => Folder.open(join(parent, 'one'))).toThrow(
      expect.objectContaining({ code: 'ELOOP' }),
    );
  });

  it('a folder behind a link of /proc is the one it means', () => {
    const parent = place();
    const outer = Folder.open(parent);
    const again = Folder.open(outer.at('.').replace('/.', ''));
    closeSync(again.create('made'));
    for (const folder of [outer, again]) folder.close();
    expect(readdirSync(parent)).toEqual(['made']);
  });
});
