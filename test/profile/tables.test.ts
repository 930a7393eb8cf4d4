import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PairInterner } from '../../src/base/pair-interner.ts';
import type { StringIndex } from '../../src/base/string-table.ts';
import { FrameTableBuilder } from '../../src/profile/frame-table.ts';
import { ProfileBuilder } from '../../src/profile/profile-builder.ts';
import { StackTableBuilder } from '../../src/profile/stack-table.ts';
import { checkProfile } from '../helpers/check-profile.ts';
import { EMPTY_META } from '../helpers/profile-from-text.ts';

const NO_PARTS = { meta: EMPTY_META, events: [], dsos: [], threads: [], streams: [], losses: [] };

describe('frame table', () => {
  test('a frame is its DSO, its address and its inline depth', () => {
    const frames = new FrameTableBuilder();
    expect([
      frames.intern(0, 0x1000, 0),
      frames.intern(0, 0x1001, 0),
      frames.intern(1, 0x1000, 0),
      frames.intern(-1, 0x1000, 0),
      frames.intern(0, 0x1000, 1),
      frames.intern(0, 0x1000, 0),
      frames.intern(-1, 0x1000, 0),
    ]).toEqual([0, 1, 2, 3, 4, 0, 3]);
    expect(frames.finish()).toEqual({
      length: 5,
      func: Int32Array.of(-1, -1, -1, -1, -1),
      dso: Int32Array.of(0, 0, 1, -1, 0),
      address: Float64Array.of(0x1000, 0x1001, 0x1000, 0x1000, 0x1000),
      inlineDepth: Uint8Array.of(0, 0, 0, 0, 1),
      file: Int32Array.of(-1, -1, -1, -1, -1),
      line: new Int32Array(5),
      column: new Int32Array(5),
      tier: new Uint8Array(5),
    });
  });

  test('a frame keeps the line it is given, also when the table grows after it', () => {
    const frames = new FrameTableBuilder();
    frames.intern(0, 1, 0);
    frames.setLocation(0, 7 as StringIndex, 12, 3);
    for (let address = 2; address <= 3000; address++) frames.intern(0, address, 0);
    frames.setLocation(2999, 8 as StringIndex, 99, 0);
    const { file, line, column } = frames.finish();
    expect([file[0], line[0], column[0]]).toEqual([7, 12, 3]);
    expect([file[2999], line[2999], column[2999]]).toEqual([8, 99, 0]);
    expect([file[1], line[1], column[1]]).toEqual([-1, 0, 0]);
    expect([file.length, line.length, column.length]).toEqual([3000, 3000, 3000]);
    expect(() => frames.setLocation(3000, 0 as StringIndex, 1, 0)).toThrow(
      'frame 3000 is not in the table',
    );
  });

  test('addresses that differ only in their upper half are different frames', () => {
    const frames = new FrameTableBuilder();
    const addresses = [0x7f00_0000_1000, 0x7f01_0000_1000, 0x1000, -0x7fff_ffff_f000, -4096];
    expect(addresses.map((address) => frames.intern(0, address, 0))).toEqual([0, 1, 2, 3, 4]);
    expect(addresses.map((address) => frames.intern(0, address, 0))).toEqual([0, 1, 2, 3, 4]);
  });

  test('each address of a DSO is handed out once, inlined frames and other DSOs apart', () => {
    const frames = new FrameTableBuilder();
    frames.intern(2, 0x10, 0);
    frames.intern(-1, 0x99, 0);
    frames.intern(2, 0x10, 1);
    frames.intern(2, 0x20, 0);
    frames.intern(2, 0x10, 0);
    expect(frames.addresses(2)).toEqual({
      frames: Int32Array.of(0, 3),
      addresses: Float64Array.of(0x10, 0x20),
    });
    expect(frames.addresses(-1).addresses).toEqual(Float64Array.of(0x99));
    expect(frames.addresses(7).frames).toHaveLength(0);
    frames.intern(2, 0x30, 0);
    expect(frames.addresses(2).addresses).toEqual(Float64Array.of(0x10, 0x20, 0x30));
  });

  test('an address that is not a number, a depth beyond 255 and a DSO below −1 are refused', () => {
    const frames = new FrameTableBuilder();
    expect(() => frames.intern(0, Number.NaN, 0)).toThrow('got NaN (DSO 0)');
    expect(() => frames.intern(0, 1, 256)).toThrow('inline depth must be 0…255, got 256');
    expect(() => frames.intern(-2, 1, 0)).toThrow('got -2');
  });
});

