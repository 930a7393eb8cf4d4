import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CacheFolder, cacheHome } from '../../../src/system/files/cache-folder.ts';
import { NOBODY } from '../../helpers/nobody.ts';

const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-cache-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const itAsRoot = it.skipIf(process.geteuid?.() !== 0);
const itAsUser = it.skipIf(process.geteuid?.() === 0);
const MOST = 1 << 20;
const bytes = (length: number) => new Uint8Array(length).fill(7);

/** The home of a user, with a folder of caches or without. */
function home(hasCache = true): { home: string; cache: string; own: string } {
  const home = mkdtempSync(join(scratch, 'home-'));
  const cache = join(home, '.cache');
  if (hasCache) mkdirSync(cache, { mode: 0o700 });
  return { home, cache, own: join(cache, 'perf-ts') };
}

/** A folder with one file in it. */
function filled() {
  const place = home();
  const folder = CacheFolder.open(place.cache, MOST)!;
  folder.write('file', bytes(10));
  return { ...place, folder };
}

describe('the folder of the cache', () => {
  it('the cache folder is made for its user alone, whatever the umask says, as is the folder that it is in', () => {
    const { cache, own } = home(false);
    const umask = process.umask(0);
    const folder = CacheFolder.open(cache, MOST)!;
    folder.write('file', bytes(10));
    folder.close();
    process.umask(umask);
    const modes = [cache, own, join(own, 'file')].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  it('the folder of the cache gives back what was written, and replaces it as a whole', () => {
    const { folder, own } = filled();
    expect(folder.read('file', MOST)).toEqual(bytes(10));
    folder.write('file', bytes(4));
    expect(folder.read('file', MOST)).toEqual(bytes(4));
    expect(readdirSync(own)).toEqual(['file']);
  });

  it('the cache folder may be deleted at any time', () => {
    const { folder, own, cache } = filled();
    rmSync(own, { recursive: true });
    expect(folder.read('file', MOST)).toBeNull();
    folder.write('file', bytes(10));
    expect(readdirSync(cache)).toEqual([]);
    const anew = CacheFolder.open(cache, MOST)!;
    anew.write('file', bytes(10));
    expect(anew.read('file', MOST)).toEqual(bytes(10));
  });

  it('the folder of the cache gives no file that others may write, that is too large, a link or a folder', () => {
    const { folder, own } = filled();
    expect(folder.read('file', 9)).toBeNull();
    chmodSync(join(own, 'file'), 0o620);
    expect(folder.read('file', MOST)).toBeNull();
    chmodSync(join(own, 'file'), 0o644);
    symlinkSync('file', join(own, 'link'));
    mkdirSync(join(own, 'folder'));
    expect(['file', 'link', 'folder', 'absent'].map((name) => folder.read(name, MOST))).toEqual([
      bytes(10),
      null,
      null,
      null,
    ]);
  });

  it('the cache folder is not used where others may enter it, or where it is a link', () => {
    const { cache, own } = filled();
    for (const mode of [0o770, 0o701, 0o755]) {
      chmodSync(own, mode);
      expect(CacheFolder.open(cache, MOST), mode.toString(8)).toBeNull();
    }
    const other = home();
    symlinkSync(own, other.own);
    chmodSync(own, 0o700);
    expect(CacheFolder.open(other.cache, MOST)).toBeNull();
    expect(CacheFolder.open(cache, MOST)).not.toBeNull();
  });

  itAsRoot('neither believes nor writes what another user may have put there', () => {
    const { folder, own, cache } = filled();
    chownSync(join(own, 'file'), NOBODY, NOBODY);
    expect(folder.read('file', MOST)).toBeNull();
    chownSync(own, NOBODY, NOBODY);
    expect(CacheFolder.open(cache, MOST)).toBeNull();
  });

  itAsRoot(
    "the folder of the cache leaves nothing of root's in the home of the user who called sudo",
    () => {
      for (const hasCache of [true, false]) {
        const { home: path, cache } = home(hasCache);
        chownSync(path, NOBODY, NOBODY);
        if (hasCache) chownSync(cache, NOBODY, NOBODY);
        expect(CacheFolder.open(cache, MOST)).toBeNull();
        expect(readdirSync(path)).toEqual(hasCache ? ['.cache'] : []);
        if (!hasCache) continue;
        expect(readdirSync(cache)).toEqual([]);
        // As an earlier program of root's may have left it there.
        chownSync(cache, 0, 0);
        expect(CacheFolder.open(cache, MOST)).toBeNull();
      }
    },
  );

  itAsRoot("the folder of the cache is not looked for behind another user's link", () => {
    const { home: path, cache } = home(false);
    const { cache: target } = home();
    symlinkSync(target, cache);
    lchownSync(cache, NOBODY, NOBODY);
    expect(CacheFolder.open(cache, MOST)).toBeNull();
    expect(readdirSync(target)).toEqual([]);
    expect(readdirSync(path)).toEqual(['.cache']);
  });

  itAsUser('the folder of the cache does without a folder where none can be made', () => {
    const { home: path, cache } = home(false);
    chmodSync(path, 0o500);
    expect(CacheFolder.open(cache, MOST)).toBeNull();
  });

  it('the cache does without a folder where there is no home, or something else in its place', () => {
    const { home: path, cache, own } = home();
    expect(CacheFolder.open(null, MOST)).toBeNull();
    expect(CacheFolder.open(join(path, 'absent/.cache'), MOST)).toBeNull();
    writeFileSync(own, '');
    expect(CacheFolder.open(cache, MOST)).toBeNull();
    expect(CacheFolder.open('/proc/self', MOST)).toBeNull();
  });

  it('the folder of the cache leaves out what cannot be written', () => {
    const { folder, own } = filled();
    mkdirSync(join(own, 'taken'));
    folder.write('taken', bytes(10));
    expect(readdirSync(own).sort()).toEqual(['file', 'taken']);
    expect(lstatSync(join(own, 'taken')).isDirectory()).toBe(true);
  });

  it('the folder of the cache removes what was not used for the longest time as soon as it is too large', () => {
    const { cache, own } = home();
    const names = Array.from({ length: 10 }, (_, i) => `file-${i}`);
    for (const name of names) CacheFolder.open(cache, MOST)!.write(name, bytes(100));
    names.forEach((name, i) => {
      utimesSync(join(own, name), 1000 + i, 1000 + i);
    });
    const folder = CacheFolder.open(cache, 1000)!;
    // Reading is using.
    folder.read('file-0', MOST);
    folder.write('new', bytes(100));
    const kept = ['file-0', 'file-5', 'file-6', 'file-7', 'file-8', 'file-9', 'new'];
    expect(readdirSync(own).sort()).toEqual(kept);
  });

  it('the folder of the cache removes the halves that ended processes have left, once nobody can be writing them', () => {
    const { cache, own } = filled();
    const [old, recent] = ['a.1-x.tmp', 'b.1-x.tmp'].map((name) => join(own, name));
    for (const path of [old, recent]) writeFileSync(path, 'half');
    utimesSync(old, 1000, 1000);
    CacheFolder.open(cache, MOST)!.write('file', bytes(10));
    expect(readdirSync(own).sort()).toEqual(['b.1-x.tmp', 'file']);
  });
});

describe('the place of the cache', () => {
  it('the cache folder is that of XDG_CACHE_HOME where that is absolute, else .cache at home', () => {
    expect(cacheHome({ XDG_CACHE_HOME: '/var/cache/me' })).toBe('/var/cache/me');
    expect(cacheHome({ XDG_CACHE_HOME: 'relative' })).toMatch(/\/\.cache$/);
    expect(cacheHome({})).toMatch(/\/\.cache$/);
  });
});
