import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTextOrEmpty, readTextOrNull, readTrimmedOrNull } from '../../src/system/small-file.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

const NOWHERE = '/proc/self/none';

describe('a small file', () => {
  it('a small file is read as it is, with its newline', () => {
    expect(readTextOrNull('/proc/self/comm')).toMatch(/^.+\n$/);
    expect(readTextOrEmpty('/proc/self/comm')).toBe(readTextOrNull('/proc/self/comm'));
  });

  it('a small file is read without white space at its ends', () => {
    expect(`${readTrimmedOrNull('/proc/self/comm')}\n`).toBe(readTextOrNull('/proc/self/comm'));
  });

  it('a file that is absent is null or empty, as the name of the function tells', () => {
    expect(readTextOrNull(NOWHERE)).toBeNull();
    expect(readTrimmedOrNull(NOWHERE)).toBeNull();
    expect(readTextOrEmpty(NOWHERE)).toBe('');
  });

  it('a file that is a folder cannot be read', () => {
    expect(readTextOrNull('/proc/self')).toBeNull();
  });

  it('a small file is read whole where it has more bytes than one read takes', () => {
    const path = join(scratchDirectory(), 'large');
    const text = 'ä'.repeat(100_001);
    writeFileSync(path, text);
    expect(readTextOrNull(path)).toBe(text);
  });

  it('a file without an end is cut', () => {
    expect(readTextOrNull('/dev/zero')?.length).toBe(16 << 20);
  });
});
