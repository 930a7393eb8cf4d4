import { describe, expect, test } from 'vitest';
import {
  type V8TableCode,
  V8TablePositions,
} from '../../../src/code/javascript/v8-table-positions.ts';

/** Lines of 100 units each, so that position 250 is on line 3, column 51. */
const ENDS = Float64Array.from({ length: 40 }, (_, line) => 100 * line + 99);

/**
 * Code objects: the number of the script, the name, then positions as `+offset position`, in parentheses
 * the number of the inlined call. Bytecode has `~`.
 */
function positionsOf(drawn: string, options: Partial<V8TableCode> = {}): V8TablePositions {
  const objects = drawn
    .trim()
    .split('\n')
    .map((line) => {
      const [head = '', table = ''] = line.split('|');
      const [, script, name = ''] = /^\s*(\d+) (.*?)\s*$/.exec(head) ?? [];
      const entries = [...table.matchAll(/\+(\d+) (-?\d+)(?:\((\d+)\))?/g)];
      return {
        name,
        script: Number(script),
        entries: {
          offset: Float64Array.from(entries, ([, offset]) => Number(offset)),
          position: Int32Array.from(entries, ([, , position]) => Number(position)),
          inlining: Int32Array.from(entries, ([, , , inlining = '-1']) => Number(inlining)),
        },
      };
    });
  return new V8TablePositions({
    length: objects.length,
    isolate: () => 1,
    script: (row) => objects[row].script,
    isBytecode: (row) => objects[row].name.includes(':~'),
    knowsInlining: () => true,
    name: (row) => objects[row].name,
    entries: (row) => objects[row].entries,
    lineEnds: () => ENDS,
    ...options,
  });
}

function find(positions: V8TablePositions, row: number, ...offsets: number[]): string[] {
  return offsets.map((offset) => {
    const found = positions.find(row, offset);
    if (found === null) return '-';
    const { file, line, column, inlined } = found;
    return `${file}:${line}:${column}${inlined === null ? '' : ` of ${inlined}`}`;
  });
}

const PROGRAM = `
  7 JS:~leaf /app/a.js:1:11   | +0 20 +4 30 +9 40
  7 JS:~middle /app/a.js:2:13 | +0 130 +4 140
  8 JS:~far /app/b.js:1:10    | +0 20 +4 35
  7 JS:*outer /app/a.js:4:15  | +8 320 +16 345 +24 130(0) +32 20(1) +40 40(1) +48 350 +56 35(2) +60 777(3) +70 -1
`;

describe('positions in scripts', () => {
  test('positions of the code itself are on lines of its script', () => {
    const positions = positionsOf(PROGRAM);
    expect(find(positions, 3, 8, 15, 16, 48)).toEqual([
      '/app/a.js:4:21',
      '/app/a.js:4:21',
      '/app/a.js:4:46',
      '/app/a.js:4:51',
    ]);
  });

  test('positions of inlined code are of the function whose bytecode has all of the call', () => {
    const positions = positionsOf(PROGRAM);
    expect(find(positions, 3, 24, 32, 44, 56)).toEqual([
      '/app/a.js:2:31 of JS:*middle /app/a.js:2:13',
      // 20 is also a position in b.js, 40 is not.
      '/app/a.js:1:21 of JS:*leaf /app/a.js:1:11',
      '/app/a.js:1:41 of JS:*leaf /app/a.js:1:11',
      '/app/b.js:1:36 of JS:*far /app/b.js:1:10',
    ]);
  });

  test('positions of no known function have no line', () => {
    expect(find(positionsOf(PROGRAM), 3, 60, 70)).toEqual(['-', '-']);
  });

  test('an inlined call is its function, where the place in that is not known', () => {
    const positions = positionsOf(`
      7 JS:~leaf /app/a.js:1:11  | +0 20 +4 30
      7 JS:+outer /app/a.js:4:15 | +8 20(0) +16 -1(0) +24 -1
    `);
    expect(find(positions, 1, 8, 16, 24)).toEqual([
      '/app/a.js:1:21 of JS:+leaf /app/a.js:1:11',
      '/app/a.js:0:0 of JS:+leaf /app/a.js:1:11',
      '-',
    ]);
  });

  test('positions before the first entry are where the function begins', () => {
    expect(find(positionsOf(PROGRAM), 3, 0)).toEqual(['/app/a.js:4:15']);
  });

  test('the beginning of a function is a position of it', () => {
    const positions = positionsOf(`
      7 JS:~leaf /app/a.js:1:11  | +0 20
      7 JS:~twin /app/a.js:3:11  | +0 220
      7 JS:+outer /app/a.js:4:15 | +8 210(0)
    `);
    expect(find(positions, 2, 8)).toEqual(['/app/a.js:3:11 of JS:+twin /app/a.js:3:11']);
  });

  test('positions that two functions of other scripts have are of neither', () => {
    const positions = positionsOf(`
      1 JS:~a /app/a.js:1:1     | +0 20
      2 JS:~b /app/b.js:1:1     | +0 20
      3 JS:*outer /app/c.js:1:1 | +8 20(0)
    `);
    expect(find(positions, 2, 8)).toEqual(['-']);
  });

  test('evaluated code has the lines of its own text, and no file', () => {
    const positions = positionsOf(`
      1 JS:~(anonymous) :1:20 | +0 20 +4 230
      2 JS:~(anonymous) :1:20 | +0 120
      1 JS:*(anonymous) :1:20 | +8 230 +16 120(0)
    `);
    expect(find(positions, 0, 4)).toEqual([':3:31']);
    expect(find(positions, 2, 8, 16)).toEqual([':3:31', ':2:21 of JS:*(anonymous) :1:20']);
  });

  test('positions without numbers of calls are told apart one by one', () => {
    const drawn = PROGRAM.replaceAll(/\(\d+\)/g, '').replace('JS:*outer', 'JS:*outer');
    const positions = positionsOf(
      `${drawn.trim()}\n  7 JS:~outer /app/a.js:4:15  | +0 320 +1 345 +2 350`,
      { knowsInlining: () => false },
    );
    expect(find(positions, 3, 8, 24, 40, 56, 60)).toEqual([
      '/app/a.js:4:21',
      '/app/a.js:2:31 of JS:*middle /app/a.js:2:13',
      '/app/a.js:1:41 of JS:*leaf /app/a.js:1:11',
      '/app/b.js:1:36 of JS:*far /app/b.js:1:10',
      '-',
    ]);
  });

  test('positions in a script whose lines are not known have none', () => {
    expect(find(positionsOf(PROGRAM, { lineEnds: () => null }), 3, 8)).toEqual(['-']);
  });

  test('positions behind the last line have none', () => {
    const positions = positionsOf('7 JS:*a /app/a.js:1:1 | +0 3999 +8 4000');
    expect(find(positions, 0, 0, 8)).toEqual(['/app/a.js:40:100', '-']);
  });
});
