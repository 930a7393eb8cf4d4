import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CacheFolder } from '../../../src/system/files/cache-folder.ts';
import { type KeptPart, KeptParts } from '../../../src/system/files/kept-parts.ts';

const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-code-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const KIND = { prefix: 'code', mostBytes: 2 ** 20 };
const CODES: readonly KeptPart[] = [
  { name: './program.js', state: '1 2 3 4.5 6', bytes: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9) },
  { name: './größer.js', state: '', bytes: Uint8Array.from({ length: 1001 }, (_, i) => i % 251) },
];

function openFolder(): { folder: CacheFolder; path: string } {
  const home = mkdtempSync(join(scratch, 'home-'));
  const folder = CacheFolder.open(home, 2 ** 20);
  if (folder === null) throw new Error('no folder');
  return { folder, path: join(home, 'perf-ts') };
}

describe('parts that are kept', () => {
  it('the store gives back what was kept, by name', () => {
    const { folder } = openFolder();
    new KeptParts(folder, KIND, 'a key').write(CODES);
    const stored = new KeptParts(folder, KIND, 'a key').read();
    expect(Array.from(stored.values())).toEqual(CODES);
  });

  it('places code where V8 takes it without a copy', () => {
    const { folder } = openFolder();
    new KeptParts(folder, KIND, 'a key').write(CODES);
    for (const { bytes } of new KeptParts(folder, KIND, 'a key').read().values()) {
      expect(bytes.byteOffset % 8).toBe(0);
    }
  });

  it('the store has nothing for another key', () => {
    const { folder, path } = openFolder();
    new KeptParts(folder, KIND, 'a key').write(CODES);
    expect(new KeptParts(folder, KIND, 'another key').read().size).toBe(0);
    // Not even in the file of that key.
    const [name] = readdirSync(path);
    new KeptParts(folder, KIND, 'another key').write(CODES);
    const [other] = readdirSync(path).filter((file) => file !== name);
    writeFileSync(join(path, other), readFileSync(join(path, name)));
    expect(new KeptParts(folder, KIND, 'another key').read().size).toBe(0);
  });

  it('the store has nothing where any byte is another one, or missing', () => {
    const { folder, path } = openFolder();
    const store = new KeptParts(folder, KIND, 'a key');
    store.write(CODES);
    const file = join(path, readdirSync(path)[0]);
    const whole = readFileSync(file);
    // 31 has no factor in common with a word, a lane or the alignment.
    for (let at = 0; at < whole.length; at += 31) {
      const damaged = Buffer.from(whole);
      damaged[at] ^= 0x10;
      writeFileSync(file, damaged);
      expect(store.read().size, `byte ${at}`).toBe(0);
    }
    for (const length of [0, 4, 15, 16, 64, whole.length - 8, whole.length - 1]) {
      writeFileSync(file, whole.subarray(0, length));
      expect(store.read().size, `${length} bytes`).toBe(0);
    }
    writeFileSync(file, whole);
    expect(store.read().size).toBe(CODES.length);
  });
});
