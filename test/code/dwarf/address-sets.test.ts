// `.debug_aranges` missing, of some units only, wrong and hostile: the frames stay the same.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { readAddressSets } from '../../../src/code/dwarf/address-sets.ts';
import { DwarfFile, SourceFrames } from '../../../src/code/dwarf/dwarf-file.ts';
import { DwarfReader } from '../../../src/code/dwarf/dwarf-reader.ts';
import { findSection, parseElf } from '../../../src/code/elf/elf-file.ts';
import { openSection } from '../../../src/code/elf/section-bytes.ts';
import { seededRandom } from '../../helpers/random.ts';

const DISAGREE = 'dwarf-aranges-differ';
const UNITS = ['a', 'b', 'c'];
const SECTIONS = [
  'info',
  'abbrev',
  'line',
  'str',
  'line_str',
  'rnglists',
  'str_offsets',
  'addr',
  'aranges',
];
const HEADER_BYTES = 16;
/** Length, version, unit: where the numbers are in a set of the 32-bit format. */
const AT = { length: 0, version: 4, unit: 6, addressSize: 10, segmentSize: 11 };

const unitSource = (unit: string) => `
static inline __attribute__((always_inline)) int ${unit}_leaf(int x) { volatile int y = x; return y * 3; }
__attribute__((noinline)) int ${unit}_outer(int x) { return ${unit}_leaf(x) + ${unit}_leaf(x + 1); }
__attribute__((noinline, cold)) int ${unit}_cold(int x) { return ${unit}_leaf(x); }
`;

