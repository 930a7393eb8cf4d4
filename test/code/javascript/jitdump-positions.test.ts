import { describe, expect, test } from 'vitest';
import { JitdumpPositions } from '../../../src/code/javascript/jitdump-positions.ts';

/**
 * Code objects as V8 writes them: the name, then positions as `offset line:column`. Offsets are in
 * hex.
 */
function positionsOf(drawn: string): JitdumpPositions {
  const objects = drawn
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', table = ''] = line.trim().split(/\s+\|\s*/);
      const entries = table.split(/\s+(?=\+)/).filter((entry) => entry !== '');
      const fields = entries.map((entry) => entry.split(/[+ :]/).slice(1));
      return {
        name,
        positions: {
          offset: Float64Array.from(fields, ([offset]) => Number.parseInt(offset ?? '', 16)),
          line: Int32Array.from(fields, ([, at]) => Number(at)),
          column: Int32Array.from(fields, ([, , column]) => Number(column)),
        },
      };
    });
  return new JitdumpPositions({
    length: objects.length,
    name: (row) => objects[row].name,
    positions: (row) => (objects[row].positions.line.length === 0 ? null : objects[row].positions),
  });
}

function find(positions: JitdumpPositions, row: number, ...offsets: number[]): string[] {
  return offsets.map((offset) => {
    const found = positions.find(row, offset);
    if (found === null) return '-';
    const { file, line, column, inlined } = found;
    return `${file}:${line}:${column}${inlined === null ? '' : ` of ${inlined}`}`;
  });
}

const SAME_FILE = `
  JS:~leaf /app/a.js:1:18
  JS:^leaf /app/a.js:1:18   | +0 1:35 +2 1:48 +4 1:74
  JS:^outer /app/a.js:4:15  | +0 4:32 +2 4:50
`;

describe('positions of V8', () => {
  test('a position in optimized code is of the function whose baseline code has it', () => {
    const positions = positionsOf(`${SAME_FILE}
      JS:*outer /app/a.js:4:15 | +0 4:15 +10 4:50 +20 1:35 +28 1:74 +40 4:32`);
    expect(find(positions, 3, 0x4, 0x10, 0x1f, 0x20, 0x2f, 0x48)).toEqual([
      '/app/a.js:4:15',
      '/app/a.js:4:50',
      '/app/a.js:4:50',
      '/app/a.js:1:35 of JS:*leaf /app/a.js:1:18',
      '/app/a.js:1:74 of JS:*leaf /app/a.js:1:18',
      '/app/a.js:4:32',
    ]);
  });

  test('addresses in the table of baseline code are none', () => {
    expect(find(positionsOf(SAME_FILE), 1, 0, 2, 4)).toEqual(['-', '-', '-']);
  });

  test('a position that no baseline code has is not known, nor is code before the first one', () => {
    const positions = positionsOf(`${SAME_FILE}
      JS:*outer /app/a.js:4:15 | +10 4:50 +20 9:9 +30 4:32`);
    expect(find(positions, 3, 0x8, 0x20, 0x30)).toEqual(['-', '-', '/app/a.js:4:32']);
  });

  test('the inlined function has its own file, whatever file the entry names', () => {
    const positions = positionsOf(`
      JS:^leaf /app/lib.js:5:28 | +0 6:16 +2 6:55
      JS:^outer /app/a.js:4:15  | +0 4:32 +2 4:50
      JS:*outer /app/a.js:4:15  | +0 4:50 +20 6:55`);
    expect(find(positions, 2, 0x20)).toEqual(['/app/lib.js:6:55 of JS:*leaf /app/lib.js:5:28']);
  });

  test('the function that counts, among those with the same position, is the one with others in this code', () => {
    const positions = positionsOf(`
      JS:^here /app/b.js:5:28  | +0 6:16 +2 6:55
      JS:^there /app/c.js:5:20 | +0 6:16 +2 7:55
      JS:^outer /app/a.js:4:15 | +0 4:32
      JS:*outer /app/a.js:4:15 | +0 4:32 +20 6:16 +28 6:55
      JS:*outer /app/a.js:4:15 | +0 4:32 +20 6:16
      JS:*outer /app/a.js:4:15 | +0 4:32 +20 6:16 +28 6:55 +30 7:55`);
    expect(find(positions, 3, 0x20)).toEqual(['/app/b.js:6:16 of JS:*here /app/b.js:5:28']);
    expect(find(positions, 4, 0x20)).toEqual(['-']);
    expect(find(positions, 5, 0x20)).toEqual(['-']);
  });

  test('code of Maglev counts only functions of the same file whose start stands in the table', () => {
    const positions = positionsOf(`
      JS:^leaf /app/a.js:1:18    | +0 1:35 +2 1:74
      JS:^other /app/a.js:2:18   | +0 2:35
      JS:^far /app/lib.js:7:10   | +0 8:1
      JS:^outer /app/a.js:4:15   | +0 4:32
      JS:+'outer /app/a.js:4:15  | +0 4:15 +8 1:18 +10 1:35 +20 2:35 +30 7:10 +38 8:1 +40 4:32`);
    expect(find(positions, 4, 0x8, 0x10, 0x20, 0x30, 0x38, 0x40)).toEqual([
      '/app/a.js:1:18 of JS:+leaf /app/a.js:1:18',
      '/app/a.js:1:35 of JS:+leaf /app/a.js:1:18',
      '-',
      '-',
      '-',
      '/app/a.js:4:32',
    ]);
  });

  test('all code of a function is one function, in whatever way it was entered', () => {
    const positions = positionsOf(`
      JS:^outer /app/a.js:4:15  | +0 4:32
      JS:o*outer /app/a.js:4:15 | +0 4:32
      JS:*'outer /app/a.js:4:15 | +0 4:32`);
    expect(find(positions, 1, 0)).toEqual(['/app/a.js:4:32']);
    expect(find(positions, 2, 0)).toEqual(['/app/a.js:4:32']);
  });
});
