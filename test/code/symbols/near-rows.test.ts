import { describe, expect, it } from 'vitest';
import { NearRows } from '../../../src/code/symbols/near-rows.ts';
import { buildSymbolTable, type SymbolRows } from '../../../src/code/symbols/symbol-rules.ts';
import { seededRandom } from '../../helpers/random.ts';

type Drawn = readonly (readonly [start: number, size: number, binding?: number])[];

function rowsOf(drawn: Drawn, picked: readonly number[] = drawn.map((_, row) => row)): SymbolRows {
  return {
    length: picked.length,
    start: Float64Array.from(picked, (row) => drawn[row][0]),
    end: Float64Array.from(picked, (row) => drawn[row][0] + drawn[row][1]),
    binding: Uint8Array.from(picked, (row) => drawn[row][2] ?? 1),
    nameOf: (index) => `symbol ${picked[index]}`,
    shownNameOf: (index) => `symbol ${picked[index]}`,
  };
}

/** The symbol at each address, by the whole table or by the rows near to the addresses. */
function namesAt(rows: SymbolRows, addresses: readonly number[]): string[] {
  // The end of the section; without a next symbol, symbols reach that far.
  const table = buildSymbolTable(rows, (_row, next) =>
    Math.min(500, next < 0 ? 500 : rows.start[next]),
  );
  return addresses.map((address) => {
    const index = table.find(address);
    return index < 0 ? 'none' : `${table.name(index)} from ${table.start(index)}`;
  });
}

function near(drawn: Drawn, addresses: readonly number[]): number[] {
  const { start, end } = rowsOf(drawn);
  const near = new NearRows(Float64Array.from(addresses).sort());
  near.noteStarts(start, start.length);
  near.noteEnds(start, end, start.length);
  return [...near.pick(start, start.length)];
}

/** The rows that one look finds, and those that the second one finds where it is needed. */
function nearAtOnce(drawn: Drawn, addresses: readonly number[]): number[] {
  const { start, end } = rowsOf(drawn);
  const near = new NearRows(Float64Array.from(addresses).sort());
  const picked: number[] = [];
  for (let row = 0; row < start.length; row++) {
    const size = end[row] - start[row];
    if (near.pickLikely(start.subarray(row), Float64Array.of(size), 1).length > 0) picked.push(row);
  }
  for (const row of picked) near.noteEnds(start.subarray(row), end.subarray(row), 1);
  return near.hasReaching ? [...near.pick(start, start.length)] : picked;
}

describe('rows near to wanted addresses', () => {
  it('near rows are the last one before each address, what reaches over that, and the next one', () => {
    const drawn: Drawn = [
      [100, 300],
      [110, 5],
      [120, 5],
      [150, 0],
      [151, 0],
      [160, 10],
      [410, 10],
      [430, 10],
    ];
    expect(near(drawn, [152])).toEqual([0, 4, 5]);
    expect(near(drawn, [122, 415])).toEqual([0, 2, 3, 6, 7]);
    expect(near(drawn, [90])).toEqual([0]);
    expect(near(drawn, [1000])).toEqual([7]);
    expect(near([], [5])).toEqual([]);
  });

  it('near rows name every address as the whole table does, whatever the symbols are', () => {
    const random = seededRandom(7);
    const below = (limit: number) => Math.floor(random() * limit);
    for (let round = 0; round < 3000; round++) {
      const drawn: Drawn = Array.from({ length: below(24) }, () => [
        below(60) * 8,
        // Many without a size, and some that hold others.
        [0, 0, 4, 8, 16, 100][below(6)],
        below(3),
      ]);
      const addresses = Array.from({ length: 1 + below(5) }, () => below(520));
      const expected = namesAt(rowsOf(drawn), addresses);
      for (const find of [near, nearAtOnce]) {
        const picked = find(drawn, addresses);
        expect(
          namesAt(rowsOf(drawn, picked), addresses),
          JSON.stringify({ drawn, addresses, of: find.name }),
        ).toEqual(expected);
      }
    }
  });
});
