// Damaged DWARF: every lookup ends, and nothing is thrown.

import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { AddressRanges } from '../../../src/code/dwarf/address-ranges.ts';
import { DwarfFile, SourceFrames } from '../../../src/code/dwarf/dwarf-file.ts';
import { DwarfDamage, DwarfReader } from '../../../src/code/dwarf/dwarf-reader.ts';
import { findSpan, paintSpans } from '../../../src/code/dwarf/function-spans.ts';
import { parseLineHeader } from '../../../src/code/dwarf/line-header.ts';
import { findSection, parseElf } from '../../../src/code/elf/elf-file.ts';
import { openSection } from '../../../src/code/elf/section-bytes.ts';
import { seededRandom } from '../../helpers/random.ts';

const PROGRAM = `
static inline __attribute__((always_inline)) int leaf(int x) { volatile int y = x; return y * 3; }
__attribute__((noinline)) int outer(int x) { return leaf(x) + leaf(x + 1); }
int main(int c, char **v) { return outer(c); }
`;
const SECTIONS = ['info', 'abbrev', 'line', 'str', 'line_str', 'rnglists'];

function hasGcc(): boolean {
  try {
    execFileSync('gcc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function compiledSections() {
  const path = `/tmp/perf-ts-damage-${process.pid}`;
  execFileSync('gcc', ['-g', '-O2', '-x', 'c', '-', '-o', path], { input: PROGRAM });
  const bytes = execFileSync('cat', [path]);
  execFileSync('rm', [path]);
  const elf = parseElf(memorySource(bytes), new Diagnostics())!;
  const text = findSection(elf, '.text')!;
  const sections = new Map(
    SECTIONS.map((name) => {
      const section = openSection(elf, `.debug_${name}`, new Diagnostics());
      return [`.debug_${name}`, section?.read(0, section.size) ?? new Uint8Array(0)] as const;
    }),
  );
  return { sections, text };
}

describe.skipIf(!hasGcc())('a program with bytes changed', () => {
  const { sections, text } = hasGcc() ? compiledSections() : ({} as never);

  function lookUpAll(changed: ReadonlyMap<string, Uint8Array>): { frames: number; damage: number } {
    const diagnostics = new Diagnostics();
    const dwarf = new DwarfFile({
      sections: (name) => {
        const bytes = changed.get(name);
        return bytes === undefined ? null : memorySource(bytes);
      },
      littleEndian: true,
      diagnostics,
    });
    const found = new SourceFrames();
    let frames = 0;
    for (let at = 0; at < text.size; at += 4) frames += dwarf.find(text.address + at, found);
    return { frames, damage: diagnostics.entries().length };
  }

  test('the undamaged program has frames and no damage is counted', () => {
    const { frames, damage } = lookUpAll(sections);
    expect(frames).toBeGreaterThan(6);
    expect(damage).toBe(0);
  });

  test.each(SECTIONS)('.debug_%s: any bytes changed', (name) => {
    const key = `.debug_${name}` as const;
    const whole = sections.get(key)!;
    const next = seededRandom(7);
    let damaged = 0;
    for (let round = 0; round < 250 && whole.length > 0; round++) {
      const bytes = whole.slice();
      for (let i = 0; i < 1 + (round % 4); i++) {
        bytes[Math.floor(next() * bytes.length)] = Math.floor(next() * 256);
      }
      damaged += lookUpAll(new Map([...sections, [key, bytes]])).damage;
    }
    if (name === 'info' || name === 'abbrev') expect(damaged).toBeGreaterThan(0);
  });

  test.each(SECTIONS)('.debug_%s: cut anywhere', (name) => {
    const key = `.debug_${name}` as const;
    const whole = sections.get(key)!;
    for (let length = 0; length < whole.length; length += 3) {
      lookUpAll(new Map([...sections, [key, whole.subarray(0, length)]]));
    }
    expect(lookUpAll(new Map([...sections, [key, whole]]))).toEqual(lookUpAll(sections));
  });
});

describe('a reader', () => {
  test('a DWARF reader reads LEB128 of any length, and not beyond its end', () => {
    const bytes = Uint8Array.of(0x7f, 0xe5, 0x8e, 0x26, 0x80, 0x7f, 1, 2, 3, 4, 0x61, 0, 9);
    const reader = new DwarfReader(memorySource(bytes), true);
    reader.seek(0, 12);
    expect([reader.uleb(), reader.uleb(), reader.sleb()]).toEqual([127, 624485, -128]);
    expect([reader.u24(), reader.at]).toEqual([0x030201, 9]);
    reader.skip(1);
    reader.skipString();
    expect([reader.at, reader.isAtEnd]).toEqual([12, true]);
    expect(() => reader.u8()).toThrow(DwarfDamage);
    expect(() => reader.seek(13, 12)).toThrow(DwarfDamage);
  });

  test('a reader with windows of a large section reads the same', () => {
    const size = 20 * 2 ** 20;
    const byteAt = (offset: number) => (offset * 7 + (offset >> 8)) & 0xff;
    let largest = 0;
    const source = {
      size,
      read(offset: number, length: number) {
        largest = Math.max(largest, length);
        return Uint8Array.from({ length: Math.min(length, size - offset) }, (_, i) =>
          byteAt(offset + i),
        );
      },
    };
    const reader = new DwarfReader(source, true);
    reader.seek(5_000_000);
    const read = Array.from({ length: 5000 }, () => reader.u8());
    expect(read).toEqual(Array.from({ length: 5000 }, (_, i) => byteAt(5_000_000 + i)));
    reader.skip(1_000_000);
    expect([reader.at, reader.u8()]).toEqual([6_005_000, byteAt(6_005_000)]);
    expect([...reader.peek(100, 3)]).toEqual([byteAt(100), byteAt(101), byteAt(102)]);
    expect(reader.u16()).toBe(byteAt(6_005_001) | (byteAt(6_005_002) << 8));
    expect(largest).toBeLessThan(2 ** 20);
  });
});

describe('spans', () => {
  const rangesOf = (...pairs: [number, number][]) => {
    const ranges = new AddressRanges();
    for (const [start, end] of pairs) ranges.add(start, end);
    return ranges;
  };

  test('the innermost range has each address', () => {
    //  0 ├────────────────┤
    //  1   ├──────┤
    //  2   ├──┤
    //  3                ├──┤
    const ranges = rangesOf([0x10, 0x50], [0x18, 0x30], [0x18, 0x20], [0x48, 0x58]);
    const spans = paintSpans(ranges, Int32Array.of(0, 1, 2, 3));
    expect([0x0f, 0x10, 0x18, 0x20, 0x30, 0x48, 0x57, 0x58].map((a) => findSpan(spans, a))).toEqual(
      [-1, 0, 2, 1, 0, 3, 3, -1],
    );
  });

  test('ranges that overlap by damage end, and cost no more than their number', () => {
    const many: [number, number][] = [];
    for (let i = 0; i < 20_000; i++) many.push([0x1000 + i, 0x100_0000 - i * 3]);
    const rows = Int32Array.from({ length: many.length }, (_, i) => many.length - i);
    const spans = paintSpans(rangesOf(...many), rows);
    expect(findSpan(spans, 0x1000)).toBe(20_000);
    expect(spans.start.length).toBeLessThanOrEqual(2 * many.length);
  });

  test('ranges of functions that the linker removed are left out', () => {
    expect(rangesOf([0, 0x40], [1, 0x40], [-1, 5], [0xffff_ffff, 2 ** 33]).length).toBe(0);
  });
});

describe('DWARF that is small and names the same bytes again and again', () => {
  test('abbreviations are read for all units within a bound, and the units beyond it are counted', () => {
    const [declarations, units] = [150_000, 400];
    const code = (value: number) => [(value & 127) | 128, ((value >> 7) & 127) | 128, value >> 14];
    const abbrev = Buffer.alloc(declarations * 7 + 1);
    // No attributes, no children: the declaration of the last code is 1 MB from the table's start.
    for (let i = 0; i < declarations; i++) abbrev.set([...code(i + 1), 0x11], i * 7);
    const info = Buffer.alloc(units * 14);
    for (let unit = 0; unit < units; unit++) {
      info.writeUInt32LE(10, unit * 14);
      info.writeUInt16LE(4, unit * 14 + 4);
      info.set([8, ...code(declarations)], unit * 14 + 10);
    }
    const sections = new Map([
      ['.debug_info', info],
      ['.debug_abbrev', abbrev],
    ]);
    const diagnostics = new Diagnostics();
    const dwarf = new DwarfFile({
      sections: (name) => {
        const bytes = sections.get(name);
        return bytes === undefined ? null : memorySource(bytes);
      },
      littleEndian: true,
      diagnostics,
    });
    expect(dwarf.find(0x1000, new SourceFrames())).toBe(0);
    const [{ code: reason, count }] = diagnostics.entries();
    expect(reason).toBe('dwarf-unit-damaged');
    expect(count).toBeGreaterThan(units / 2);
  });

  test('a header of lines whose entries take no bytes is damaged', () => {
    const FLAG_PRESENT = 0x19;
    const DIRECTORY_INDEX = 2;
    // One form, and 60 000 directories of it; then no files.
    const entries = [1, DIRECTORY_INDEX, FLAG_PRESENT, 0xe0, 0xd4, 0x03, 0, 0];
    const fields = [1, 1, 1, 0xfb, 14, 1, ...entries];
    const header = Buffer.from([0, 0, 0, 0, 5, 0, 8, 0, fields.length, 0, 0, 0, ...fields]);
    header.writeUInt32LE(header.length - 4, 0);
    const reader = new DwarfReader(memorySource(header), true);
    expect(() => parseLineHeader(reader, 0, 8)).toThrow(DwarfDamage);
  });
});