describe('interning', () => {
  test('interning agrees with a map of strings, in any order', () => {
    const place = fc.tuple(fc.integer({ min: -1, max: 40 }), fc.integer({ min: 0, max: 60 }));
    fc.assert(
      fc.property(fc.array(place, { maxLength: 6000, size: 'max' }), (pairs) => {
        const interner = new PairInterner();
        const frames = new FrameTableBuilder();
        const model = new Map<string, number>();
        const pairRows: number[] = [];
        const frameRows: number[] = [];
        const expected: number[] = [];
        for (const [first, second] of pairs) {
          const key = `${first} ${second}`;
          if (!model.has(key)) model.set(key, model.size);
          pairRows.push(interner.intern(first, second));
          frameRows.push(frames.intern(first, second * 2 ** 33, 0));
          expected.push(model.get(key)!);
        }
        expect(pairRows).toEqual(expected);
        expect(frameRows).toEqual(expected);
        expect(interner.length).toBe(model.size);
      }),
      { numRuns: 8 },
    );
  });

  test('interning survives many growths', () => {
    const frames = new FrameTableBuilder();
    const stacks = new StackTableBuilder();
    let deepest = -1;
    for (let i = 0; i < 50_000; i++) {
      deepest = stacks.intern(deepest, frames.intern(i % 3, i * 16, 0));
    }
    let again = -1;
    for (let i = 0; i < 50_000; i++) again = stacks.intern(again, frames.intern(i % 3, i * 16, 0));
    expect(again).toBe(deepest);
    expect(stacks.length).toBe(50_000);
    expect(frames.length).toBe(50_000);
  });
});

describe('stack table', () => {
  test('shared callers are stored once, and parents come first', () => {
    const stacks = new StackTableBuilder();
    const path = (...frames: number[]) =>
      frames.reduce((prefix, frame) => stacks.intern(prefix, frame), -1);
    expect([path(7, 8, 9), path(7, 8), path(7, 5), path(9), path(7, 8, 9)]).toEqual([
      2, 1, 3, 4, 2,
    ]);
    expect(stacks.finish()).toEqual({
      length: 5,
      frame: Int32Array.of(7, 8, 9, 5, 9),
      prefix: Int32Array.of(-1, 0, 1, 0, -1),
    });
  });

  test('a path below a row that does not exist is refused', () => {
    expect(() => new StackTableBuilder().intern(3, 0)).toThrow('prefix 3 of 0 stacks');
  });

  test('extending a stack by an address gives the rows that interning its frame gives', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.tuple(fc.integer({ min: -1, max: 2 }), fc.nat(5)), { maxLength: 8 })),
        (chains) => {
          const searched = new ProfileBuilder();
          const extended = new ProfileBuilder();
          for (const chain of chains) {
            let a = -1;
            let b = -1;
            for (const [dso, address] of chain) {
              a = searched.stacks.intern(a, searched.frames.intern(dso, address));
              b = extended.extendStack(b, dso, address);
            }
            expect(b).toBe(a);
          }
          expect(extended.finish(NO_PARTS)).toEqual(searched.finish(NO_PARTS));
        },
      ),
    );
  });
});

test('a function that calls itself extends its stack at every call, also when the table grows', () => {
  const builder = new ProfileBuilder();
  const rows: number[] = [];
  for (let i = 0; i < 3000; i++) rows.push(builder.extendStack(rows.at(-1) ?? -1, -1, 0x10));
  expect(rows).toEqual(rows.map((_, i) => i));
  const { stacks } = builder.finish(NO_PARTS);
  expect(stacks.prefix).toEqual(Int32Array.from(rows, (row) => row - 1));
});