function has(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Three units: two of `compiler`, the middle one of `middle`. */
function compiledSections(middle: string) {
  const folder = mkdtempSync(join(tmpdir(), 'perf-ts-aranges-'));
  try {
    for (const unit of UNITS) {
      writeFileSync(join(folder, `${unit}.c`), unitSource(unit));
      const compiler = unit === 'b' ? middle : 'gcc';
      execFileSync(compiler, ['-g', '-O2', '-c', `${unit}.c`], { cwd: folder });
    }
    writeFileSync(join(folder, 'main.c'), 'int main(void) { return 0; }');
    execFileSync('gcc', ['main.c', 'a.o', 'b.o', 'c.o', '-o', 'program'], { cwd: folder });
    const bytes = readFileSync(join(folder, 'program'));
    const elf = parseElf(memorySource(bytes), new Diagnostics())!;
    const sections = new Map(
      SECTIONS.map((name) => {
        const section = openSection(elf, `.debug_${name}`, new Diagnostics());
        return [name, new Uint8Array(section?.read(0, section.size) ?? [])] as const;
      }),
    );
    return { sections, text: findSection(elf, '.text')! };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.skipIf(!has('gcc'))('address sets of three units', () => {
  const { sections, text } = has('gcc') ? compiledSections('gcc') : ({} as never);
  const whole = sections?.get('aranges') as Uint8Array;
  const addresses = Array.from({ length: text?.size ?? 0 }, (_, i) => text.address + i);

  function framesWith(aranges: Uint8Array, order: readonly number[] = addresses) {
    const diagnostics = new Diagnostics();
    const asked: string[] = [];
    const changed = new Map([...sections, ['aranges', aranges]]);
    const dwarf = new DwarfFile({
      sections: (name) => {
        const bytes = changed.get(name.slice('.debug_'.length));
        asked.push(name);
        return bytes === undefined || bytes.length === 0 ? null : memorySource(bytes);
      },
      littleEndian: true,
      diagnostics,
    });
    const found = new SourceFrames();
    const frames = new Map<number, string>();
    for (const address of order) {
      const texts: string[] = [];
      for (let row = 0; row < dwarf.find(address, found); row++) {
        texts.push(`${dwarf.strings.get(found.name[row] as never)}:${found.line[row]}`);
      }
      frames.set(address, texts.join(' < '));
    }
    return { frames, codes: diagnostics.entries().map(({ code }) => code) };
  }

  /** Offsets of the sets in the section, and its end. */
  function setsOf(bytes: Uint8Array): number[] {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const starts: number[] = [];
    for (let at = 0; at < bytes.length; at += 4 + view.getUint32(at, true)) starts.push(at);
    return starts;
  }

  /** The section with its bytes changed through a view. */
  function changed(change: (view: DataView, starts: readonly number[]) => void): Uint8Array {
    const bytes = whole.slice();
    change(new DataView(bytes.buffer), setsOf(whole));
    return bytes;
  }

  const truth = () => framesWith(new Uint8Array(0)).frames;
  const backwards = [...addresses].reverse();

  test('address sets agree with their units', () => {
    expect(setsOf(whole)).toHaveLength(UNITS.length);
    const { frames, codes } = framesWith(whole);
    const some = [...frames.values()];
    for (const unit of UNITS) {
      expect(some.filter((t) => t.startsWith(`${unit}_leaf:`)).length).toBeGreaterThan(3);
      expect(some.some((t) => t.endsWith(`${unit}_cold:4`))).toBe(true);
    }
    expect(frames).toEqual(truth());
    expect(codes).toEqual([]);
  });

  test("lines are found when any unit's address set is missing", () => {
    const starts = [...setsOf(whole), whole.length];
    for (let i = 0; i < UNITS.length; i++) {
      const [from, to] = [starts[i], starts[i + 1]];
      const without = Uint8Array.from([...whole.subarray(0, from), ...whole.subarray(to)]);
      expect(framesWith(without)).toEqual({ frames: truth(), codes: [] });
      expect(framesWith(without, backwards).frames).toEqual(truth());
    }
  });

  test.each([
    [
      'all for one unit',
      changed((view, starts) => {
        const unit = view.getUint32(starts[0] + AT.unit, true);
        for (const start of starts) view.setUint32(start + AT.unit, unit, true);
      }),
    ],
    [
      'units exchanged',
      changed((view, [first = 0, second = 0]) => {
        const unit = view.getUint32(first + AT.unit, true);
        view.setUint32(first + AT.unit, view.getUint32(second + AT.unit, true), true);
        view.setUint32(second + AT.unit, unit, true);
      }),
    ],
    [
      'a unit in the middle of another',
      changed((view, [, second = 0]) => {
        view.setUint32(second + AT.unit, view.getUint32(second + AT.unit, true) + 11, true);
      }),
    ],
    [
      'a unit behind the end',
      changed((view, [, second = 0]) => view.setUint32(second + AT.unit, 0x7fffffff, true)),
    ],
    [
      'all code claimed by one unit',
      changed((view, [first = 0]) => {
        view.setBigUint64(first + HEADER_BYTES, 1n << 4n, true);
        view.setBigUint64(first + HEADER_BYTES + 8, 1n << 40n, true);
      }),
    ],
    [
      'half of a unit’s code',
      changed((view, starts) => {
        for (const start of starts) {
          const at = start + HEADER_BYTES + 8;
          view.setBigUint64(at, view.getBigUint64(at, true) / 2n, true);
        }
      }),
    ],
  ])('a wrong address set is overruled by the unit: %s', (_, aranges) => {
    for (const order of [addresses, backwards]) {
      const { frames, codes } = framesWith(aranges, order);
      expect(frames).toEqual(truth());
      expect(codes).toContain(DISAGREE);
    }
  });

  test.each([
    ['an unknown version', changed((view) => view.setUint16(AT.version, 9, true))],
    ['no address size', changed((view) => view.setUint8(AT.addressSize, 0))],
    ['segments', changed((view) => view.setUint8(AT.segmentSize, 4))],
    ['a length beyond the section', changed((view) => view.setUint32(AT.length, 0xffff, true))],
    ['a length of nothing', changed((view) => view.setUint32(AT.length, 0, true))],
  ])('an unreadable address set is replaced by the units: %s', (_, aranges) => {
    expect(framesWith(aranges).frames).toEqual(truth());
  });

  test('any bytes changed, or cut anywhere: every lookup ends', () => {
    const next = seededRandom(11);
    const few = addresses.filter((_, i) => i % 16 === 0);
    for (let round = 0; round < 300; round++) {
      const bytes = whole.slice(0, 1 + Math.floor(next() * whole.length));
      for (let i = 0; i < round % 5; i++) {
        bytes[Math.floor(next() * bytes.length)] = Math.floor(next() * 256);
      }
      framesWith(bytes, few);
    }
  });

  test('a truncated address set is ignored', () => {
    const read = (bytes: Uint8Array) => readAddressSets(new DwarfReader(memorySource(bytes), true));
    expect(read(whole).rowsOfUnit.size).toBe(UNITS.length);
    const second = setsOf(whole)[1];
    const cut = read(whole.subarray(0, second + HEADER_BYTES + 8));
    expect([cut.rowsOfUnit.size, cut.ranges.length]).toEqual([1, cut.unitOffsets.length]);
  });

  test.skipIf(!has('clang'))("a clang unit without an address set is found among gcc's", () => {
    const mixed = compiledSections('clang');
    const { rowsOfUnit } = readAddressSets(
      new DwarfReader(memorySource(mixed.sections.get('aranges')!), true),
    );
    expect(rowsOfUnit.size).toBe(UNITS.length - 1);
    const dwarf = new DwarfFile({
      sections: (name) =>
        memorySource(mixed.sections.get(name.slice('.debug_'.length)) ?? new Uint8Array(0)),
      littleEndian: true,
      diagnostics: new Diagnostics(),
    });
    const found = new SourceFrames();
    const names = new Set<string>();
    for (let at = 0; at < mixed.text.size; at++) {
      const length = dwarf.find(mixed.text.address + at, found);
      if (length > 0) names.add(dwarf.strings.get(found.name[length - 1] as never));
    }
    for (const unit of UNITS) expect(names).toContain(`${unit}_outer`);
  });
});
