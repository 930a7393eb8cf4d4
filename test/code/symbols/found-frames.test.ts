import { describe, expect, it } from 'vitest';
import {
  decodeFound,
  encodeFound,
  FoundBuilder,
  type FoundFrames,
} from '../../../src/code/symbols/found-frames.ts';

const KEY = '["made by",[["elf","version"]]]';

/** An address with two frames, one with a name only, and one at which nothing is known. */
function drawn(): FoundFrames {
  const builder = new FoundBuilder(null);
  builder.begin(0x2000);
  builder.addFrame('_Z5innerv', '/src/größe.c', 12, 3);
  builder.addFrame('outer', '/src/a.c', 40, 0);
  builder.begin(0x1000);
  builder.begin(0x1800);
  builder.addFrame('alone', '', 0, 0);
  return builder.finish();
}

/** `address: name file:line:column < …`, a line for each address. */
function textOf(found: FoundFrames): string[] {
  const { address, first, name, file, line, column } = found.columns;
  return Array.from(address, (value, row) => {
    const frames: string[] = [];
    for (let i = first[row]; i < first[row + 1]; i++) {
      const at = `${found.texts.at(file[i])}:${line[i]}:${column[i]}`;
      frames.push(`${found.texts.at(name[i])} ${at}`);
    }
    return `${value.toString(16)}: ${frames.join(' < ')}`;
  });
}

const DRAWN = [
  '1000: ',
  '1800: alone :0:0',
  '2000: _Z5innerv /src/größe.c:12:3 < outer /src/a.c:40:0',
];

describe('what was found at addresses', () => {
  it('found frames are sorted by address and found by it', () => {
    const found = drawn();
    expect(textOf(found)).toEqual(DRAWN);
    expect([0x1000, 0x1800, 0x2000, 0xfff, 0x1001, 0x2001].map((at) => found.find(at))).toEqual([
      0, 1, 2, -1, -1, -1,
    ]);
    expect([0, 1, 2].map((row) => found.count(row))).toEqual([0, 1, 2]);
  });

  it('a set of found frames comes back from its bytes with the text of its key, and goes out the same', () => {
    const bytes = encodeFound(drawn(), KEY);
    const back = decodeFound(bytes);
    expect(textOf(back!.found)).toEqual(DRAWN);
    expect(back!.key).toBe(KEY);
    expect(encodeFound(back!.found, KEY)).toEqual(bytes);
  });

  it('a set of found frames grows by what is found later', () => {
    const builder = new FoundBuilder(decodeFound(encodeFound(drawn(), KEY))!.found);
    builder.begin(0x1900);
    builder.addFrame('later', '/src/a.c', 7, 1);
    expect(textOf(builder.finish())).toEqual([
      ...DRAWN.slice(0, 2),
      '1900: later /src/a.c:7:1',
      DRAWN[2],
    ]);
  });

  it('found frames are refused where a byte has changed, or where they were cut anywhere', () => {
    const bytes = encodeFound(drawn(), KEY);
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at] = damaged[at] ^ 0x41;
      expect(decodeFound(damaged), `byte ${at}`).toBeNull();
      expect(decodeFound(bytes.slice(0, at)), `cut at ${at}`).toBeNull();
    }
    const longer = new Uint8Array(bytes.length + 4);
    longer.set(bytes);
    expect(decodeFound(longer)).toBeNull();
  });

  it('found frames are refused where the checksum holds and a column leads out of its table', () => {
    const { columns, texts } = drawn();
    const broken: Partial<FoundFrames['columns']>[] = [
      { address: Float64Array.of(0x1000, 0x1000, 0x2000) },
      { address: Float64Array.of(0x1000, Number.NaN, 0x2000) },
      { first: Int32Array.of(0, 2, 1, 3) },
      { first: Int32Array.of(-1, 0, 1, 3) },
      { first: Int32Array.of(0, 0, 1, 2) },
      { name: Int32Array.of(1, 2, texts.length) },
      { file: Int32Array.of(-1, 0, 0) },
    ];
    for (const part of broken) {
      const damaged = { columns: { ...columns, ...part }, texts } as FoundFrames;
      expect(decodeFound(encodeFound(damaged, KEY)), JSON.stringify(part)).toBeNull();
    }
    expect(decodeFound(encodeFound({ columns, texts } as FoundFrames, KEY))).not.toBeNull();
  });
});