test('a frame has no name, no file and no column until it is given one', () => {
  const builder = new ProfileBuilder();
  const [first, second] = [builder.frames.intern(-1, 0x10), builder.frames.intern(-1, 0x20)];
  builder.frames.setFunc(first, builder.funcs.intern(builder.strings.intern('main'), -1));
  const file = builder.strings.intern('a.c');
  builder.frames.setLocation(first, file, 7);
  expect([first, second].map((frame) => builder.isNamed(frame))).toEqual([true, false]);
  const { frames } = builder.finish(NO_PARTS);
  expect(frames.file).toEqual(Int32Array.of(file, -1));
  expect(frames.line).toEqual(Int32Array.of(7, 0));
  expect(frames.column).toEqual(Int32Array.of(0, 0));
});

test('unsymbolized frames become [unknown] of their DSO', () => {
  const builder = new ProfileBuilder();
  builder.frames.intern(-1, 0x10);
  const known = builder.frames.intern(0, 0x20);
  builder.frames.intern(0, 0x30);
  builder.frames.setFunc(known, builder.funcs.intern(builder.strings.intern('main'), 0));
  const dso = { kind: 'user', name: 'app', path: '/app', buildId: null } as const;
  const profile = builder.finish({ ...NO_PARTS, dsos: [dso] });
  checkProfile(profile);
  const shown = [...profile.frames.func].map(
    (func) => `${profile.strings[profile.funcs.name[func]]} ${profile.funcs.dso[func]}`,
  );
  expect(shown).toEqual(['[unknown] -1', 'main 0', '[unknown] 0']);
});

describe('sample table', () => {
  const NO_PARTS = { meta: EMPTY_META, events: [], dsos: [], threads: [], streams: [], losses: [] };
  const anyInt = fc.oneof(
    fc.integer({ min: -1, max: 3 }),
    fc.constantFrom(127, 128, 32_767, 32_768, 2 ** 31 - 1),
  );

  test('columns are as narrow as their numbers allow, and lose none', () => {
    // More rows than a part has, so that the first ones have left it when a wider number comes.
    const rows = 9000;
    fc.assert(
      fc.property(
        fc.array(anyInt, { minLength: 1, maxLength: 5 }),
        fc.nat(rows - 1),
        (late, at) => {
          const builder = new ProfileBuilder();
          const cpuOf = (row: number) =>
            row < rows - late.length ? row % 7 : late[rows - row - 1];
          for (let row = 0; row < rows; row++) {
            builder.samples.add(row % 3, 0, 0, 0, -1, cpuOf(row), row, 1, Number.NaN);
          }
          builder.samples.setStack(at, 40_000);
          const { samples } = builder.finish(NO_PARTS);
          const expected = Array.from({ length: rows }, (_, row) => cpuOf(row));
          expect(Array.from(samples.cpu)).toEqual(expected);
          const largest = Math.max(...expected);
          const bytes = largest < 128 ? 1 : largest < 32_768 ? 2 : 4;
          expect(samples.cpu).toHaveProperty('BYTES_PER_ELEMENT', bytes);
          expect(samples.stream).toEqual(new Int8Array(rows).fill(-1));
          const stacks = Array.from({ length: rows }, (_, row) => (row === at ? 40_000 : row % 3));
          expect(Array.from(samples.stack)).toEqual(stacks);
          expect(samples.timeNs[rows - 1]).toBe(rows - 1);
        },
      ),
      { numRuns: 8 },
    );
  });

  test('a slice begins anew', () => {
    const builder = new ProfileBuilder();
    for (let row = 0; row < 5000; row++) builder.samples.add(-1, 0, 0, 0, -1, row, row, 1, row);
    expect(builder.takeSlice(NO_PARTS).samples.cpu[4999]).toBe(4999);
    builder.samples.add(-1, 0, 0, 0, -1, 6, 7, 8, Number.NaN);
    const { samples } = builder.takeSlice(NO_PARTS);
    expect(Array.from(samples.cpu)).toEqual([6]);
    expect([samples.length, samples.timeNs[0], samples.count]).toEqual([1, 7, null]);
  });
});
