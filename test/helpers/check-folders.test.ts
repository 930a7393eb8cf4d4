import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  findMissingFiles,
  findMissingPaths,
  findUndescribed,
  findUnlisted,
  findWrongLengths,
} from '../check-folders.mjs';

let top = '';
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'perf-ts-folders-'));
});
afterEach(() => rmSync(top, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), text);
}

describe('the check of folders', () => {
  test('the check of folders names a folder with sources that neither has a README nor is named in the one above', () => {
    write(
      'src/README.md',
      '`ring/` drains, [`order/`](order/README.md) sorts, `sub-unwind/` is another.\n',
    );
    write('src/ring/a.ts', '');
    write('src/order/README.md', 'Sorts.\n');
    write('src/order/b.ts', '');
    write('src/unwind/c.ts', '');
    write('src/unwind/tables/notes.txt', '');
    expect(findUndescribed(top, ['src'])).toEqual([
      'src/unwind: has no README.md, and src/README.md does not name it',
    ]);
  });

  test('the check of folders takes the declaration of a command for its description', () => {
    write('src/README.md', 'Commands.\n');
    write('src/list/list-command.ts', '');
    write('src/record/list-command.ts', '');
    expect(findUndescribed(top, ['src'])).toEqual([
      'src/record: has no README.md, and src/README.md does not name it',
    ]);
  });

  test('the check of folders names a folder that has no README above it at all', () => {
    write('src/ring/a.ts', '');
    expect(findUndescribed(top, ['src'])).toEqual([
      'src/ring: has no README.md, and there is none above it',
    ]);
  });

  test('the check of folders names a room that a list of rooms leaves out', () => {
    write('src/ring/a.ts', '');
    write('src/order/b.ts', '');
    write('PAGE.md', 'ring, reorder\n');
    expect(findUnlisted(top, 'PAGE.md')).toEqual(['PAGE.md: does not name src/order']);
  });

  test('the check of folders names a path that a page has in code and that is not there', () => {
    write('src/ring/a.ts', '');
    write(
      'PAGE.md',
      '`src/ring/a.ts`, `src/NAME/b.ts`, `npm run x`\n`src/order/` and src/unwind/\n',
    );
    expect(findMissingPaths(top, 'PAGE.md')).toEqual(['PAGE.md:2: src/order/ is not there']);
  });

  test('the check of folders names a file that a README has in code and that is nowhere', () => {
    write('src/ring/a.ts', '');
    write('src/ring/README.md', '`a.ts`, `../ring/a.ts`, `gone.ts`, `include/linux/sched.h`\n');
    expect(findMissingFiles(top, ['src'])).toEqual(['src/ring/README.md: gone.ts is not there']);
  });

  test('the check of folders names a file that a comment has in code and that is nowhere', () => {
    write(
      'src/ring/a.ts',
      '/**\n * As in `a.ts` and `ring/gone.ts`.\n */\nconst path = `lost.ts`;\n',
    );
    expect(findMissingFiles(top, ['src'])).toEqual(['src/ring/a.ts: ring/gone.ts is not there']);
  });

  test('the check of folders names a file of more than 600 lines, and a median of 100 or more', () => {
    write('src/a.ts', 'a\n'.repeat(600));
    write('src/b.ts', 'b\n'.repeat(601));
    write('src/c.ts', 'c\n'.repeat(3));
    expect(findWrongLengths(top, ['src'])).toEqual([
      'CONTRIBUTING.md: half of the files have 600 lines or more',
      'src/b.ts: 601 lines are more than 600',
    ]);
  });
});
