import { describe, expect, test } from 'vitest';
import { displayWidth } from '../../../src/cli/render/display-width.ts';
import { formatTable } from '../../../src/cli/render/table.ts';
import { outdent } from '../../helpers/format-tree.ts';

describe('a table', () => {
  test('a table aligns columns, numbers to the right, and ends no line in spaces', () => {
    const rows = [
      ['12.30%', 'main', 'app'],
      ['1.00%', 'std::vector<int>::push_back', ''],
    ];
    expect(formatTable(['self', 'symbol', 'DSO'], rows, { right: [0] }).join('\n')).toBe(
      outdent(`
          self  symbol                       DSO
        12.30%  main                         app
         1.00%  std::vector<int>::push_back
      `),
    );
  });

  test('wide and combining characters keep the columns straight', () => {
    const lines = formatTable(
      ['a', 'b'],
      [
        ['関数', 'x'],
        ['e\u0301', 'y'],
      ],
    );
    expect(lines).toEqual(['a     b', '関数  x', 'e\u0301     y']);
    expect(['abc', '関数', 'e\u0301', '\u{1f525}', ''].map(displayWidth)).toEqual([3, 4, 1, 2, 0]);
  });

  test('a name that does not fit the terminal is cut, a number never', () => {
    const rows = [['1%', 'a::very::long::name::of::a::function']];
    expect(formatTable(['self', 'name'], rows, { columns: 26 })).toEqual([
      'self  name',
      '1%    a::very::long::name…',
    ]);
    expect(formatTable(['self', 'name'], rows, { columns: 3 })[1]).toBe('1%    a::very::long::…');
  });

  test('columns that can be spared are left out, in their order, until names have room', () => {
    const rows = [['12%', '10–14%', '120', 'handleRequest callback']];
    const inColumns = (columns: number) =>
      formatTable(['self', 'interval', 'samples', 'name'], rows, {
        right: [0, 1, 2],
        spare: [2, 1],
        columns,
      });
    expect(inColumns(60)[1]).toBe(' 12%    10–14%      120  handleRequest callback');
    expect(inColumns(40)[1]).toBe(' 12%    10–14%  handleRequest callback');
    expect(inColumns(24)).toEqual(['self  name', ' 12%  handleRequest cal…']);
    expect(inColumns(12)[1]).toBe(' 12%  handleRequest c…');
  });

  test('sentences go on below themselves', () => {
    const rows = [
      ['warn', 'rings of 256 KiB a CPU are small'],
      ['ok', 'none'],
    ];
    expect(formatTable(['', 'found'], rows, { columns: 24, wraps: true })).toEqual([
      '      found',
      'warn  rings of 256 KiB a',
      '      CPU are small',
      'ok    none',
    ]);
    const narrow = formatTable(['', 'found'], rows, { columns: 20, wraps: true });
    expect(narrow[1]).toBe('warn  rings of 256 KiB a CPU are small');
  });

  test('a table without rows prints its header', () => {
    expect(formatTable(['a', 'b'], [])).toEqual(['a  b']);
  });

  test('a table has colour only on request', () => {
    expect(formatTable(['a'], [['x']], { colour: true })).toEqual(['\x1b[1ma\x1b[22m', 'x']);
    expect(formatTable(['a'], [['x']]).join('')).toBe('ax');
  });
});
